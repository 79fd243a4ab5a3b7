"""Functions that are alike in every module, whatever its program: their types and names, and who writes them.

In: a module whose procedures and questions are declared and stand in its table. Out: these functions, which others call by their numbers
in `World.names`, and those that the host calls. What they do is what reference.py does.
"""

from __future__ import annotations

from interpreter.machine.wasm.arithmetic import Arithmetic
from interpreter.machine.wasm.assembler import Function, Place, Value
from interpreter.machine.wasm.doors import Doors
from interpreter.machine.wasm.encode import FuncType
from interpreter.machine.wasm.look_ahead import LookAhead
from interpreter.machine.wasm.part import Part, Writer
from interpreter.machine.wasm.picks import Picks
from interpreter.machine.wasm.reports import Reports
from interpreter.machine.wasm.stacks import Stacks
from interpreter.machine.wasm.tables import Tables
from interpreter.machine.wasm.undoing import Undoing
from interpreter.machine.wasm.world import World

I = FuncType  # noqa: E741 - short, as it stands in every line of the table below

SIGNATURES: dict[str, FuncType] = {
    "fail": I(("i32",)),
    "floor_div": I(("i32", "i32"), ("i32",)),
    "floor_mod": I(("i32", "i32"), ("i32",)),
    "sequence_room": I(("i32",)),
    "stack_room": I(("i32",)),
    "seq_nth": I(("i32", "i32"), ("i32",)),
    "seq_place": I(("i32", "i32"), ("i32",)),
    "seq_eq": I(("i32", "i32"), ("i32",)),
    "seq_copy": I(("i32", "i32", "i32")),
    "seq_reverse": I(("i32", "i32", "i32")),
    "seq_append": I(("i32", "i32", "i32", "i32")),
    "seq_prepend": I(("i32", "i32", "i32", "i32")),
    "seq_drop": I(("i32", "i32", "i32", "i32")),
    "event": I(("i32", "i32")),
    "event_word": I(("i32",)),
    "event_long": I(("i64",)),
    "under_way": I(("i32", "i32", "i32"), ("i32",)),
    "log": I(("i32",)),
    "log_range": I(("i32", "i32")),
    "undo": I(("i32",)),
    "forget": I(("i32",)),
    "touch": I(("i32", "i32")),
    "save_level": I(("i32",), ("i32",)),
    "restore_level": I(("i32",)),
    "run": I(("i32", "i32", "i32"), ("i32",)),
    "search": I(("i32", "i32", "i32", "i32"), ("i32",)),
    "is_new": I((), ("i32",)),
    "alike": I(("i32", "i32", "i32", "i32", "i32"), ("i32",)),
    "ask": I(("i32", "i32", "i32"), ("i32",)),
    "clear": I(()),
    "fork": I(("i32",), ("i32",)),
    "advance": I(("i32", "i32", "i32", "i32"), ("i32",)),
    "reset": I(()),
    "begin": I(("i32",), ("i32",)),
    "take": I(("i32", "i32"), ("i32",)),
    "options": I(("i32",), ("i32",)),
    "player": I(("i32",), ("i32",)),
    "function": I(("i32",)),
    "philox": I(("i32", "i32", "i32", "i32"), ("i32",)),
    "bot_pick": I(("i32", "i32"), ("i32",)),
    "stream_number": I(("i32", "i32"), ("i32",)),
    "stream_pick": I(("i32", "i32", "i32"), ("i32",)),
    "nth": I(("i64", "i32"), ("i32",)),
}
EXPORTED = ("begin", "take", "options", "player", "function")


class Runtime(Part):
    """Puts the functions of all parts into the module."""

    def __init__(self, world: World, tables: Tables) -> None:
        super().__init__(world, tables)
        parts = (Arithmetic, Reports, Stacks, Undoing, LookAhead, Doors, Picks)
        self._writers = {name: write for part in parts for name, write in part(world, tables).functions().items()}

    def define(self) -> None:
        """All of them."""
        world = self.world
        for name, kind in SIGNATURES.items():
            world.module.define(world.names[name], self.written(kind, name, self._writers[name]))
        for name in EXPORTED:
            world.module.add(self.written(SIGNATURES[name], f"door {name}", self._door(name)), name)

    def _door(self, name: str) -> Writer:
        """A function as the host calls it, with another row than before."""

        def write(f: Function, *given: Place) -> Value | None:
            f.do("reset")
            if SIGNATURES[name].results:
                return f.call(name, *given)
            f.do(name, *given)
            return None

        return write
