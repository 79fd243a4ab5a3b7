"""Chance: a generator of our own, seeds, and picks.

Generator `philox4x32-10`, version 1: number k of stream n under a seed is the first output word of Philox-4x32 with ten rounds,
counter (k, n, 0, 0) and key (low, high word of the seed). It needs 32-bit arithmetic with a 32 x 32 -> 64 multiplication only, so a
WebAssembly machine makes the same numbers. n is a hash of the stream's name, not its place in a list, so that a rule that adds a
stream leaves the others as they were. A pick of m is the high word of number * m: its bias is below m / 2^32.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Final

NAME: Final = "philox4x32-10"
VERSION: Final = 1
WORD: Final = 2**32
SEED_LIMIT: Final = 2**64
DERIVED_BITS: Final = 48
"""Derived seeds stay below 2^53, so that they are plain numbers in JSON."""


class BadSeed(ValueError):
    """A seed that is refused; the text says why."""


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox-4x32, ten rounds."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        low, high = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = high >> 32 ^ b ^ k, high & 0xFFFFFFFF, low >> 32 ^ d ^ m, low & 0xFFFFFFFF
        k, m = (k + 0x9E3779B9) & 0xFFFFFFFF, (m + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


def stream_number(name: str) -> int:
    """The number of a named stream."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "little")


def number(seed: tuple[int, int], stream: int, k: int) -> int:
    """Number k of a stream, 0 <= number < 2^32."""
    return philox((k % WORD, stream, 0, 0), (seed[0] % WORD, seed[1] % WORD))[0]


def pick(value: int, count: int) -> int:
    """One of 0..count-1 from a 32-bit number."""
    return value * count >> 32


def pick_weighted(value: int, weights: Sequence[int]) -> int:
    """An index in proportion to the weights (none negative, not all 0) from a 32-bit number."""
    place = pick(value, sum(weights))
    for index, weight in enumerate(weights):
        place -= weight
        if place < 0:
            return index
    raise ValueError("no weight is above 0")


def probabilities(weights: Sequence[int]) -> tuple[Fraction, ...]:
    """Weights as exact shares of 1."""
    total = sum(weights)
    return tuple(Fraction(weight, total) for weight in weights)


def seed_words(seed: int | str) -> tuple[int, int]:
    """A seed as two signed cells, low word first. Text, and numbers of more than 64 bits, are hashed with BLAKE2b."""
    if isinstance(seed, int):
        if seed < 0:
            raise BadSeed("a seed is a whole number from 0, or text")
        value = seed if seed < SEED_LIMIT else _hash(f"number:{seed}")
    else:
        value = _hash(f"text:{seed}")
    return _signed(value % WORD), _signed(value >> 32)


def parse_seed(text: str) -> int | str:
    """A seed from a command line: digits are a number, anything else is text; a negative number is refused."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return int(text)
    if not text or (text.startswith("-") and text[1:].isdigit()):
        raise BadSeed("a seed is a whole number from 0, or text")
    return text


def derive_seed(seed: int | str, *path: int | str) -> int:
    """A seed of its own for a part of a run: game i of a batch, a seat's bot."""
    steps = "/".join(f"{type(step).__name__}:{step}" for step in (seed, *path))
    return _hash(f"derived:{steps}") >> (64 - DERIVED_BITS)


class Stream:
    """Numbers of one stream in turn, for somebody outside the state: a bot's own luck."""

    def __init__(self, seed: int | str, name: str) -> None:
        self._seed = seed_words(seed)
        self._stream = stream_number(name)
        self.counter = 0

    def pick(self, count: int) -> int:
        """One of 0..count-1."""
        value = number(self._seed, self._stream, self.counter)
        self.counter += 1
        return pick(value, count)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _signed(word: int) -> int:
    return word - WORD if word >= WORD // 2 else word
