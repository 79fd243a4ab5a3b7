"""DSL text with its places in the file to nodes. The only user of Lark.

In: a `MappedText` and a sink. Out: nodes whose spans are exact in the file, or None. After a mistake in one statement the rest of the
text is still read, so that one run reports several. Lark's own words never reach anybody: `syntax_messages` explains what went wrong.
Lark's tables are kept in the user's cache folder, named by a digest of the grammar and of the versions, written atomically, with a
checksum in front; a damaged or unreadable file is made again in silence.
The lexer is our own, made from the grammar's terminals with a single pattern: a word is a word of the language only where the parser
can use it, newlines and indentation become tokens, and what could make trees too deep is counted before there are any.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import lark
from lark.common import LexerConf
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer, PatternStr, Token
from lark.parsers.lalr_analysis import Shift
from lark.parsers.lalr_parser_state import ParserState

from interpreter import sealed
from interpreter.paths import cache_dir, grammar_text
from interpreter.syntax.nodes import Decl, Either, Expr, Func, GraphLine, Modifier, Stmt, TriggerNode, TypeText
from interpreter.syntax.syntax_messages import Mistake, explain_mistake
from interpreter.syntax.tree_builder import CitedExpr, Misshapen, TreeBuilder, Word
from interpreter.text.diagnostic import Sink
from interpreter.text.limits import BRACKETS, DEEPENING, DIGITS, INDENTS
from interpreter.text.source import MappedText

_STARTS = ["components", "graph", "functions", "rules", "formula", "taken", "trigger", "modifier", "options"]
_MAX_TOLD = 20  # mistakes of one text
_MAX_LOOK_INSIDE = 8  # blocks in blocks that are looked at line by line after a mistake
_DEEPENING = frozenset(
    (
        "NOT",
        "MINUS",
        "PLUS",
        "STAR",
        "SLASH",
        "MOD",
        "ELSE",
        "OTHERWISE",
        "OR",
        "AND",
        "IF",
        "CAN",
        "COLON",
        "LPAR",
        "LSQB",
        "LBRACE",
        "DOTTED",
    )
)
_FREE_WORDS = frozenset(  # words of components and graphs alone
    (
        *("a", "the", "one", "has", "plural", "printed", "table", "seen", "gained", "paid", "refilled"),
        *("effect", "formula", "order", "group", "deck", "row", "grid", "without"),
        *("rising", "falling", "diagonals"),
    )
)
_OPEN = frozenset(("LPAR", "LSQB", "LBRACE"))
_CLOSE = frozenset(("RPAR", "RSQB", "RBRACE"))


@dataclass(slots=True, eq=False)
class _Stretch:
    """The part of a text to be parsed, and the words met so far."""

    mapped: MappedText
    start: int
    end: int
    start_rule: str = ""
    words: list[Word] = field(default_factory=list)


class _Unreadable(Exception):
    """A mistake that shows before the grammar is asked."""

    def __init__(self, kind: str, word: Word) -> None:
        super().__init__(kind)
        self.kind = kind
        self.word = word


class _RulesLexer(Lexer):
    """Words, line ends and indentation of one stretch."""

    __future_interface__ = 2

    def __init__(self, lexer_conf: LexerConf, parser_state: object = None) -> None:
        self.keywords: dict[str, str] = {}
        symbols: dict[str, str] = {}
        patterns: list[tuple[int, str, str]] = []
        for terminal in lexer_conf.terminals:
            pattern = terminal.pattern
            if isinstance(pattern, PatternStr):
                (self.keywords if pattern.value.isalpha() else symbols)[pattern.value] = terminal.name
            else:
                patterns.append((-terminal.priority, terminal.name, pattern.value))
        self.symbols = symbols
        parts = [f"(?P<{name}>{text})" for _, name, text in sorted(patterns)]
        parts.append("(?P<SYMBOL>" + "|".join(re.escape(s) for s in sorted(symbols, key=lambda s: (-len(s), s))) + ")")
        self.pattern = re.compile("|".join(parts))

    def lex(self, lexer_state: Any, parser_state: ParserState[Any]) -> Iterator[Token]:
        """Yields our own words, which have all that the parser asks of a token."""
        return cast("Iterator[Token]", self._words(lexer_state.text, parser_state))

    def _words(self, stretch: _Stretch, parser_state: ParserState[Any]) -> Iterator[Word]:
        mapped, symbols, met = stretch.mapped, self.symbols, stretch.words
        text, position, end = mapped.text, stretch.start, stretch.end
        states, stack = parser_state.parse_conf.states, parser_state.state_stack
        match, open_brackets, deepening = self.pattern.match, 0, 0
        indents: list[int] | None = None
        while position < end:
            found = match(text, position, end)
            if found is None:
                raise _Unreadable("character", Word("?", text[position], position, position + 1, mapped))
            kind, value, here, position = cast(str, found.lastgroup), found.group(), position, found.end()
            if kind in ("BLANK", "COMMENT", "_JOIN"):
                continue
            if kind == "_NL":
                if open_brackets or indents is None:
                    continue
                word = Word(kind, value, here, position, mapped)
                met.append(word)
                yield word
                if position < end:
                    yield from self._indentation(indents, word)
                deepening = 0
                continue
            if kind == "NAME":
                kind = self._kind_of_word(value, states[stack[-1]], stretch)
                if kind == "NAME" and value in ("my", "the", "an"):
                    raise _Unreadable(
                        "character" if value == "my" else "article", Word(value, value, here, position, mapped)
                    )
            elif kind == "SYMBOL":
                kind = symbols[value]
            word = Word(kind, value, here, position, mapped)
            if indents is None:
                line_start = text.rfind("\n", 0, here) + 1
                indents = [_columns(text[line_start:here]) if not text[line_start:here].strip() else 0]
            if kind in _DEEPENING:
                deepening += 1
                if deepening > DEEPENING.most:
                    raise _Unreadable("deep", word)
            if kind in _OPEN:
                open_brackets += 1
                if open_brackets > BRACKETS.most:
                    raise _Unreadable("deep", word)
            elif kind in _CLOSE:
                open_brackets = max(0, open_brackets - 1)
            elif kind == "INT" and len(value) > DIGITS.most:
                raise _Unreadable("number", word)
            met.append(word)
            yield word
        if met and met[-1].type != "_NL":
            word = Word("_NL", "", end, end, mapped)
            met.append(word)
            yield word
        for _ in (indents or [0])[1:]:
            yield Word("_DEDENT", "", end, end, mapped)

    def _kind_of_word(self, value: str, accepted: Any, stretch: _Stretch) -> str:
        """A word of the language where the parser can use one, or where it may not be a name either; else a name."""
        keyword = self.keywords.get(value)
        if keyword is None or (
            keyword not in accepted and "NAME" in accepted and not self._is_taken(value, accepted, stretch)
        ):
            return "NAME"
        return keyword

    def _is_taken(self, value: str, accepted: Any, stretch: _Stretch) -> bool:
        """Whether a word of the language may not be a name here. Labels and the names of fields are free: nothing else reads them bare."""
        if value in _FREE_WORDS:
            return False
        line: list[str] = []
        for word in reversed(stretch.words):
            if word.type == "_NL":
                break
            line.append(word.value)
        if stretch.start_rule == "components":
            return bool({":", "is", "has"} & set(line))
        if stretch.start_rule == "options" and not stretch.words:
            return False
        return not line or line[0] not in ("may", "either", "or", "end") or "LPAR" in accepted

    def _indentation(self, indents: list[int], line_end: Word) -> Iterator[Word]:
        """The tokens for the indentation behind a line end."""
        value = line_end.value
        column = _columns(value[value.rfind("\n") + 1 :])
        at = line_end.end_pos
        if column > indents[-1]:
            if len(indents) > INDENTS.most:
                raise _Unreadable("deep", Word("_INDENT", "", at, at + 1, line_end.text))
            indents.append(column)
            yield Word("_INDENT", "", at, at, line_end.text)
            return
        while column < indents[-1]:
            indents.pop()
            yield Word("_DEDENT", "", at, at, line_end.text)
        if column != indents[-1]:
            raise _Unreadable("indentation", Word("_DEDENT", "", at, at + 1, line_end.text))


def _columns(blank: str) -> int:
    """How wide a line's indentation is; a tab goes to the next multiple of 8."""
    return len(blank.expandtabs(8))


