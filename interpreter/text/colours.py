"""The colours that `show:` may name. What a terminal makes of them is the terminal's business."""

from __future__ import annotations

from typing import Final

COLOURS: Final = ("red", "blue", "yellow", "green", "black", "white", "purple", "brown", "orange", "grey", "cyan")
