"""A file to located YAML. The only user of PyYAML, and the first line of defence against files from strangers.

In: a path or a `Source`. Out: `Located` values, each with its span, each scalar with the file offset of each of its characters, or
None; what is wrong goes to the sink. The parser's events are read one by one, so nothing is built before it is checked and nothing is
recursive. Offsets are computed from the raw text and compared with what the YAML parser read: where the two differ, or where a style
makes places vague (folded blocks), the author is told how to write it.
Only YAML 1.2's truth values and whole numbers are special; dates, fractions and the like stay text. Not done here: which keys a
section may have (`schema_check.py`), and what a text means (`document.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import yaml

from interpreter.syntax.located import Entry, Located, Mapping, Scalar, Sequence
from interpreter.syntax.yaml_messages import explain_yaml_error
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.limits import BYTES, DIGITS, LEVELS
from interpreter.text.source import MappedText, Source, Span

MOD_BEGINS: Final = "a mod begins with `mod: {id: …, version: …, for: …}`"
_BOM = "\ufeff"
_SURPRISES = frozenset(
    ["yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "True", "TRUE", "False", "FALSE"]
)
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_WHOLE = re.compile(r"[-+]?[0-9]+")


# ------------------------------------------------------------------ files
def read_source(path: Path, sink: Sink, name: str | None = None, origin: str = "base") -> Source | None:
    """The text of a file, its line ends made one and its characters composed; None with a diagnostic if it cannot be read as text."""
    shown = name or str(path)
    empty = Source(shown, "", origin)
    here = Span(empty, 0, 0)
    try:
        if path.exists() and not path.is_file():
            what, help = ("a folder", "name a file in it") if path.is_dir() else ("a device or a pipe", "")
            sink.error("not-a-file", here, f"`{shown}` is {what}, not a file", help=help)
            return None
        with path.open("rb") as file:
            content = file.read(BYTES.most + 1)
    except FileNotFoundError:
        sink.error("no-such-file", here, f"there is no file `{shown}`")
        return None
    except OSError as problem:
        sink.error(
            "unreadable-file", here, f"`{shown}` cannot be read: {(problem.strerror or 'unknown reason').lower()}"
        )
        return None
    if len(content) > BYTES.most:
        sink.error(
            "file-too-big",
            here,
            f"`{shown}` is larger than {BYTES.most // 1_000_000} MB",
            help="split it, or leave data out",
        )
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        what = "a binary file" if b"\0" in content else f"not UTF-8 text (byte {problem.start + 1})"
        sink.error("not-text", here, f"`{shown}` is {what}", help="save it as UTF-8 text")
        return None
    if "\0" in text:
        sink.error("not-text", here, f"`{shown}` is a binary file", help="save it as UTF-8 text")
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Source(shown, unicodedata.normalize("NFC", text), origin)


def load_yaml(source: Source, sink: Sink) -> Located | None:
    """The one document of a source; None if it cannot be read. Several findings where the file's structure allows to go on."""
    text = source.text
    if len(text) > BYTES.most:
        sink.error("file-too-big", Span(source, 0, 0), f"`{source.name}` is larger than {BYTES.most // 1_000_000} MB")
        return None
    skip = 1 if text.startswith(_BOM) else 0
    if (bad := _FORBIDDEN.search(text, skip)) is not None:
        _tell_bad_character(Span(source, bad.start(), bad.end()), bad.group(), sink)
        return None
    found = Sink()
    tree = _Composer(source, skip, found)
    try:
        tree.read(_events(text[skip:]))
    except yaml.MarkedYAMLError as problem:
        began = problem.context_mark.index + skip if problem.context_mark is not None else None
        at = problem.problem_mark.index + skip if problem.problem_mark is not None else began or 0
        line = source.position(at)[0]
        if not any(d.code == "quote-this" and d.span.position()[0] == line for d in found.diagnostics):
            found.add(explain_yaml_error(source, problem.problem or "", problem.context or "", at, began))
        tree.root = None
    except _Refused:
        tree.root = None
    else:
        if tree.root is None and not found.has_errors:
            begins = MOD_BEGINS if source.origin == "mod" else "a game begins with `game:`"
            found.error("empty-file", Span(source, 0, 0), f"`{source.name}` holds nothing", help=begins)
    sink.extend(found.diagnostics)
    return tree.root


