"""The terminal: where styled lines become colours, and where progress is shown. The only user of Rich.

In: `Line`s (layout.py), diagnostics (through text/render.py), a stream. Out: text on that stream. Whether there is colour, which
letters may be used and how wide a line may be is decided here once, in `decide`, from the flags and the environment, and Rich is
told the result. Sixteen-colour names are used, so that the reader's own theme has the last word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from interpreter.drivers.layout import Line, plain, to_ascii

When = Literal["auto", "always", "never"]

# Style words to colours. A seat's colour comes with its letter, a severity with its word: colour alone says nothing.
STYLES: Final = {
    "": "",
    "strong": "bold",
    "dim": "dim",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "good": "green",
    "code": "bold",
    "place": "cyan",
    "red": "red",
    "blue": "blue",
    "yellow": "yellow",
    "green": "green",
    "black": "bright_black",
    "white": "white",
    "purple": "magenta",
    "brown": "yellow",
    "orange": "bright_red",
    "grey": "bright_black",
    "cyan": "cyan",
}  # fmt: skip

SYMBOLS: Final = "●▲■◆★·…─│┌┐└┘├┤┬┴┼"


@dataclass(frozen=True, slots=True)
class Look:
    """What the stream and the reader can take; `height` is 0 where nobody knows."""

    color: bool
    ascii: bool
    width: int
    terminal: bool
    height: int = 0


def decide(when: When, ascii_only: bool, environment: Mapping[str, str], stream: TextIO) -> Look:
    """Colour, letters and width. An explicit `--color` wins over NO_COLOR, NO_COLOR over everything else."""
    terminal = stream.isatty()
    if when == "auto":
        refused = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
        color = terminal and not refused
    else:
        color = when == "always"
    encoding = stream.encoding or "ascii"
    try:
        SYMBOLS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        ascii_only = True
    ascii_only = ascii_only or _asks_for_ascii(environment)
    columns = environment.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and len(columns) < 10 and int(columns) > 0:
        width = int(columns)
    elif terminal:
        width = max(20, _terminal_size(stream).columns)
    else:
        width = 100
    return Look(color, ascii_only, width, terminal, _terminal_size(stream).lines if terminal else 0)


def _asks_for_ascii(environment: Mapping[str, str]) -> bool:
    """Whether the locale is said to be C. Python writes UTF-8 there all the same, which such a terminal may not show."""
    if environment.get("PYTHONIOENCODING") or environment.get("PYTHONUTF8"):
        return False
    locale = next((said for key in ("LC_ALL", "LC_CTYPE", "LANG") if (said := environment.get(key))), "")
    return locale in ("C", "POSIX")


def _terminal_size(stream: TextIO) -> os.terminal_size:
    try:
        return os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return os.terminal_size((80, 0))


class Screen:
    """Prints lines on one stream."""

    def __init__(self, stream: TextIO, look: Look) -> None:
        self.look = look
        self._stream = stream
        self._console = Console(
            file=stream,
            force_terminal=look.color,
            color_system="standard" if look.color else None,
            no_color=not look.color,
            width=look.width,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=True,
            legacy_windows=False,
        )

    def say(self, text: str = "") -> None:
        """Plain text, as it is."""
        self._write(text + "\n")

    def show(self, lines: Iterable[Line]) -> None:
        """Styled lines."""
        for pieces in lines:
            if not self.look.color:
                self._write(plain([pieces]) + "\n")
                continue
            text = Text()
            for words, style in pieces:
                text.append(to_ascii(words) if self.look.ascii else words, STYLES.get(style, ""))
            text.rstrip()
            self._console.print(text, soft_wrap=True)

    def clear(self) -> None:
        """An empty screen, scrollback included, where there is a terminal; a line elsewhere."""
        self._write("\x1b[2J\x1b[3J\x1b[H" if self.look.terminal and self.look.color else "-" * 60 + "\n")

    def ask(self, prompt: str) -> str | None:
        """A line from standard input without its end; None when there is no more."""
        self._write(prompt)
        self.flush()
        answer = sys.stdin.readline()
        if not sys.stdin.isatty():
            self._write(answer if answer.endswith("\n") else answer + "\n")
        return answer.rstrip("\r\n") if answer else None

    def flush(self) -> None:
        """Everything printed so far is on its way."""
        self._stream.flush()

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[[int, str], None]]:
        """A bar on stderr while something long runs, if that is a terminal; call with what is done and a few words."""
        if total <= 0 or not sys.stderr.isatty():
            yield lambda _done, _words: None
            return
        console = Console(file=sys.stderr, no_color=not self.look.color, highlight=False, emoji=False)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, TextColumn("{task.fields[words]}"), console=console, transient=True) as bar:
            task = bar.add_task(label, total=total, words="")
            yield lambda done, words: bar.update(task, completed=done, words=words)

    def _write(self, text: str) -> None:
        self._stream.write(to_ascii(text) if self.look.ascii else text)
