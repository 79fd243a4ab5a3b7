"""The WebAssembly binary format, as far as the fast machine needs it.

In: functions built instruction by instruction, globals, tables and data. Out: the bytes of a module. Numbers of instructions and
sections are those of the WebAssembly core specification, version 2.0, chapter 5. Nothing here knows what the functions are for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

ValueType = Literal["i32", "i64", "v128"]

_TYPE: Final[dict[ValueType, int]] = {"i32": 0x7F, "i64": 0x7E, "v128": 0x7B}
_NOTHING: Final = 0x40
_FUNCREF: Final = 0x70

_PLAIN: Final[dict[str, bytes]] = {
    "unreachable": b"\x00",
    "return": b"\x0f",
    "drop": b"\x1a",
    "select": b"\x1b",
    "i32.eqz": b"\x45",
    "i32.eq": b"\x46",
    "i32.ne": b"\x47",
    "i32.lt_s": b"\x48",
    "i32.lt_u": b"\x49",
    "i32.gt_s": b"\x4a",
    "i32.gt_u": b"\x4b",
    "i32.le_s": b"\x4c",
    "i32.le_u": b"\x4d",
    "i32.ge_s": b"\x4e",
    "i32.ge_u": b"\x4f",
    "i64.eqz": b"\x50",
    "i64.eq": b"\x51",
    "i64.ne": b"\x52",
    "i64.lt_s": b"\x53",
    "i64.lt_u": b"\x54",
    "i64.gt_s": b"\x55",
    "i64.gt_u": b"\x56",
    "i64.le_s": b"\x57",
    "i64.le_u": b"\x58",
    "i64.ge_s": b"\x59",
    "i64.ge_u": b"\x5a",
    "i32.clz": b"\x67",
    "i32.ctz": b"\x68",
    "i32.popcnt": b"\x69",
    "i32.add": b"\x6a",
    "i32.sub": b"\x6b",
    "i32.mul": b"\x6c",
    "i32.div_s": b"\x6d",
    "i32.div_u": b"\x6e",
    "i32.rem_s": b"\x6f",
    "i32.rem_u": b"\x70",
    "i32.and": b"\x71",
    "i32.or": b"\x72",
    "i32.xor": b"\x73",
    "i32.shl": b"\x74",
    "i32.shr_s": b"\x75",
    "i32.shr_u": b"\x76",
    "i64.clz": b"\x79",
    "i64.ctz": b"\x7a",
    "i64.popcnt": b"\x7b",
    "i64.add": b"\x7c",
    "i64.sub": b"\x7d",
    "i64.mul": b"\x7e",
    "i64.and": b"\x83",
    "i64.or": b"\x84",
    "i64.xor": b"\x85",
    "i64.shl": b"\x86",
    "i64.shr_s": b"\x87",
    "i64.shr_u": b"\x88",
    "i64.rotl": b"\x89",
    "i32.wrap_i64": b"\xa7",
    "i64.extend_i32_s": b"\xac",
    "i64.extend_i32_u": b"\xad",
    "i32x4.splat": b"\xfd\x11",
    "i32x4.eq": b"\xfd\x37",
    "i32x4.ne": b"\xfd\x38",
    "i32x4.lt_s": b"\xfd\x39",
    "i32x4.gt_s": b"\xfd\x3b",
    "i32x4.le_s": b"\xfd\x3d",
    "i32x4.ge_s": b"\xfd\x3f",
    "v128.not": b"\xfd\x4d",
    "v128.and": b"\xfd\x4e",
    "v128.or": b"\xfd\x50",
    "v128.any_true": b"\xfd\x53",
    "i32x4.bitmask": b"\xfd\xa4\x01",
    "i32x4.add": b"\xfd\xae\x01",
    "i32x4.sub": b"\xfd\xb1\x01",
    "i32x4.mul": b"\xfd\xb5\x01",
    "i32x4.min_s": b"\xfd\xb6\x01",
    "i32x4.max_s": b"\xfd\xb8\x01",
    "memory.copy": b"\xfc\x0a\x00\x00",
    "memory.fill": b"\xfc\x0b\x00",
}
_MEMORY: Final[dict[str, tuple[int, int]]] = {
    "i32.load": (0x28, 2),
    "i64.load": (0x29, 2),
    "i64.load32_u": (0x35, 2),
    "i32.store": (0x36, 2),
    "i64.store": (0x37, 2),
    "i64.store32": (0x3E, 2),
}
_VECTOR_LOAD: Final = b"\xfd\x00"
"""Opcode and the power of two of the alignment: cells of a row are aligned to four bytes, so 64-bit words are too."""


_ONE: Final = tuple(bytes((k,)) for k in range(128))
_SIGNED: Final = {k: bytes((k & 0x7F,)) for k in range(-64, 64)}
"""Most numbers take one byte."""


def unsigned(value: int) -> bytes:
    """LEB128 of a number from 0."""
    if value < 128:
        return _ONE[value]
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        if not value:
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def signed(value: int) -> bytes:
    """LEB128 of a signed number."""
    found = _SIGNED.get(value)
    if found is not None:
        return found
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        if (value == 0 and not byte & 0x40) or (value == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def _vector(items: Sequence[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


@dataclass(frozen=True, slots=True)
class FuncType:
    """Types of what goes in and out."""

    params: tuple[ValueType, ...]
    results: tuple[ValueType, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """The end of a block or the beginning of a loop, to branch to from inside it."""

    depth: int


@dataclass(slots=True)
class Code:
    """The body of one function under construction. Locals are numbered parameters first."""

    type: FuncType
    name: str = ""
    body: bytearray = field(default_factory=bytearray)
    locals: list[ValueType] = field(default_factory=list)
    _depth: int = 0
    _free: dict[ValueType, list[int]] = field(default_factory=lambda: {"i32": [], "i64": [], "v128": []})
    _temps: list[int] = field(default_factory=list)

    # -------------------------------------------------------------- locals

    def local(self, kind: ValueType = "i32") -> int:
        """A local of its own, for the whole function. It is 0 at the beginning."""
        self.locals.append(kind)
        return len(self.type.params) + len(self.locals) - 1

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Locals taken by `temp` inside are free for others afterwards."""
        before = {kind: list(free) for kind, free in self._free.items()}
        first = len(self._temps)
        yield
        for n in self._temps[first:]:
            before[self.kind(n)].append(n)
        self._free = before

    def temp(self, kind: ValueType = "i32") -> int:
        """A local whose value is of use only for a while; what it held before is undefined."""
        free = self._free[kind]
        if free:
            return free.pop()
        made = self.local(kind)
        self._temps.append(made)
        return made

    def kind(self, n: int) -> ValueType:
        """The type of a local."""
        params = self.type.params
        return params[n] if n < len(params) else self.locals[n - len(params)]

    def get(self, n: int) -> None:
        """Push a local."""
        self.body += b"\x20" + unsigned(n)

    def set(self, n: int) -> None:
        """Pop into a local."""
        self.body += b"\x21" + unsigned(n)

    def tee(self, n: int) -> None:
        """Copy the top into a local."""
        self.body += b"\x22" + unsigned(n)

    def get_global(self, n: int) -> None:
        """Push a global."""
        self.body += b"\x23" + unsigned(n)

    def set_global(self, n: int) -> None:
        """Pop into a global."""
        self.body += b"\x24" + unsigned(n)

    # -------------------------------------------------------------- plain instructions

    def const(self, value: int, kind: ValueType = "i32") -> None:
        """Push a number; one above the signed range stands for its bits."""
        bits = 32 if kind == "i32" else 64
        value &= (1 << bits) - 1
        if value >> (bits - 1):
            value -= 1 << bits
        self.body += (b"\x41" if kind == "i32" else b"\x42") + signed(value)

    def vector(self, numbers: Sequence[int]) -> None:
        """Push four 32-bit numbers as a vector."""
        self.body += b"\xfd\x0c" + b"".join((n & 0xFFFFFFFF).to_bytes(4, "little") for n in numbers)

    def op(self, name: str) -> None:
        """An instruction without operands in the code."""
        self.body += _PLAIN[name]

    def ops(self, *names: str) -> None:
        """Several of them."""
        for name in names:
            self.body += _PLAIN[name]

    def memory(self, name: str, offset: int = 0) -> None:
        """A load or store at the address on the stack plus `offset` bytes."""
        opcode, align = _MEMORY[name]
        self.body += bytes((opcode,)) + unsigned(align) + unsigned(offset)

    def load_vector(self, offset: int = 0) -> None:
        """Load four cells from the address on the stack plus `offset` bytes; it need not be aligned."""
        self.body += _VECTOR_LOAD + unsigned(2) + unsigned(offset)

    def call(self, function: int) -> None:
        """Call a function by its number."""
        self.body += b"\x10" + unsigned(function)

    def call_indirect(self, type_number: int, table: int = 0) -> None:
        """Call the function that the table has at the index on the stack."""
        self.body += b"\x11" + unsigned(type_number) + unsigned(table)

    # -------------------------------------------------------------- structure

    @contextmanager
    def block(self) -> Iterator[Label]:
        """A block; branching to its label leaves it."""
        self.body += bytes((0x02, _NOTHING))
        yield self._enter()
        self._leave()

    @contextmanager
    def loop(self) -> Iterator[Label]:
        """A loop; branching to its label begins it again, running off its end leaves it."""
        self.body += bytes((0x03, _NOTHING))
        yield self._enter()
        self._leave()

    @contextmanager
    def when(self, result: ValueType | None = None) -> Iterator[Label]:
        """What runs if the top is not 0; `otherwise` inside begins the other way."""
        self.body += bytes((0x04, _TYPE[result] if result else _NOTHING))
        yield self._enter()
        self._leave()

    def otherwise(self) -> None:
        """The other way of a `when`."""
        self.body += b"\x05"

    @contextmanager
    def nested(self, count: int) -> Iterator[list[Label]]:
        """Blocks within each other; the labels come innermost first, and `end` leaves one after the other."""
        labels = []
        for _ in range(count):
            self.body += bytes((0x02, _NOTHING))
            labels.append(self._enter())
        depth = self._depth - count
        yield labels[::-1]
        if self._depth != depth:
            raise ValueError("nested blocks were not all ended")

    def end(self) -> None:
        """The end of the innermost of nested blocks."""
        self._leave()

    def _enter(self) -> Label:
        self._depth += 1
        return Label(self._depth)

    def _leave(self) -> None:
        self._depth -= 1
        self.body += b"\x0b"

    def br(self, label: Label) -> None:
        """Go to a label."""
        self.body += b"\x0c" + unsigned(self._depth - label.depth)

    def br_if(self, label: Label) -> None:
        """Go to a label if the top is not 0."""
        self.body += b"\x0d" + unsigned(self._depth - label.depth)

    def br_table(self, labels: Sequence[Label], default: Label) -> None:
        """Go to the label whose number is on top."""
        ways = [unsigned(self._depth - label.depth) for label in labels]
        self.body += b"\x0e" + _vector(ways) + unsigned(self._depth - default.depth)

    def encoded(self) -> bytes:
        """The function's entry in the code section."""
        groups: list[bytes] = []
        run: list[ValueType] = []
        for kind in [*self.locals, None]:
            if run and kind != run[0]:
                groups.append(unsigned(len(run)) + bytes((_TYPE[run[0]],)))
                run = []
            if kind is not None:
                run.append(kind)
        whole = _vector(groups) + bytes(self.body) + b"\x0b"
        return unsigned(len(whole)) + whole


