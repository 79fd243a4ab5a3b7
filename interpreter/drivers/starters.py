"""Files to begin with: a small game, and a mod of a game that is there.

In: an id, and for a mod what its game says. Out: texts by file name; all of it is sound and plays as it is. Writing them, and refusing to
write over anything, is `write_new`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from interpreter.paths import schema_text
from interpreter.pipeline import Contents

_GAME = """\
# yaml-language-server: $schema=game.schema.json
game: {id}
title: {title}
rules: 1
version: 0.1.0
players: 2..4

values:
  goal: 20   # coins that end the game

components: |
  stall is a thing:
    printed pays: 1..5
    worker: player or nothing = nothing

  each player has:
    coins: 0..99

stalls:
  well:    {{pays: 1}}
  bakery:  {{pays: 2}}
  smithy:  {{pays: 3}}
  harbour: {{pays: 3}}
  market:  {{pays: 4}}

effects:
  work: |
    choose s from stalls where s.worker = nothing asking "Where do you work?"
    set s.worker to me
    gain s.pays coins
  evening: |
    for each s in stalls: set s.worker to nothing

play: |
  take turns in players while (no p in players where p.coins >= goal):
    if no s in stalls where s.worker = nothing: perform evening
    perform work

winners: all p in players with most p.coins

text:
  effects.work: "{{me}} works at the {{s}}"
show:
  players: [red, blue, green, yellow]
"""

_CASES = """\
# yaml-language-server: $schema=scenario.schema.json
game: {id}.yaml
cases:
- name: a worker is paid, and the stall is taken
  players: 2
  when:
  - red: [market]
  then:
  - red.coins = 4 and market.worker = red
"""

_MOD = """\
# yaml-language-server: $schema=mod.schema.json
mod: {{id: {id}, title: {title}, version: 0.1.0, for: {game}, versions: "{versions}"}}
# `rulewright explain {game}` lists what can be changed, and docs/modding.md how.
"""

_MOD_CASES = """\
# yaml-language-server: $schema=scenario.schema.json
game: {game}
with: mod.yaml
cases:
"""


def game_files(id: str) -> dict[str, str]:
    """A small game with a case, and the schemas for an editor."""
    title = id.replace("_", " ").title()
    return {
        f"{id}.yaml": _GAME.format(id=id, title=title),
        "scenarios.yaml": _CASES.format(id=id),
        "game.schema.json": schema_text("game"),
        "scenario.schema.json": schema_text("scenario"),
    }


def mod_files(id: str, game: Contents, place: Path | None, folder: Path) -> dict[str, str]:
    """A mod that sets one number of a game, to what it is already, and a case that says so. `place` is the game's file where it is none
    that ships with the tool; `folder` is where the mod will lie."""
    major = int(game.version.partition(".")[0])
    versions = f">={game.version},<{major + 1}"
    said = game.id if place is None else Path(os.path.relpath(place, folder)).as_posix()
    name, number = _number(game.texts)
    mod = _MOD.format(id=id, title=id.replace("_", " ").capitalize(), game=game.id, versions=versions)
    cases = _MOD_CASES.format(game=said)
    if name:
        mod += f"change:\n  values.{name}: {{set: {number}}}   # as it is in the game: put another number here\n"
        cases += f"- name: the number that the mod sets\n  then:\n  - {name} = {number}\n"
    else:
        mod += "change: {}\n"
        cases += "- name: the game begins\n  then:\n  - over: false\n"
    return {
        "mod.yaml": mod,
        "scenarios.yaml": cases,
        "mod.schema.json": schema_text("mod"),
        "scenario.schema.json": schema_text("scenario"),
    }


def _number(texts: Mapping[str, str]) -> tuple[str, str]:
    """The first value that is a plain number, and the number."""
    for address, text in texts.items():
        found = re.fullmatch(r"values\.(\w+)", address)
        if found and re.fullmatch(r"[0-9]+", text):
            return found[1], text
    return "", ""


class Exists(Exception):
    """Something lies where a new file should; the text is for people."""


def write_new(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files into a folder, which is made where it is missing. Raises Exists, before anything is written, if one is there already;
    OSError where it cannot be written, and then nothing is left of it."""
    there = [name for name in files if os.path.lexists(folder / name)]
    if there:
        raise Exists(f"`{(folder / there[0]).as_posix()}` exists; nothing was written")
    folder.mkdir(parents=True, exist_ok=True)
    begun: list[Path] = []
    try:
        for name, text in files.items():
            with (folder / name).open("x", encoding="utf-8") as file:
                begun.append(folder / name)
                file.write(text)
    except OSError:
        for path in begun:
            path.unlink(missing_ok=True)
        raise
