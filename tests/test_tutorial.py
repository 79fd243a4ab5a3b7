"""The tutorial and the page on mods do what they say: commands are run and changes made, in order, in a copy of what a clone has.

A `console` block holds commands behind `$ ` (`# exit 1` names an exit code) and lines of their output, which must come in this order;
`…` stands for anything. What is typed stands behind `> `. A `diff` block names a file; its `-` and context lines must stand there once. A
`new` block is a file.
"""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from interpreter import paths
from tests.cli.running import run_here

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("tutorial.md", "modding.md")
BLOCK = re.compile(r"^```(console|diff|new)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A command of a console block, its exit code, and the lines shown below it."""

    words: list[str]
    exit: int
    shown: list[str]

    @property
    def typed(self) -> str:
        """The lines behind `> `."""
        return "".join(f"{text[2:]}\n" for text in self.shown if text.startswith("> "))


def commands(text: str) -> list[Command]:
    """The commands of a console block."""
    found = []
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *shown = part.rstrip("\n").split("\n")
        line, _, code = first.partition("# exit")
        found.append(Command(shlex.split(line), int(code or 0), shown))
    return found


def check(command: Command, folder: Path) -> None:
    """Runs a command and looks for each shown line, in order."""
    assert command.words[0] == "rulewright"
    done = run_here(command.words[1:], command.typed, folder, {})
    said = f"{shlex.join(command.words)}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == command.exit, said
    lines = iter((done.stdout + done.stderr).split("\n"))
    for shown in command.shown:
        if shown == "…":
            continue
        pattern = re.compile(re.escape(shown.rstrip()).replace("…", ".*"))
        assert any(pattern.fullmatch(text.rstrip()) for text in lines), f"not said (in this order): {shown}\n\n{said}"


def change(path: Path, text: str) -> None:
    """Makes the change of a diff block. What a shown line leaves out at its end (clauses, a comment) stays where it is."""
    marked = text.rstrip("\n").split("\n")
    before = [line[1:] for line in marked if line[0] in "- "]
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = range(len(lines) - len(before) + 1)
    places = [at for at in starts if all(lines[at + i].startswith(b) for i, b in enumerate(before))]
    assert len(places) == 1, f"{len(places)} places in {path.name} look like this:\n{text}"
    old = iter(lines[places[0] : places[0] + len(before)])
    made: list[str] = []
    rest = ""
    for line in marked:
        match line[0]:
            case " ":
                made.append(next(old))
            case "-":
                rest = next(old)[len(line) - 1 :]
            case _:
                made.append(line[1:] + rest)
                rest = ""
    lines[places[0] : places[0] + len(before)] = made
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data of a clone, which the interpreter takes for its own: it starts once for all commands."""
    for folder in ("schema", "games", "mods"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "interpreter" / "syntax").mkdir(parents=True)
    shutil.copy2(ROOT / "interpreter" / "syntax" / "grammar.lark", tmp_path / "interpreter" / "syntax")
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "interpreter")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(page: str, clone: Path) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert {kind for kind, _, _ in blocks} == {"console", "diff", "new"}
    for kind, name, text in blocks:
        match kind:
            case "console":
                for command in commands(text):
                    check(command, clone)
            case "diff":
                change(clone / name, text)
            case _:
                (clone / name).write_text(text, encoding="utf-8")
