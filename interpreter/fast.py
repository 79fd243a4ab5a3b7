"""The fast machine of a program, ready to run.

Imported by the front door when one is first made: importing wasmtime takes longer than most of what is done without it, and may fail.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interpreter.ir.program import Program
from interpreter.machine.reference import Reference
from interpreter.machine.wasm.executor import WasmMachine
from interpreter.machine.wasm.host import Compiled, Unavailable
from interpreter.machine.wasm.module import Built, build

__all__ = ["Unavailable", "fast_machine"]


def fast_machine(program: Program, keep: Callable[[Callable[[], Built]], Built], cache: Path | None) -> WasmMachine:
    """`keep` gives what its argument makes, now or earlier; compiled modules are kept in the folder `cache`; with none
    they are compiled sooner and run slower. Raises Unavailable."""
    built = keep(lambda: build(program))
    return WasmMachine(program, built, Compiled(built.raw, cache), lambda: Reference(program))