# ------------------------------------------------------------------ the tables
def _digest(grammar: str) -> str:
    parts = (grammar, lark.__version__, sys.version, "1")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _build(grammar: str) -> lark.Lark:
    return lark.Lark(
        grammar,
        parser="lalr",
        lexer=_RulesLexer,
        start=_STARTS,
        keep_all_tokens=True,
        maybe_placeholders=True,
        transformer=TreeBuilder(),
    )


def _load(path: Path) -> lark.Lark | None:
    """The parser kept in a file, if the file is whole."""
    tables = sealed.read(path)
    if tables is None:
        return None
    inst = lark.Lark.__new__(lark.Lark)
    return inst._load(BytesIO(tables), transformer=TreeBuilder())


def _save(parser: lark.Lark, path: Path) -> None:
    """Keep the parser's tables; where the folder cannot be written, they are simply made again next time."""
    buffer = BytesIO()
    parser.save(buffer, exclude_options=["transformer"])
    sealed.write(path, buffer.getvalue())


@cache
def _parser() -> lark.Lark:
    """The one parser, from the cache folder or built. It holds no state between texts."""
    grammar = grammar_text()
    path = cache_dir() / f"grammar-{_digest(grammar)[:32]}.tables"
    parser = _load(path)
    if parser is None:
        parser = _build(grammar)
        _save(parser, path)
    return parser


