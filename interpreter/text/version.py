"""Which tool this is, and which version of the language it reads. Saves, reports and `--version` name both."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
LANGUAGE: Final = 1
TOOL: Final = f"rulewright {VERSION}"
