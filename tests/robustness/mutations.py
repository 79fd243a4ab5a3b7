"""Slips of the pen, made by chance: a text in, the same text with a few things wrong out.

Every mutation is a plain function of text and luck, so a case is named by its game and its seed alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Mutation = Callable[[str, Random], str]
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
NUMBER = re.compile(r"\d+")
ODD = "\t:#{}[]|>&*!%@`\"',-?=.()<>+/\\é漢\u00a0\u200b😀\0\x7f\r"
VALUES = (
    "~",
    "[]",
    "{}",
    "-5",
    "99999999999",
    "'x'",
    "true",
    "no",
    "nowhere",
    "|",
    "1.5",
    "[a, [b]]",
    "{a: {b: c}}",
    "2..5",
    "&a x",
    "*a",
    "''",
)
WORDS = (
    "nothing",
    "me",
    "my",
    "any",
    "choose",
    "perform",
    "first",
    "where",
    "of",
    "all",
    "then",
    "this",
    "0",
    "players",
    "effect",
    "set",
    "box",
)


def drop_line(text: str, luck: Random) -> str:
    lines = text.splitlines(keepends=True)
    del lines[luck.randrange(len(lines))]
    return "".join(lines)


def drop_block(text: str, luck: Random) -> str:
    lines = text.splitlines(keepends=True)
    start = luck.randrange(len(lines))
    del lines[start : start + luck.randint(2, 12)]
    return "".join(lines)


def double_line(text: str, luck: Random) -> str:
    lines = text.splitlines(keepends=True)
    k = luck.randrange(len(lines))
    lines.insert(k, lines[k])
    return "".join(lines)


def swap_lines(text: str, luck: Random) -> str:
    lines = text.splitlines(keepends=True)
    a = luck.randrange(len(lines))
    b = min(len(lines) - 1, a + luck.randint(1, 5)) if luck.random() < 0.7 else luck.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "".join(lines)


def indent_line(text: str, luck: Random) -> str:
    lines = text.splitlines(keepends=True)
    k = luck.randrange(len(lines))
    lines[k] = " " * luck.randint(1, 3) + lines[k] if luck.random() < 0.5 else lines[k].removeprefix("  ")
    return "".join(lines)


def drop_letter(text: str, luck: Random) -> str:
    k = luck.randrange(len(text))
    return text[:k] + text[k + 1 :]


def odd_letter(text: str, luck: Random) -> str:
    k = luck.randrange(len(text))
    return text[:k] + luck.choice(ODD) + text[k + luck.randint(0, 1) :]


def cut_off(text: str, luck: Random) -> str:
    return text[: luck.randrange(len(text))]


def paste(text: str, luck: Random) -> str:
    a = luck.randrange(len(text))
    b = luck.randrange(len(text))
    return text[:b] + text[a : a + luck.randint(1, 60)] + text[b:]


def other_word(text: str, luck: Random) -> str:
    """A word becomes one that stands elsewhere, or a word of the language."""
    found = list(WORD.finditer(text))
    at = luck.choice(found)
    new = luck.choice(WORDS) if luck.random() < 0.3 else luck.choice(found).group()
    return text[: at.start()] + new + text[at.end() :]


def drop_word(text: str, luck: Random) -> str:
    at = luck.choice(list(WORD.finditer(text)))
    return text[: at.start()] + text[at.end() :]


def double_word(text: str, luck: Random) -> str:
    at = luck.choice(list(WORD.finditer(text)))
    return text[: at.start()] + at.group() + " " + text[at.start() :]


def misspell(text: str, luck: Random) -> str:
    at = luck.choice([m for m in WORD.finditer(text) if len(m.group()) > 3])
    letters = list(at.group())
    k = luck.randrange(len(letters) - 1)
    letters[k], letters[k + 1] = letters[k + 1], letters[k]
    return text[: at.start()] + "".join(letters) + text[at.end() :]


def other_number(text: str, luck: Random) -> str:
    at = luck.choice(list(NUMBER.finditer(text)))
    return text[: at.start()] + str(luck.choice((0, 1, 7, 64, 1000, 2**31, 10**20))) + text[at.end() :]


def other_value(text: str, luck: Random) -> str:
    """What stands behind a key, or in a flow of them, becomes something of another kind."""
    at = luck.choice(list(re.finditer(r"(?<=: )[^\n,{}|]+", text)))
    return text[: at.start()] + luck.choice(VALUES) + text[at.end() :]


def other_key(text: str, luck: Random) -> str:
    found = list(re.finditer(r"\b[a-z_]+(?=:)", text))
    at, new = luck.choice(found), luck.choice(found).group()
    return text[: at.start()] + new + text[at.end() :]


MUTATIONS: tuple[Mutation, ...] = (
    drop_line,
    drop_block,
    double_line,
    swap_lines,
    indent_line,
    drop_letter,
    odd_letter,
    cut_off,
    paste,
    other_word,
    other_word,
    other_word,
    drop_word,
    double_word,
    misspell,
    other_number,
    other_value,
    other_value,
    other_key,
)


def mutated(text: str, luck: Random) -> str:
    """A text with one to three slips."""
    for _ in range(luck.choice((1, 1, 1, 2, 3))):
        if len(text) > 1 and "\n" in text:
            try:
                text = luck.choice(MUTATIONS)(text, luck)
            except IndexError:
                continue  # nothing of that kind is left in the text
    return text