@cache
def _written() -> dict[str, str]:
    """Names of terminals to the words and marks they stand for."""
    return {t.name: t.pattern.value for t in _parser().terminals if isinstance(t.pattern, PatternStr)}


# ------------------------------------------------------------------ parsing
def _attempt(start: str, stretch: _Stretch) -> object:
    """The tree of a stretch, or the mistake in it."""
    mapped = stretch.mapped
    stretch.start_rule = start
    try:
        return _parser().parse(cast(str, stretch), start=start)
    except Misshapen as shape:
        return shape
    except _Unreadable as unreadable:
        return Mistake(start, unreadable.kind, stretch.words, unreadable.word, frozenset())
    except UnexpectedInput as unexpected:
        token = getattr(unexpected, "token", None)
        word = token if isinstance(token, Word) else Word("$END", "", stretch.end, stretch.end, mapped)
        written = _written()
        expected = frozenset(written.get(name, name) for name in _acceptable(getattr(unexpected, "state", None)))
        return Mistake(start, "word", stretch.words, word, expected)


def _acceptable(state: object) -> set[str]:
    """The terminals that could have come next. The automaton is run on a copy of its states, without building anything."""
    if not isinstance(state, ParserState):
        return set()
    table, found = state.parse_conf.states, set[str]()
    for name in table[state.state_stack[-1]]:
        if not name.isupper():
            continue
        stack = list(state.state_stack)
        while (step := table[stack[-1]].get(name)) is not None:
            action, argument = step
            if action is Shift:
                found.add(name)
                break
            if argument.expansion:
                del stack[-len(argument.expansion) :]
            stack.append(table[stack[-1]][argument.origin.name][1])
    return found


def _parse(start: str, text: MappedText, sink: Sink) -> object | None:
    """The tree of a whole text; None if nothing of it could be read. What is wrong goes to the sink."""
    stretch = _Stretch(text, 0, len(text.text))
    if not text.text.strip():
        sink.error("empty-text", text.span(0, len(text.text)), "nothing is written here", label="empty")
        return None
    found = _attempt(start, stretch)
    if not isinstance(found, Misshapen | Mistake):
        return found
    read: list[object] = []
    told = Sink()
    if start in ("components", "graph", "functions", "rules"):
        for piece in _pieces(text, 0, len(text.text)):
            read.extend(_recover(start, piece, told, 0))
            if len(told.diagnostics) >= _MAX_TOLD:
                break
    if not told.has_errors:
        _tell(found, told)
    sink.extend(told.diagnostics)
    return tuple(read) or None


def _tell(found: Misshapen | Mistake, sink: Sink) -> None:
    """Reports a mistake."""
    if isinstance(found, Mistake):
        sink.add(explain_mistake(found))
    else:
        sink.error(found.code, found.span, found.message, help=found.help)


