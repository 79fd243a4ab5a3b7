"""What a construct is lowered to: a small definition, and the procedures and functions that it becomes, as text.

Each file of lowering/ holds the definition's own lines, a line of dashes, and the printed code; the first comment says what to look
at. `--update` rewrites what stands below the dashes; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.ir.printer import print_function, print_procedure
from interpreter.ir.program import Program
from interpreter.ir.verify import verify
from interpreter.pipeline import load

HERE = Path(__file__).parent / "lowering"
LINE = "-" * 40
HEADER = "game: small\ntitle: Small\nrules: 1\nversion: 1.0.0\nplayers: 2\n"
# What every game has and no construct changes.
SAME = ("@game", "@refill", "setup")


def compiled(text: str, folder: Path) -> Program:
    path = folder / "small.yaml"
    winners = "" if "\nwinners:" in f"\n{text}" else "winners: players\n"
    path.write_text(HEADER + text + winners, encoding="utf-8")
    return load(str(path)).program(2)


def printed(program: Program) -> str:
    procedures = [print_procedure(program, p) for p, proc in enumerate(program.procs) if proc.address not in SAME]
    functions = [print_function(program, f) for f in range(len(program.funcs)) if f != program.winners]
    return "\n".join(part.rstrip() for part in (*procedures, *functions)) + "\n"


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda p: p.stem)
def test_lowered(path: Path, tmp_path: Path, update: bool) -> None:
    text, _, expected = path.read_text(encoding="utf-8").partition(f"{LINE}\n")
    program = compiled(text, tmp_path)
    assert verify(program) == ()
    found = printed(program)
    if update:
        path.write_text(f"{text}{LINE}\n{found}", encoding="utf-8")
    assert update or found == expected