@dataclass(slots=True)
class Module:
    """A module: one memory, one table of functions, globals, functions, exports, data. It imports nothing."""

    pages: int = 1
    types: dict[FuncType, int] = field(default_factory=dict)
    functions: list[tuple[FuncType, Code | None]] = field(default_factory=list)
    globals: list[tuple[ValueType, int]] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    exports: dict[str, int] = field(default_factory=dict)
    data: list[tuple[int, bytes]] = field(default_factory=list)

    def type(self, kind: FuncType) -> int:
        """The number of a function type."""
        return self.types.setdefault(kind, len(self.types))

    def declare(self, kind: FuncType) -> int:
        """The number of a function that `define` will bring."""
        self.type(kind)
        self.functions.append((kind, None))
        return len(self.functions) - 1

    def define(self, number: int, code: Code) -> None:
        """The body of a declared function."""
        kind, _ = self.functions[number]
        if kind != code.type:
            raise ValueError(f"function {number} ({code.name}) is declared with another type")
        self.functions[number] = (kind, code)

    def add(self, code: Code, export: str = "") -> int:
        """A whole function; its number."""
        number = self.declare(code.type)
        self.define(number, code)
        if export:
            self.exports[export] = number
        return number

    def global_(self, initial: int = 0, kind: ValueType = "i32") -> int:
        """The number of a new variable of the module."""
        self.globals.append((kind, initial))
        return len(self.globals) - 1

    def encoded(self) -> bytes:
        """The module's bytes."""
        kinds = [self._type(kind) for kind in self.types]
        bodies = []
        for kind, code in self.functions:
            if code is None:
                raise ValueError(f"a function of type {kind} was declared and never defined")
            bodies.append(code.encoded())
        variables = [
            bytes((_TYPE[kind], 1)) + (b"\x41" if kind == "i32" else b"\x42") + signed(value) + b"\x0b"
            for kind, value in self.globals
        ]
        names = [_name(name) + b"\x00" + unsigned(n) for name, n in self.exports.items()]
        names.append(_name("memory") + b"\x02\x00")
        data = [b"\x00\x41" + signed(at) + b"\x0b" + unsigned(len(raw)) + raw for at, raw in self.data]
        sections = [
            (1, _vector(kinds)),
            (3, _vector([unsigned(self.types[kind]) for kind, _ in self.functions])),
            (4, _vector([bytes((_FUNCREF, 1)) + unsigned(len(self.elements)) * 2])),
            (5, _vector([b"\x01" + unsigned(self.pages) * 2])),
            (6, _vector(variables)),
            (7, _vector(names)),
            (9, _vector([b"\x00\x41\x00\x0b" + _vector([unsigned(f) for f in self.elements])])),
            (10, _vector(bodies)),
            (11, _vector(data)),
        ]
        return b"\0asm\1\0\0\0" + b"".join(
            bytes((number,)) + unsigned(len(content)) + content for number, content in sections
        )

    @staticmethod
    def _type(kind: FuncType) -> bytes:
        return (
            b"\x60"
            + _vector([bytes((_TYPE[p],)) for p in kind.params])
            + _vector([bytes((_TYPE[r],)) for r in kind.results])
        )


def _name(text: str) -> bytes:
    raw = text.encode()
    return unsigned(len(raw)) + raw
