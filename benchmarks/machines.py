"""How fast our machines play, beside OpenSpiel and beside games written by hand, and what it takes until they play.

In: arguments (`--help`). Out: tables on stdout; with `--json` a document, with `--markdown` the tables in a page, between its two marker
lines. All shipped games are measured, for the fewest and the most players. In every round each contestant of each game has a go, right
after one another, so that a machine that is busy with other things hits all alike. Speeds are plies by the processor's own time for the
thread that plays: the machine may be shared. Nothing here passes or fails; aims are printed beside the figures.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.by_hand import BY_HAND  # noqa: E402 - run as a script, the project is not on the path yet
from benchmarks.contestants import (  # noqa: E402
    OPEN_SPIEL,
    Contestant,
    FastMachine,
    HandWrittenCpp,
    HandWrittenPython,
    OpenSpiel,
    ReferenceMachine,
    compiled,
    open_spiel,
)
from benchmarks.figures import Entry, Run  # noqa: E402
from benchmarks.making import building, start  # noqa: E402
from interpreter.paths import shipped_games  # noqa: E402
from interpreter.pipeline import load  # noqa: E402

PAGE: Final = ROOT / "docs" / "performance.md"
BEGIN: Final = "<!-- figures of one run, written by: python benchmarks/machines.py --markdown -->"
END: Final = "<!-- end of the figures -->"


class Course:
    """All contestants of all games, made once, and the rounds."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        """The folder holds the compiled C++ while the rounds go on."""
        self._notes: list[str] = []
        self._library: Any = open_spiel()
        self._arguments = arguments
        self._field: list[tuple[Entry, list[Contestant]]] = []
        wanted = {name: path for name, path in shipped_games().items() if name in (arguments.only or shipped_games())}
        self._cpp = compiled(folder) if wanted.keys() & BY_HAND.keys() else None
        if self._library is None and wanted.keys() & OPEN_SPIEL.keys():
            self._notes.append("OpenSpiel is left out, it is not installed (extra `peers`)")
        if self._cpp is None and wanted.keys() & BY_HAND.keys():
            self._notes.append("C++ by hand is left out, there is no compiler that takes it (CXX names another)")
        for name, path in wanted.items():
            counts = load(name).player_counts
            for players in sorted({counts[0], counts[-1]}):
                entry = Entry(name, players, path.parent.name != "classics")
                self._field.append((entry, self._contestants(name, players)))

    def _contestants(self, name: str, players: int) -> list[Contestant]:
        """Those who play this game. Our fast machine comes first."""
        game = load(name)
        found: list[Contestant] = []
        bulk = game.bulk(players)
        playouts = bulk() if bulk is not None else None
        if playouts is None:
            self._notes.append(f"the fast machine is left out for {name}, it does not run here")
        else:
            found.append(FastMachine(playouts, self._arguments.games))
        found.append(ReferenceMachine(game, players))
        if self._library is not None and name in OPEN_SPIEL:
            found.append(OpenSpiel(self._library, OPEN_SPIEL[name]))
        if name in BY_HAND:
            found.append(HandWrittenPython(BY_HAND[name]()))
            if self._cpp is not None:
                found.append(HandWrittenCpp(self._cpp, name))
        return found

    def run(self) -> Run:
        """All rounds. What is under way is said on a terminal."""
        rounds, seconds = self._arguments.rounds, self._arguments.seconds
        load_before = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
        for _, contestants in self._field:
            for contestant in contestants:
                contestant.go(seconds / 5)  # warm: not counted
        gc.collect()
        gc.freeze()  # or now and then somebody's go has Python look through all the games that the others hold
        for k in range(rounds):
            for entry, contestants in self._field:
                said(f"round {k + 1} of {rounds}: {entry.label}")
                for contestant in contestants:
                    entry.samples.setdefault(contestant.name, []).append(contestant.go(seconds))
                if contestants[0].name == "fast":
                    entry.built.append(building(load(entry.game).program(entry.players)))
                    entry.started.append(start(entry.game, entry.players))
        said("")
        return Run(self._machine(load_before), rounds, seconds, [entry for entry, _ in self._field], self._notes)

    def _machine(self, load_before: str) -> dict[str, str]:
        """On what it was measured, in words."""
        return {
            "": f"{processor()}, {os.cpu_count()} cores",
            "load before the run": load_before,
            "Python": platform.python_version(),
            "wasmtime": version("wasmtime"),
            "OpenSpiel": version("open_spiel") if self._library is not None else "",
            "C++": "" if self._cpp is None else compiler_version(self._cpp.command),
        }


def said(text: str) -> None:
    """What is under way, on a terminal, in place of what was said before."""
    if sys.stderr.isatty():
        print(f"\r{text:60}\r", end="", file=sys.stderr, flush=True)


def processor() -> str:
    """The processor's name, or its kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def version(package: str) -> str:
    """The version of an installed package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "?"


def compiler_version(command: str) -> str:
    """The compiler's version, and its command."""
    told = subprocess.run([command.split()[0], "--version"], capture_output=True, text=True, check=False).stdout
    return f"{told.splitlines()[0]} ({command})" if told else command


def between_markers(page: str, text: str) -> str:
    """The page with the text between its marker lines. Raises ValueError if it has none."""
    before, after = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:before]}\n\n{text}\n\n{page[after:]}"


def positive(text: str) -> int:
    """A number from 1."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print every figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=positive, default=5, help="rounds (5)")
    parser.add_argument("--seconds", type=float, default=0.25, help="seconds of one go of one contestant (0.25)")
    parser.add_argument("--games", type=positive, help="games that the fast machine plays in one call (as many as fit)")
    parser.add_argument("--only", nargs="+", metavar="GAME", choices=[*shipped_games()], help="these games alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a document there")
    parser.add_argument(
        "--markdown", type=Path, nargs="?", const=PAGE, metavar="FILE",
        help="write the tables into a page, between its marker lines (docs/performance.md)",
    )  # fmt: skip
    arguments = parser.parse_args(words)
    with TemporaryDirectory() as folder:
        run = Course(arguments, Path(folder)).run()
    print(run.plain())
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(run.json(), indent=1) + "\n", encoding="utf-8")
    if arguments.markdown is not None:
        page = arguments.markdown.read_text(encoding="utf-8")
        arguments.markdown.write_text(between_markers(page, run.markdown()), encoding="utf-8")


if __name__ == "__main__":
    main()