def _tell_bad_character(span: Span, char: str, sink: Sink) -> None:
    if char == "\0" and span.text() == char:
        sink.error("not-text", span, f"`{span.source.name}` is a binary file", help="save it as UTF-8 text")
        return
    name = unicodedata.name(char, "").lower() or f"the character U+{ord(char):04X}"
    sink.error(
        "bad-character", span, f"{name} may not stand in a text", label="invisible or reserved", help="delete it"
    )


def _events(text: str) -> Iterator[yaml.Event]:
    """The parser's events: from the C parser where there is one; its errors are those of the Python parser, so that wording is one."""
    fast = getattr(yaml, "CSafeLoader", None)
    if fast is None:
        yield from yaml.parse(text, Loader=yaml.SafeLoader)
        return
    done = 0
    try:
        for event in yaml.parse(text, Loader=fast):
            done += 1
            yield event
    except yaml.YAMLError:
        for number, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader), start=1):
            if number > done:
                yield event


# ------------------------------------------------------------------ the tree
class _Marked(Protocol):
    """What the marks of both parsers have."""

    index: int


class _Refused(Exception):
    """A finding after which reading on makes no sense; it has been told."""


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come yet."""

    start: int
    flow: bool
    is_mapping: bool
    entries: list[Entry] = field(default_factory=list)
    items: list[Located] = field(default_factory=list)
    key: Scalar | None = None
    keys: dict[str | int, Span] = field(default_factory=dict)


class _Composer:
    """Events to one tree, with a stack of its own."""

    def __init__(self, source: Source, skip: int, sink: Sink) -> None:
        self.source = source
        self.skip = skip
        self.sink = sink
        self.root: Located | None = None
        self.stack: list[_Open] = []
        self.documents = 0

    def read(self, events: Iterator[yaml.Event]) -> None:
        """Reads all events, or stops with `_Refused`."""
        for event in events:
            match event:
                case yaml.DocumentStartEvent():
                    self.documents += 1
                    if self.documents > 1:
                        self.refuse("several-documents", event, "a file holds one document", "remove `---`")
                    if event.tags:
                        self.refuse("yaml-tag", event, "tags are not used here", "remove the `%TAG` line")
                case yaml.AliasEvent():
                    self.refuse("yaml-alias", event, "aliases are not used here", "write the value out again")
                case yaml.ScalarEvent():
                    self.check_properties(event, event.tag)
                    self.take(self.scalar(event))
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self.check_properties(event, event.tag)
                    self.open(event, isinstance(event, yaml.MappingStartEvent))
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self.close(event)

    def at(self, mark: yaml.Mark | _Marked | None) -> int:
        return mark.index + self.skip if mark is not None else 0

    def span(self, event: yaml.Event) -> Span:
        return Span(self.source, self.at(event.start_mark), self.at(event.end_mark))

    def refuse(self, code: str, event: yaml.Event, message: str, help: str) -> None:
        start = self.at(event.start_mark)
        end = max(
            start + 1, min(self.at(event.end_mark), self.source.text.find("\n", start) % (len(self.source.text) + 1))
        )
        self.sink.error(code, Span(self.source, start, end), message, help=help)
        raise _Refused

    def check_properties(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, tag: str | None) -> None:
        if event.anchor is not None:
            self.refuse("yaml-alias", event, "anchors are not used here", f"remove `&{event.anchor}`")
        if tag is not None:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            self.refuse("yaml-tag", event, "tags are not used here", f"remove `{shown}`")

    # -------------------------------------------------------------- collections
    def open(self, event: yaml.CollectionStartEvent, is_mapping: bool) -> None:
        if len(self.stack) >= LEVELS.most:
            self.refuse("too-deep", event, f"nesting is deeper than {LEVELS.most} levels", "take inner parts out")
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.is_mapping and parent.key is None:
            self.refuse(
                "bad-key", event, "a key is a word or a number", "put a text that begins with `{` or `[` in quotes"
            )
        self.stack.append(_Open(self.at(event.start_mark), bool(event.flow_style), is_mapping))

    def close(self, event: yaml.Event) -> None:
        top = self.stack.pop()
        last = top.entries[-1].value.span.end if top.entries else top.items[-1].span.end if top.items else top.start
        end = self.at(event.end_mark) if top.flow else last
        span = Span(self.source, top.start, max(top.start, end))
        self.take(Mapping(span, tuple(top.entries)) if top.is_mapping else Sequence(span, tuple(top.items)))

    def take(self, value: Located) -> None:
        """Puts a finished value where it belongs."""
        if not self.stack:
            self.root = None if isinstance(value, Scalar) and value.value is None else value
            return
        top = self.stack[-1]
        if not top.is_mapping:
            top.items.append(value)
            return
        if top.key is None:
            assert isinstance(value, Scalar)  # `open` refuses any other key
            top.key = value
            return
        key, top.key = top.key, None
        self.enter(top, key, value)

    def enter(self, top: _Open, key: Scalar, value: Located) -> None:
        name = key.value
        if isinstance(name, bool) or name is None:
            self.sink.error(
                "bad-key", key.span, "a key is a word or a number", help="put it in quotes, or choose another word"
            )
            return
        if top.flow and self.is_cut_off(top, key, value):
            return
        if name in top.keys:
            self.sink.error(
                "duplicate-key",
                key.span,
                f"`{name}` stands here twice",
                label="second",
                help="remove one, or give it another name",
                related=(Related(top.keys[name], "first"),),
            )
            return
        top.keys[name] = key.span
        top.entries.append(Entry(name, key.span, value))

    def is_cut_off(self, top: _Open, key: Scalar, value: Located) -> bool:
        """Whether a key without `:` stands in `{ }`: most likely the rest of a text that a comma cut in two."""
        if not isinstance(value, Scalar) or value.value is not None or value.span.start != value.span.end:
            return False
        rest = self.source.text[key.span.end :].lstrip()
        if rest.startswith(":"):
            return False
        if not top.entries:
            self.sink.error(
                "quote-this",
                Span(self.source, top.start, key.span.end),
                "YAML reads a text that begins with `{` as keys and values",
                help="put the whole text in quotes",
            )
            return True
        before = self.source.text.rfind(",", top.start, key.span.start)
        place = Span(self.source, before, before + 1) if before >= 0 else key.span
        self.sink.error(
            "quote-this",
            place,
            "YAML ends the text before this `,`",
            label=f"`{key.value}` is read as a key of its own",
            help="put the whole text in quotes",
        )
        return True

    # -------------------------------------------------------------- scalars
    def scalar(self, event: yaml.ScalarEvent) -> Scalar:
        span = self.span(event)
        text, style = str(event.value), event.style or ""
        if style == ">":
            self.refuse("folded-text", event, "a text after `>` loses its lines", "write `|` instead of `>`")
        offsets = _offsets(self.source.text, span.start, span.end, text, style)
        if offsets is None:
            self.refuse("unclear-text", event, "the places in this text cannot be told", "write it below a `|`")
            raise _Refused
        if style == "|":
            span = Span(self.source, span.start, offsets[-1])
        if style == '"' and (bad := _FORBIDDEN.search(text)) is not None:
            at = offsets[bad.start()]
            _tell_bad_character(Span(self.source, at, offsets[bad.end()]), bad.group(), self.sink)
        mapped = MappedText(text, self.source, offsets)
        return Scalar(span, text if style else self.plain_value(text, span), mapped)

    def plain_value(self, text: str, span: Span) -> str | int | bool | None:
        """A word without quotes: a truth value, a whole number, nothing, or a text."""
        if text in _NULLS:
            return None
        if text in ("true", "false"):
            return text == "true"
        if text in _SURPRISES:
            truth = "true" if text.lower() in ("yes", "on", "true") else "false"
            self.sink.error(
                "surprising-truth",
                span,
                f"`{text}` means {truth} to some YAML readers and a word to others",
                help=f'write `{truth}`, or `"{text}"` for the word',
            )
            return text
        if _WHOLE.fullmatch(text):
            if len(text.lstrip("+-").lstrip("0")) > DIGITS.most:
                self.sink.error("number-too-big", span, f"a number has at most {DIGITS.most} digits")
                return 0
            return int(text)
        return text


# ------------------------------------------------------------------ where each character stands
def _offsets(raw: str, start: int, end: int, value: str, style: str) -> tuple[int, ...] | None:
    """The file offset of each character of a scalar and of its end; None if that cannot be told."""
    if style == "|":
        return _literal_offsets(raw, start, end, value)
    quoted = style in ("'", '"')
    first, last = (start + 1, end - 1) if quoted else (start, end)
    if raw[first:last] == value:  # escapes and folding only ever shorten
        return tuple(range(first, last + 1))
    chars: list[str] = []
    offsets: list[int] = []
    for char, offset in _folded(raw, first, last, style):
        chars.append(char)
        offsets.append(offset)
    if "".join(chars) != value:
        return None
    return (*offsets, last)


def _literal_offsets(raw: str, start: int, end: int, value: str) -> tuple[int, ...] | None:
    """Lines of the value are ends of lines of the file; the first line below the header is the first."""
    at = raw.find("\n", start)
    if at < 0:
        return (len(raw),) if not value else None
    at += 1
    offsets: list[int] = []
    lines = value.split("\n")
    for number, line in enumerate(lines):
        if number == len(lines) - 1 and not line:
            break
        stop = raw.find("\n", at)
        stop = len(raw) if stop < 0 else stop
        content = stop - 1 if stop > at and raw[stop - 1] == "\r" else stop
        begin = content - len(line)
        if begin < at or raw[begin:content] != line or raw[at:begin].strip(" "):
            return None
        offsets.extend(range(begin, content))
        if number < len(lines) - 1:
            offsets.append(content)
        at = stop + 1
    return (*offsets, offsets[-1] + 1 if offsets else min(at, len(raw)))


_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "\\": "\\",
    "/": "/",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_ESCAPE_DIGITS = {"x": 2, "u": 4, "U": 8}


def _folded(raw: str, at: int, end: int, style: str) -> Iterator[tuple[str, int]]:
    """The characters of a plain or quoted scalar with their offsets: escapes undone, line breaks folded."""
    while at < end:
        char = raw[at]
        if char in " \t\n\r":
            stop = at
            while stop < end and raw[stop] in " \t\n\r":
                stop += 1
            yield from _folded_blank(raw, at, stop)
            at = stop
        elif style == "'" and char == "'":
            yield "'", at
            at += 2
        elif style == '"' and char == "\\":
            escape = raw[at + 1] if at + 1 < end else ""
            digits = _ESCAPE_DIGITS.get(escape)
            if digits is not None:
                yield chr(int(raw[at + 2 : at + 2 + digits], 16)), at
                at += 2 + digits
            elif escape in "\r\n":
                at = yield from _joined_lines(raw, at + 1, end)
            else:
                yield _ESCAPES[escape], at
                at += 2
        else:
            yield char, at
            at += 1


def _breaks(raw: str, at: int, end: int) -> list[int]:
    """Where lines end between two offsets; the two characters of CR LF are one end."""
    return [i for i in range(at, end) if (raw[i] == "\n" and (i == 0 or raw[i - 1] != "\r")) or raw[i] == "\r"]


def _folded_blank(raw: str, at: int, end: int) -> Iterator[tuple[str, int]]:
    """Blanks inside a line stay; around a line end they go, one line end is a blank, each further one a line end."""
    breaks = _breaks(raw, at, end)
    if not breaks:
        for index in range(at, end):
            yield raw[index], index
    elif len(breaks) == 1:
        yield " ", breaks[0]
    else:
        for index in breaks[1:]:
            yield "\n", index


def _joined_lines(raw: str, at: int, end: int) -> Generator[tuple[str, int], None, int]:
    """Behind a backslash at the end of a line: that line end and the blanks below it are nothing, further line ends stay."""
    stop = at
    while stop < end and raw[stop] in " \t\n\r":
        stop += 1
    for index in _breaks(raw, at, stop)[1:]:
        yield "\n", index
    return stop
