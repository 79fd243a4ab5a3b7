"""What a YAML parser found wrong, to a sentence for an author.

In: the parser's words for the problem and its places. Out: one diagnostic. The parser's words are only used to tell cases apart.
"""

from __future__ import annotations

import re

from interpreter.text.diagnostic import Diagnostic, Related, Severity
from interpreter.text.source import Source, Span

# A value of one word and then the next key, of one word too, up to its colon. Words that begin a rule with a `:` are no values.
_RUN_ON = re.compile(
    r"[a-z0-9_]:[ \t]+(?!(?:have|may|either|or|if|when|after|try|with|repeat)\b)[^\s,:{}\[\]]+[ \t]+([a-z_][a-z0-9_]*)\Z"
)
_QUOTE = "put the whole text in quotes, or on lines of its own below a `|`"


def explain_yaml_error(source: Source, problem: str, context: str, at: int, began: int | None) -> Diagnostic:
    """The diagnostic for a problem at offset `at`, met in something that began at `began`."""
    text = source.text
    at = min(at, len(text))
    start = Span(source, began, min(began + 1, len(text))) if began is not None else None
    line_start = text.rfind("\n", 0, at) + 1
    before = text[line_start:at]
    if "mapping values are not allowed" in problem:
        return _colon(source, at, line_start)
    if "that cannot start any token" in problem:
        return _bad_start(source, at, before)
    if "could not find expected ':'" in problem:
        return _no_colon(source, at, began)
    if "escape" in problem:
        return _error(
            "bad-escape",
            Span(source, max(0, at - 1), min(at + 1, len(text))),
            "no character is written like this",
            help="write `\\\\` for a backslash, or use single quotes",
        )
    if "quoted scalar" in context and began is not None:
        return _error(
            "open-quote",
            Span(source, began, began + 1),
            "this quote is never closed",
            label="opened here",
            help="close it",
        )
    if "block scalar" in context:
        return _error(
            "quote-this", _word(source, at), "nothing may stand behind this `|`", help="begin the text on the next line"
        )
    if "but got" in problem and start is not None:
        return _in_brackets(source, at, start)
    if "<block end>" in problem or "not allowed here" in problem or "<document start>" in problem:
        return _out_of_place(source, at, line_start, before)
    if "alphabetic or numeric" in problem or "tag" in context or "directive" in context:
        return _error("quote-this", _word(source, at), "a text may not begin with this character", help=_QUOTE)
    return _error("yaml-syntax", _word(source, at), "this is not valid YAML", label="does not fit here", help=_QUOTE)


def _error(
    code: str, span: Span, message: str, *, label: str = "", help: str = "", related: tuple[Related, ...] = ()
) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, label, help, (), related)


def _word(source: Source, at: int) -> Span:
    """The word at an offset, or one character, or the end of the line before."""
    text = source.text
    if at >= len(text) or text[at] == "\n":
        while at > 0 and (at >= len(text) or text[at].isspace()):
            at -= 1
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return Span(source, at, max(end, min(at + 1, len(text))))


def _colon(source: Source, at: int, line_start: int) -> Diagnostic:
    """A `: ` where no key may end: nearly always inside a text on one line with its key."""
    line = source.text[line_start:at]
    if re.search(r"\S[^:]*:\s+\S", line) or re.match(r"\s*-\s+\S.*:\s", line):
        return _error("quote-this", Span(source, at, at + 1), "YAML ends the text before this `: `", help=_QUOTE)
    return _error(
        "indentation",
        Span(source, at, at + 1),
        "a key may not stand here",
        help="give this line the same indentation as the keys beside it",
    )


def _bad_start(source: Source, at: int, before: str) -> Diagnostic:
    char = source.text[at : at + 1]
    if char == "\t":
        place = "indentation is made of blanks" if not before.strip() else "a tab may not stand here"
        return _error("tab", Span(source, at, at + 1), place, label="tab", help="write blanks instead of the tab")
    return _error("quote-this", Span(source, at, at + 1), f"a text may not begin with `{char}`", help=_QUOTE)


def _no_colon(source: Source, at: int, began: int | None) -> Diagnostic:
    place = _word(source, at if began is None else began)
    end = source.text.find("\n", place.start)
    end = len(source.text) if end < 0 else end
    line = Span(source, place.start, place.start + len(source.text[place.start : end].rstrip()))
    return _error(
        "missing-colon",
        line,
        "a key and a `: ` were expected here",
        label="no `: ` in this line",
        help="write `key: value`; a text of several lines stands below a `|`, further in than its key",
    )


def _in_brackets(source: Source, at: int, start: Span) -> Diagnostic:
    opener = start.text()
    closer = "}" if opener == "{" else "]"
    if at >= len(source.text) or start.position()[0] != source.position(at)[0]:
        return _error(
            "open-bracket",
            start,
            f"this `{opener}` is never closed",
            label="opened here",
            help=f"write `{closer}` where it ends, or put a text that begins with `{opener}` in quotes",
        )
    run_on = _RUN_ON.search(source.text, start.start, at) if source.text[at] == ":" else None
    if run_on is not None:
        key = Span(source, run_on.start(1), run_on.end(1))
        return _error(
            "yaml-syntax",
            key,
            f"a `,` is missing before `{run_on.group(1)}`",
            label="begins the next entry",
            help=f"write `, {run_on.group(1)}: …`",
            related=(Related(start, "in the brackets opened here"),),
        )
    return _error(
        "quote-this",
        _word(source, at),
        f"a `,` or `{closer}` was expected before this",
        label="does not fit here",
        help="put texts with `,`, `:`, brackets or quotes in quotes as a whole",
        related=(Related(start, "in the brackets opened here"),),
    )


def _out_of_place(source: Source, at: int, line_start: int, before: str) -> Diagnostic:
    if before.strip() and re.search(r"[}\]\"'][ \t]*$", before):
        closed = re.search(r"([}\]\"'])[ \t]*$", before)
        mark = closed.group(1) if closed else ""
        return _error(
            "quote-this",
            _word(source, at),
            f"YAML ends the text at the `{mark}` before this",
            label="left over",
            help=_QUOTE,
        )
    return _error(
        "indentation",
        _word(source, at),
        "the indentation of this line fits nothing above",
        help="give entries of one list or section the same indentation",
    )
