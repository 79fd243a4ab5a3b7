"""Words that a reader of YAML, of whatever version, may take for something else than a text."""

from __future__ import annotations

from typing import Final

NO_TEXT: Final = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