def _recover(start: str, piece: _Stretch, sink: Sink, depth: int) -> tuple[object, ...]:
    """What can be read of one sentence with its block. A block's lines are looked at one by one, unless its first line is wrong alone."""
    found = _attempt(start, piece)
    if not isinstance(found, Misshapen | Mistake):
        return cast("tuple[object, ...]", found)
    told = Sink()
    body = piece.mapped.text.find("\n", piece.start, piece.end)
    if start == "rules" and body >= 0 and depth < _MAX_LOOK_INSIDE:
        for inner in _pieces(piece.mapped, body + 1, piece.end):
            _recover(start, inner, told, depth + 1)
            if len(told.diagnostics) >= _MAX_TOLD:
                break
    where = found.word.start_pos if isinstance(found, Mistake) else 0
    if not told.has_errors or (isinstance(found, Mistake) and where <= body):
        _tell(found, told)
    sink.extend(told.diagnostics)
    return ()


_CONTINUES = re.compile(r"[ \t]*((where|and|favouring|by|otherwise|or)\b|\+|[)\]}]|#|\r?$)")


def _pieces(mapped: MappedText, start: int, end: int) -> Iterator[_Stretch]:
    """The sentences of a text: a line, and all lines that are further in, continue it, or belong to it."""
    text, first, base, at = mapped.text, -1, 0, start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop + 1
        line = text[at:stop].rstrip("\n")
        indent = _columns(line[: len(line) - len(line.lstrip(" \t"))])
        if line.strip() and not line.lstrip().startswith("#"):
            if first < 0:
                first, base = at, indent
            elif indent <= base and not _CONTINUES.match(line):
                yield _Stretch(mapped, first, at)
                first, base = at, indent
        at = stop
    if first >= 0:
        yield _Stretch(mapped, first, end)


def parse_components(text: MappedText, sink: Sink) -> tuple[Decl, ...] | None:
    """The declarations of a `components` text."""
    return cast("tuple[Decl, ...] | None", _parse("components", text, sink))


def parse_graph(text: MappedText, sink: Sink) -> tuple[GraphLine, ...] | None:
    """The lines of a graph."""
    return cast("tuple[GraphLine, ...] | None", _parse("graph", text, sink))


def parse_functions(text: MappedText, sink: Sink) -> tuple[Func, ...] | None:
    """The functions of a `functions` text."""
    return cast("tuple[Func, ...] | None", _parse("functions", text, sink))


def parse_rules(text: MappedText, sink: Sink) -> tuple[Stmt, ...] | None:
    """Statements."""
    return cast("tuple[Stmt, ...] | None", _parse("rules", text, sink))


def parse_options(text: MappedText, sink: Sink) -> Either | None:
    """Options of an `either`, without that word, as a choice of their own."""
    return cast("Either | None", _parse("options", text, sink))


def parse_cited_formula(text: MappedText, sink: Sink) -> tuple[Expr, tuple[str, ...]] | None:
    """One expression and the clauses cited behind it."""
    found = cast("CitedExpr | None", _parse("formula", text, sink))
    return (found.value, found.cite) if found else None


def parse_formula(text: MappedText, sink: Sink) -> Expr | None:
    """One expression."""
    found = parse_cited_formula(text, sink)
    return found[0] if found else None


def parse_type(text: MappedText, sink: Sink) -> TypeText | None:
    """A type with its default, as `takes:` and `type:` hold it."""
    return cast("TypeText | None", _parse("taken", text, sink))


def parse_trigger(text: MappedText, sink: Sink) -> TriggerNode | None:
    """One trigger."""
    return cast("TriggerNode | None", _parse("trigger", text, sink))


def parse_modifier(text: MappedText, sink: Sink) -> Modifier | None:
    """One modifier."""
    return cast("Modifier | None", _parse("modifier", text, sink))


@cache
def reserved_words() -> frozenset[str]:
    """The words of the language that may not name anything."""
    words = {
        t.pattern.value for t in _parser().terminals if isinstance(t.pattern, PatternStr) and t.pattern.value.isalpha()
    }
    return frozenset(words - _FREE_WORDS | {"my"})
