"""How the command ends: 0 is done, 1 findings, 2 a mistake in the command line, 3 a game that could not go on, 4 a fault of the
interpreter, 130 an interruption. Whatever ends with another code than 0 has said at least a line on stderr."""

from __future__ import annotations

from typing import Final

FINDINGS: Final = 1
USAGE: Final = 2
STOPPED: Final = 3
BUG: Final = 4
INTERRUPTED: Final = 130
