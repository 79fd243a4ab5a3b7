"""The first line of a block that a patch writes, and the block with an old text in it.

In: the text of an `inside`, then the statement that it is. Out: a text that can be parsed, and the statement with a body. Where the text
goes wrong is told in `patch_kinds/routines.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from interpreter.syntax.nodes import If, Stmt
from interpreter.text.source import MappedText

_BODY: Final = ":\n  end turn"
BLOCK_HELP: Final = "write the line that opens a block, such as `if round = 2`, `have others` or `repeat 2 times`"


def with_block(line: MappedText) -> MappedText:
    """The line with a body below it, so that it can be parsed; a colon at its end may be there or not."""
    text = line.text.rstrip()
    text = text.removesuffix(":").rstrip()
    at = line.offsets[len(text)]
    return MappedText(text + _BODY, line.source, (*line.offsets[: len(text)], *(at,) * (len(_BODY) + 1)))


def is_block(statement: Stmt) -> bool:
    """Whether a statement has one body."""
    match statement:
        case If():
            return len(statement.branches) == 1 and statement.otherwise is None
        case _:
            return hasattr(statement, "body")


def filled_block(statement: Stmt, body: tuple[Stmt, ...], cite: tuple[str, ...]) -> Stmt:
    """The block with another body."""
    match statement:
        case If():
            return replace(statement, branches=(replace(statement.branches[0], body=body),), cite=cite)
        case _:
            changes: dict[str, object] = {"body": body, "cite": cite}
            return replace(statement, **changes)  # type: ignore[arg-type]  # a block has both
