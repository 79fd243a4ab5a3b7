"""How values of the IR stand in WebAssembly.

A number is an i32. A set of at most 32 possible members is an i32, a larger one is as many i64 words as it takes, least members first.
A sequence is the address of its cells (length, then items, unused ones 0), laid out as in the row. In the row a set has a cell for each
32 members; the last word of an odd number of cells has 0 in its upper half.
"""

from __future__ import annotations

from dataclasses import dataclass

from interpreter.ir.ir_types import IntT, IrType, SeqT, SetT, cells
from interpreter.machine.wasm.encode import Code, ValueType

SMALL = 32
WORD = 64
CELL = 4
"""Bytes of a cell."""


def shape(kind: IrType) -> tuple[ValueType, ...]:
    """The types of the words that a value takes."""
    if isinstance(kind, SetT) and kind.size > SMALL:
        words: list[ValueType] = ["i64"] * ((kind.size + WORD - 1) // WORD)
        return tuple(words)
    return ("i32",)


def set_shape(size: int) -> tuple[ValueType, ...]:
    """The types of the words of a set."""
    return shape(SetT(size))


def mask_words(mask: int, size: int) -> tuple[int, ...]:
    """A constant set as its words."""
    if size <= SMALL:
        return (mask,)
    return tuple(mask >> WORD * k & (1 << WORD) - 1 for k in range(len(set_shape(size))))


def in_cells(value: int | tuple[int, ...], kind: IrType) -> bytes:
    """A constant of a type as the row would hold it, little-endian."""
    match kind:
        case IntT():
            return (int(value) & 0xFFFFFFFF).to_bytes(4, "little") if isinstance(value, int) else b""
        case SetT():
            return value.to_bytes(CELL * cells(kind), "little") if isinstance(value, int) else b""
        case SeqT():
            items = value if isinstance(value, tuple) else ()
            raw = b"".join(x.to_bytes(4, "little") for x in (len(items), *items))
            return raw.ljust(CELL * cells(kind), b"\0")


@dataclass(frozen=True, slots=True)
class Operand:
    """A word at hand: a constant, or a local."""

    kind: ValueType
    value: int
    fixed: bool = False

    def push(self, code: Code) -> None:
        """On the stack."""
        if self.fixed:
            code.const(self.value, self.kind)
        else:
            code.get(self.value)


Words = tuple[Operand, ...]


def fixed(mask: int, size: int) -> Words:
    """A constant set."""
    return tuple(Operand(kind, word, True) for kind, word in zip(set_shape(size), mask_words(mask, size), strict=True))


def shaped(code: Code, words: Words, size: int) -> Words:
    """The same set in the shape of another size; what that has no room for is left out."""
    wanted = set_shape(size)
    if tuple(word.kind for word in words) == wanted:
        return words
    first = words[0]
    if first.kind != wanted[0]:
        if first.fixed:
            first = Operand(wanted[0], first.value & 0xFFFFFFFF, True)
        else:
            other = code.temp(wanted[0])
            first.push(code)
            code.op("i64.extend_i32_u" if wanted[0] == "i64" else "i32.wrap_i64")
            code.set(other)
            first = Operand(wanted[0], other)
    padding = (Operand("i64", 0, True),) * (len(wanted) - len(words))
    return (first, *words[1 : len(wanted)], *padding)


def load_set(code: Code, address: int, offset: int, size: int) -> Words:
    """The set whose cells begin `offset` bytes behind the address in a local, in temporary locals."""
    found = []
    left = cells(SetT(size))
    for kind in set_shape(size):
        code.get(address)
        code.memory("i32.load" if kind == "i32" else "i64.load" if left > 1 else "i64.load32_u", offset)
        word = code.temp(kind)
        code.set(word)
        found.append(Operand(kind, word))
        offset, left = offset + 8, left - 2
    return tuple(found)


def store_set(code: Code, address: int, offset: int, size: int, words: Words) -> None:
    """Put a set where its cells begin."""
    left = cells(SetT(size))
    for word in shaped(code, words, size):
        code.get(address)
        word.push(code)
        code.memory("i32.store" if word.kind == "i32" else "i64.store" if left > 1 else "i64.store32", offset)
        offset, left = offset + 8, left - 2
