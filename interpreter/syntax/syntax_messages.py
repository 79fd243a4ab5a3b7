"""Malformed DSL text to a sentence for its author.

In: a `Mistake`, that is the words up to the one in the way and what could have stood there. Out: one diagnostic. The cases are tried in
order, the particular before the general; the last one always answers. No word of the parser's library gets out of here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from interpreter.syntax.tree_builder import Word
from interpreter.text.diagnostic import Diagnostic, Related, Severity
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

# The classes of words that the grammar has, in the words of a reader. What is not here is a word or a mark that stands for itself.
CLASSES: Final = {
    "NAME": "a name",
    "INT": "a number",
    "TEXT": "a text in quotes",
    "CITE": "a citation",
    "_NL": "the end of the line",
}
_SILENT: Final = frozenset(("DOTTED", "MINE", "_INDENT", "_DEDENT", "CITE", "TEXT"))
_VALUE_STARTS: Final = frozenset(
    ("NAME", "INT", "MINE", "(", "{", "-", "true", "false", "nothing", "me", "this", "can", "not")
)
_OPERATORS: Final = frozenset(
    ("+", "-", "*", "/", "mod", "..", "=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or", "else", "(", "[")
)
_COMPARISONS: Final = frozenset(("=", "!=", "<", "<=", ">", ">="))
_QUERIES: Final = frozenset(("any", "no", "first", "all", "only", "number", "sum", "highest", "lowest", "if"))
_BLOCKS: Final = frozenset(
    (
        "for",
        "have",
        "may",
        "repeat",
        "all",
        "with",
        "assign",
        "take",
        "if",
        "otherwise",
        "either",
        "or",
        "try",
        "when",
        "after",
    )
)
_STATEMENTS: Final = (
    "gain",
    "pay",
    "put",
    "remove",
    "move",
    "set",
    "raise",
    "lower",
    "let",
    "choose",
    "draw",
    "deal",
    "perform",
    "require",
    "end",
    "for",
    "have",
    "may",
    "repeat",
    "all",
    "with",
    "assign",
    "take",
    "if",
    "either",
    "try",
)
_AFTER_A_NAME: Final = re.compile(r"[ \t]+(and|or|in|not|mod|else|where|with|by|then|otherwise|from|to|on|is)\b")
_OTHER_WORDS: Final = {
    "get": "gain",
    "receive": "gain",
    "take": "gain",
    "give": "gain",
    "select": "choose",
    "pick": "choose",
    "discard": "move … to",
    "do": "perform",
    "call": "perform",
    "run": "perform",
    "execute": "perform",
    "else": "otherwise",
    "elif": "otherwise if",
    "elseif": "otherwise if",
    "while": "repeat while",
    "foreach": "for each",
    "return": "end effect",
    "break": "end loop",
    "var": "let",
    "place": "put",
    "add": "put",
    "increase": "raise",
    "decrease": "lower",
    "reduce": "lower",
    "spend": "pay",
    "lose": "pay",
    "assert": "require",
    "loop": "repeat",
    "optionally": "may",
    "must": "require",
    "none": "nothing",
    "null": "nothing",
    "previous": "perform previous",
}
_SOMEBODY_ACTS: Final = re.compile(
    r"([a-z_]+)(?:[ \t]+(?:players?|each))?[ \t]+"
    r"(gain|pay|put|remove|move|choose|draw|perform|get|receive|take|spend|place|pick|discard|lose)s?[ \t]"
)
_EVERYBODY: Final = ("each", "every", "everybody", "everyone", "player", "players", "all")
_TRAITS: Final = ("seen", "gained", "paid", "refilled")
_BEFORE: Final = {"if": "if …", "for": "for each …"}
_OTHER_MARKS: Final = {
    "&": "`and`",
    "|": "`or`",
    "!": "`not`, or `!=`",
    "%": "`mod`",
    "×": "`*`",
    "·": "`*`",
    "÷": "`/`",
    "–": "`-`",
    "—": "`-`",
    "−": "`-`",
    "≤": "`<=`",
    "≥": "`>=`",
    "≠": "`!=`",
    "“": '`"`',
    "”": '`"`',
    "„": '`"`',
    "…": "`..`",
    "→": "`->`",
    ";": "`, then`, or a new line",
    "^": "`*`",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where a text stopped making sense: what was being read, the words up to there, the word in the way, and what could have stood.

    `kind` is `word` where the grammar refused a word, else what was wrong before the grammar was asked. `expected` holds words and marks as
    they are written, and the names in `CLASSES`.
    """

    start: str
    kind: str
    words: list[Word] = field(repr=False)
    word: Word
    expected: frozenset[str]

    @property
    def before(self) -> list[Word]:
        """The words before the one in the way."""
        met = self.words[:-1] if self.words and self.words[-1] is self.word else self.words
        return [w for w in met if w.start_pos < self.word.start_pos or w.end_pos <= self.word.start_pos]

    @property
    def sentence(self) -> list[Word]:
        """The words of the same line before the one in the way."""
        found: list[Word] = []
        for word in reversed(self.before):
            if word.type == "_NL":
                break
            found.append(word)
        return found[::-1]

    @property
    def ends_line(self) -> bool:
        """Whether a line ended where more was wanted."""
        return self.word.type in ("_NL", "$END", "_DEDENT")


def explain_mistake(mistake: Mistake) -> Diagnostic:
    """The diagnostic for a mistake."""
    for case in _CASES:
        if (found := case(mistake)) is not None:
            return found
    return _in_general(mistake)


def _error(
    code: str, span: Span, message: str, *, label: str = "", help: str = "", related: tuple[Related, ...] = ()
) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, label, help, (), related)


# ------------------------------------------------------------------ before the grammar
def _unreadable(m: Mistake) -> Diagnostic | None:
    char, span, text = m.word.value, m.word.span, m.word.text.text
    match m.kind:
        case "deep":
            return _error(
                "too-deep", span, "this sentence is nested too deeply", help="give parts of it a name of their own"
            )
        case "number":
            return _error("number-too-big", span, "a number has at most 9 digits")
        case "indentation":
            return _error(
                "indentation",
                span,
                "the indentation of this line fits no line above",
                help="begin it below the line that it belongs beside",
            )
        case "article":
            return _no_article(m.word)
        case "character" if char == "my":
            return _error(
                "ends-early", span, "`my` is followed by the name of a field", help="for you yourself, write `me`"
            )
        case "character" if char == '"':
            return _error(
                "open-quote", span, "this quote is never closed", help='write `"` where the text ends, on the same line'
            )
        case "character" if char == "'":
            return _error("bad-mark", span, "`'` has no meaning here", help='a prompt stands between two `"`')
        case "character" if char == "." and re.search(r"\b[0-9]+$", text[: m.word.start_pos]):
            return _error(
                "bad-mark",
                span,
                "numbers are whole",
                help="multiply before you divide: one and a half n is `3 * n / 2`",
            )
        case "character" if char in _OTHER_MARKS:
            return _error("bad-mark", span, f"`{char}` has no meaning here", help=f"write {_OTHER_MARKS[char]}")
        case "character" if text[: m.word.start_pos].rstrip(" \t").endswith("[") and char.isupper():
            return _error(
                "bad-citation",
                span,
                "this is neither a citation nor an index",
                help="a citation looks like `[AB-DAY-08]`",
            )
        case "character" if char.isupper():
            end = m.word.start_pos
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            word = text[m.word.start_pos : end]
            said = _SOMEBODY_ACTS.match(text[m.word.start_pos :].lower())
            if said is not None and m.start == "rules" and not m.sentence:
                return _who_acts(m.word.text.span(m.word.start_pos, end), word, said)
            return _error(
                "bad-name",
                m.word.text.span(m.word.start_pos, end),
                "names are written in small letters",
                help=f"write `{word.lower()}`",
            )
        case "character":
            return _error(
                "bad-mark",
                span,
                f"`{char}` has no meaning here",
                help="names are made of small letters, digits and `_`",
            )
    return None


def _unquoted_question(m: Mistake) -> Diagnostic | None:
    """What stands behind `asking` without its quotes."""
    text = m.word.text.text
    said = re.compile(r"[^\s\"][^\n]*?(?=\s*(?:\[[A-Z][^\]]*\])?\s*$)", re.MULTILINE).match(text, m.word.start_pos)
    if said is None or not re.search(r"\basking[ \t]+$", text[: m.word.start_pos]):
        return None
    span = m.word.text.span(said.start(), said.end())
    return _error("syntax", span, "a question stands in quotes", help=f'write `"{said.group()}"`')


# ------------------------------------------------------------------ particular cases
def _open_bracket(m: Mistake) -> Diagnostic | None:
    """A bracket that is still open where a new line or the end of the text cannot go on."""
    still_open: list[Word] = []
    for word in m.before:
        if word.value in ("(", "[", "{"):
            still_open.append(word)
        elif word.value in (")", "]", "}") and still_open:
            still_open.pop()
    if m.word.value in (")", "]", "}") and not still_open:
        return _error(
            "stray-bracket", m.word.span, f"this `{m.word.value}` closes nothing", help="remove it, or open it before"
        )
    if not still_open:
        return None
    first = still_open[-1]
    text = m.word.text.text
    if m.ends_line or "\n" in text[first.start_pos : m.word.start_pos]:
        closer = {"(": ")", "[": "]", "{": "}"}[first.value]
        return _error(
            "open-bracket",
            first.span,
            f"this `{first.value}` is never closed",
            label="opened here",
            help=f"write `{closer}` where it ends",
        )
    return None


def _cut_by_yaml(m: Mistake) -> Diagnostic | None:
    """The text ended early because YAML read a ` #` as the beginning of a comment."""
    text = m.word.text
    if not m.ends_line or m.word.end_pos < len(text.text) or not text.text:
        return None
    at = text.offsets[-1]
    found = re.compile(r"[ \t]+(#)").match(text.source.text, at)
    if found is None:
        return None
    return _error(
        "quote-this",
        Span(text.source, found.start(1), found.end(1)),
        "YAML ends the text before this ` #`",
        help="put the whole text in quotes, or on lines of its own below a `|`",
    )


def _stores(m: Mistake) -> Diagnostic | None:
    """`=` where something is meant to be stored or compared otherwise."""
    if m.word.value != "=":
        return None
    sentence = m.sentence
    previous = sentence[-1] if sentence else None
    touching = previous is not None and previous.end_pos == m.word.start_pos
    if previous is not None and previous.value == "=":
        return _error("double-equals", previous.span.to(m.word.span), "equality is one `=`", help="write `=`")
    if previous is not None and previous.value in ("<", ">"):
        return _error(
            "split-mark",
            previous.span.to(m.word.span),
            f"`{previous.value}` and `=` belong together",
            help=f"write `{previous.value}=`",
        )
    if previous is not None and touching and previous.value in ("+", "-", "*", "/"):
        verb = "lower" if previous.value == "-" else "raise"
        return _error(
            "equals-stores",
            previous.span.to(m.word.span),
            "`=` never stores",
            help=f"write `{verb} … by …`, or `set … to …`",
        )
    if (
        m.start == "rules"
        and sentence
        and (sentence[0].value in ("set", "let") or sentence[0].type in ("NAME", "MINE"))
    ):
        wanted = "let … be …" if sentence[0].value == "let" else "set … to …"
        return _error("equals-stores", m.word.span, "`=` never stores", help=f"write `{wanted}`")
    return None


def _compares_twice(m: Mistake) -> Diagnostic | None:
    if m.word.value not in _COMPARISONS or not any(w.value in _COMPARISONS for w in m.sentence):
        return None
    return _error(
        "compares-twice",
        m.word.span,
        "two comparisons in a row",
        help="compare two values at a time: `a = b and b = c`",
    )


def _query_compared(m: Mistake) -> Diagnostic | None:
    """A query of a whole group, such as `first turn_order`, on the left of a comparison."""
    if m.word.value not in _COMPARISONS or not m.sentence:
        return None
    at = max((i for i, w in enumerate(m.sentence) if w.value in ("first", "only", "all")), default=-1)
    rest = m.sentence[at + 1 :]
    if at < 0 or not rest or any(w.value in ("in", *_COMPARISONS) for w in rest):
        return None
    query = m.sentence[at]
    said = " ".join(m.word.text.text[query.start_pos : rest[-1].end_pos].split())
    return _error(
        "query-needs-parentheses",
        query.span.to(rest[-1].span),
        f"`{query.value} …` reaches to the end of its expression",
        label="stands on one side of a comparison",
        help=f"put it in parentheses: `({said}) {m.word.value} …`",
    )


def _query_inside(m: Mistake) -> Diagnostic | None:
    """A query as an operand; or a name that is a word of the language."""
    word = m.word.value
    if word not in _QUERIES or "(" not in m.expected or not m.before:
        return None
    rest = m.word.text.text[m.word.end_pos :]
    if not re.match(r"[ \t]+[a-z_({]", rest) or re.match(
        r"[ \t]+(and|or|in|not|mod|else|where|with|by|then|otherwise|from|to|on|is)\b", rest
    ):
        return None
    shown = f"{word} of" if word in ("number", "sum", "highest", "lowest") else word
    return _error(
        "query-needs-parentheses",
        m.word.span,
        f"`{shown} …` reaches to the end of its expression",
        label="stands inside another expression",
        help=f"put it in parentheses: `({shown} …)`",
    )


def _missing_block(m: Mistake) -> Diagnostic | None:
    """A line that opens a block, without colon or without block."""
    sentence = m.sentence
    if m.word.type == "_INDENT":
        line = _line_above(m)
        if line and line[-1].value != ":" and line[0].value in _BLOCKS:
            return _error(
                "missing-block",
                line[-1].span,
                "a `:` is missing at the end of this line",
                label="before what is further in",
                help="write `:` before the lines that belong to it",
            )
        return _error(
            "indentation",
            _first_word_after(m),
            "this line is further in than the one above",
            help="give it the same indentation, or end the line above with `:`",
        )
    if not sentence and "_INDENT" in m.expected:
        above = [w for w in m.before if w.type != "_NL"]
        return _error(
            "missing-block",
            above[-1].span,
            "nothing is done here",
            label="no block follows",
            help="write what is done behind the `:`, or further in below it",
        )
    if m.word.value == "if" and sentence and sentence[-1].value == ":":
        return _error(
            "if-in-line", m.word.span, "an `if` begins a line of its own", help="write it on the next line, further in"
        )
    if ":" in m.expected and sentence and sentence[0].value in _BLOCKS and m.word.value in _STATEMENTS:
        return _error(
            "missing-block", m.word.span, "a `:` is missing before this", help="write `:` behind what the block is for"
        )
    if not sentence or not (m.ends_line or m.word.type == "CITE"):
        return None
    if sentence[-1].value == ":" and m.ends_line:
        return _error(
            "missing-block",
            sentence[-1].span,
            "nothing is done here",
            label="no block follows",
            help="write what is done behind the `:`, or further in below it",
        )
    if ":" in m.expected and sentence[0].value in _BLOCKS and _goes_further_in(m):
        return _error(
            "missing-block",
            sentence[-1].span,
            "a `:` is missing behind this",
            label="what follows belongs to it",
            help=f"write `{_ending(m)}:`",
        )
    if ":" in m.expected and (sentence[0].value in _BLOCKS or any(w.value in _BLOCKS for w in sentence)):
        return _error(
            "missing-block",
            sentence[-1].span,
            "a `:` and what is done are missing here",
            label="after this",
            help="write `:` and the rest of the rule",
        )
    return None


def _goes_further_in(m: Mistake) -> bool:
    """Whether the next line is further in than the one that the mistake stands in."""
    text, here = m.word.text.text, m.sentence[0].start_pos
    after = re.compile(r"[^\n]*\n(?:[ \t]*\n)*([ \t]*)\S").match(text, m.sentence[-1].end_pos)
    return after is not None and len(after.group(1)) > here - (text.rfind("\n", 0, here) + 1)


def _ending(m: Mistake) -> str:
    """What the line says before the mistake; of a long one its last words."""
    said = " ".join(m.word.text.text[m.sentence[0].start_pos : m.sentence[-1].end_pos].split())
    few = m.sentence[-3:]
    return said if len(said) <= 40 else "… " + m.word.text.text[few[0].start_pos : few[-1].end_pos]


def _conditional(m: Mistake) -> Diagnostic | None:
    """The two kinds of `if` taken for each other."""
    sentence = m.sentence
    if m.word.value == "then" and ":" in m.expected:
        return _error(
            "then-or-colon", m.word.span, "a rule that begins with `if` has a `:`", help="write `:` instead of `then`"
        )
    if "then" in m.expected and (m.word.value == ":" or m.ends_line):
        place = m.word.span if m.word.value == ":" else (sentence[-1].span if sentence else m.word.span)
        return _error("missing-then", place, "`then` is missing", help="a value is chosen by `if … then … otherwise …`")
    if "otherwise" in m.expected and (m.ends_line or m.word.value == "else") and "then" in [w.value for w in sentence]:
        place = m.word.span if m.word.value == "else" else sentence[-1].span
        return _error(
            "missing-otherwise", place, "`otherwise` is missing", help="a value is chosen by `if … then … otherwise …`"
        )
    if m.word.value == "otherwise" and not sentence:
        return _error(
            "stray-otherwise",
            m.word.span,
            "there is no `if` or `try` for this `otherwise`",
            help="begin it below its `if`; the `if` stands on a line of its own",
        )
    return None


def _article(m: Mistake) -> Diagnostic | None:
    if m.word.value in ("the", "a", "an") and (
        m.expected & {"NAME", "INT"} or _previous_value(m) in ("the", "a", "an")
    ):
        return _no_article(m.word)
    sentence = m.sentence
    if sentence and sentence[-1].value in ("the", "a", "an") and sentence[-1].type == "NAME":
        return _no_article(sentence[-1])
    return None


def _no_article(word: Word) -> Diagnostic:
    """An article where none may stand; behind a verb that moves an amount it stands for the number 1."""
    before, after = word.text.text[: word.start_pos], word.text.text[word.end_pos :]
    thing = re.match(r"[ \t]+([a-z_][a-z0-9_]*)", after)
    if word.value != "the" and thing and re.search(r"\b(?:gain|pay|put|remove|move|and)[ \t]+$", before):
        help = f"write `1 {thing.group(1)}`"
        return _error("article", word.span, f"an amount is a number, and `{word.value}` is none", help=help)
    return _error("article", word.span, f"there are no articles in a rule; leave out `{word.value}`")


def _who_acts(span: Span, word: str, said: re.Match[str]) -> Diagnostic:
    """A sentence that begins with who does it, as in a rulebook."""
    who = "players" if word.lower() in _EVERYBODY else said.group(1)
    verb = _OTHER_WORDS.get(said.group(2), said.group(2))
    help = f"who acts is named by `have`: `have {who}: {verb} …`"
    return _error("no-such-statement", span, f"no rule begins with `{word}`", help=help)


def _no_statement(m: Mistake) -> Diagnostic | None:
    """A sentence that begins with no verb of the language."""
    sentence = m.sentence
    if m.start != "rules":
        return None
    starts = not sentence or sentence[-1].value == ":" or sentence[-1].type == "_THEN"
    if not starts:
        return None
    word = m.word.value
    if m.word.type not in ("NAME", "MINE") and word not in (*_OTHER_WORDS, "each"):
        return None
    acts = _SOMEBODY_ACTS.match(m.word.text.text, m.word.start_pos)
    if acts is not None and word not in _OTHER_WORDS and nearest(word, _STATEMENTS) is None:
        return _who_acts(m.word.span, word, acts)
    near = _OTHER_WORDS.get(word) or nearest(word, _STATEMENTS)
    help = (
        f"did you mean `{near}`?"
        if near
        else "a rule begins with a verb: `gain`, `pay`, `move`, `choose`, `set`, `perform`, …"
    )
    if re.match(r"[\w.]*[ \t]*[-+]?=[^=]", m.word.text.text[m.word.end_pos :]):
        return _error("equals-stores", m.word.span, "`=` never stores", help="write `set … to …`")
    return _error("no-such-statement", m.word.span, f"no rule begins with `{word}`", help=help)


def _query_without_word(m: Mistake) -> Diagnostic | None:
    """`x in S where c` alone is no query."""
    sentence = m.sentence
    if (
        m.word.value not in ("where", "with")
        or "in" not in [w.value for w in sentence]
        or any(w.value in _QUERIES for w in sentence)
    ):
        return None
    return _error(
        "query-without-word",
        m.word.span,
        f"`{m.word.value}` belongs to a query, and none begins here",
        help="a query begins with `any`, `no`, `all`, `first`, `only`, `number of` or `sum of … for`",
    )


def _all_with_most(m: Mistake) -> Diagnostic | None:
    """`players with most coins` as a reader would say it."""
    said = re.match(r"[ \t]+(most|least)[ \t]+([a-z_][a-z0-9_]*)", m.word.text.text[m.word.end_pos :])
    if m.word.value != "with" or said is None or _previous_value(m) not in ("player", "players", "opponents"):
        return None
    group = _previous_value(m).replace("player", "players").replace("playerss", "players")
    return _error(
        "query-without-word",
        m.before[-1].span.to(m.word.span),
        "`with` belongs to a query, and none begins here",
        help=f"write `all p in {group} with {said.group(1)} p.{said.group(2)}`",
    )


def _other_joint(m: Mistake) -> Diagnostic | None:
    sentence = m.sentence
    if m.word.value == "x" and sentence and (sentence[-1].type == "INT" or sentence[-1].value == ")"):
        return _error("syntax", m.word.span, "`x` does not multiply", help="write `*`")
    if m.word.value == "in" and sentence and sentence[0].value in ("choose", "draw"):
        return _error(
            "syntax",
            m.word.span,
            f"`{sentence[0].value}` takes `from`, not `in`",
            help=f"write `{sentence[0].value} … from …`",
        )
    if m.word.value == "," and sentence and sentence[0].value in ("gain", "pay") and "and" in m.expected:
        return _error("syntax", m.word.span, "`,` does not join amounts", help="write `and`")
    if m.word.value == "with" and sentence and sentence[0].value in ("choose", "draw") and "where" in m.expected:
        return _error("syntax", m.word.span, "a condition begins with `where`", help="write `where` instead of `with`")
    if m.word.value in ("-", "to") and m.start != "rules" and sentence and sentence[-1].type == "INT":
        other = re.match(r"[ \t]*([0-9]+)\b", m.word.text.text[m.word.end_pos :])
        if other is not None and ".." in m.expected:
            help = f"write `{sentence[-1].value}..{other.group(1)}`"
            return _error("syntax", m.word.span, "a range is written with `..`", help=help)
    if m.word.value == "is" and "=" in m.expected:
        negated = re.match(r"[ \t]+not\b", m.word.text.text[m.word.end_pos :]) is not None
        wanted = "!=` instead of `is not" if negated else "=` instead of `is"
        return _error("syntax", m.word.span, "`is` does not compare", help=f"write `{wanted}`")
    if m.word.value in _TRAITS and "," in m.expected and m.start != "rules":
        return _error(
            "syntax", m.word.span, f"a `,` is missing before `{m.word.value}`", help=f"write `, {m.word.value} …`"
        )
    return None


def _missing_brackets(m: Mistake) -> Diagnostic | None:
    """A query that something follows, or arguments without brackets."""
    sentence = m.sentence
    query = next((w for w in reversed(sentence) if w.value in _QUERIES), None)
    if m.word.value in ("and", "or") and query is not None and "where" in m.expected:
        return _error(
            "query-needs-parentheses",
            query.span,
            f"`{query.value} …` reaches to the end of its expression",
            label="is not over yet",
            help=f"put it in parentheses: `({query.value} …) {m.word.value} …`",
        )
    if sentence and sentence[0].value == "perform" and len(sentence) == 2 and "(" in m.expected:
        called = sentence[1].value
        return _error(
            "syntax", m.word.span, "arguments stand in parentheses", help=f"write `{called}({m.word.value} …)`"
        )
    return None


def _missing_label(m: Mistake) -> Diagnostic | None:
    """`may`, `either` and `or` without a label."""
    sentence = m.sentence
    if m.start == "options" and len(m.before) == 1:
        first = m.before[0]
        if first.value == "or":
            return _error("syntax", first.span, "this text stands behind `or` already", help="leave this `or` out")
        help = 'write `label: …`, or `label "What players read" if condition: …`'
        return _error("syntax", m.word.span, "an option begins with a label, and a `:` before what is done", help=help)
    if m.word.value == "or" and not sentence and m.start == "rules":
        return _error(
            "syntax", m.word.span, "`or` without a label does not fit here", help="an alternative is `or label: …`"
        )
    if sentence and sentence[0].value in ("may", "either") and ":" in (m.word.value, *m.expected) and len(sentence) < 3:
        verb = sentence[0].value
        return _error(
            "syntax", m.word.span, f"`{verb}` is followed by a label and a `:`", help=f"for example `{verb} help: …`"
        )
    return None


def _two_statements(m: Mistake) -> Diagnostic | None:
    if m.word.value in _STATEMENTS and "_THEN" in m.expected and m.word.type not in ("NAME",) and m.sentence:
        return _error(
            "two-statements",
            m.word.span,
            "a line holds one statement",
            help=f"write `{_BEFORE[m.word.value]}: …`, and the other rule behind the `:`"
            if m.word.value in _BEFORE
            else f"write `, then {m.word.value} …`, or a new line",
        )
    if m.word.value == "then" and _previous_value(m) != "," and "_THEN" in m.expected:
        return _error("two-statements", m.word.span, "a `,` is missing before `then`", help="write `, then`")
    return None


def _word_is_taken(m: Mistake) -> Diagnostic | None:
    word = m.word
    if word.type in CLASSES or not word.value.isalpha() or "NAME" not in m.expected:
        return None
    sentence = m.sentence
    connecting = {
        "in",
        "from",
        "of",
        "to",
        "on",
        "by",
        "at",
        "with",
        "for",
        "be",
        "where",
        "while",
        "then",
        "otherwise",
        "and",
        "or",
    }
    if word.value in connecting and (m.expected & connecting or (sentence and sentence[-1].value in connecting)):
        return None
    if word.value == "number" and m.start != "rules":
        return _error("syntax", word.span, "a number is declared by its range", help="for example `0..99`")
    return _error(
        "word-is-taken",
        word.span,
        f"`{word.value}` is a word of the language",
        label="a name is expected here",
        help=f"choose another name, for example `{word.value}_one`",
    )


def _too_short(m: Mistake) -> Diagnostic | None:
    sentence = m.sentence
    if not m.ends_line or not sentence:
        return None
    wanted = _wanted(m.expected)
    return _error(
        "ends-early",
        sentence[-1].span,
        "the line ends too early",
        label=f"expected {wanted} after this" if wanted else "",
    )


_CASES: Final[tuple[Callable[[Mistake], Diagnostic | None], ...]] = (
    _unquoted_question,
    _unreadable,
    _open_bracket,
    _cut_by_yaml,
    _query_compared,
    _stores,
    _compares_twice,
    _missing_block,
    _conditional,
    _no_statement,
    _all_with_most,
    _other_joint,
    _two_statements,
    _query_inside,
    _query_without_word,
    _missing_brackets,
    _missing_label,
    _article,
    _word_is_taken,
    _too_short,
)


# ------------------------------------------------------------------ the general case
def _in_general(m: Mistake) -> Diagnostic:
    wanted = _wanted(m.expected)
    found = m.word.value
    if not wanted and any(closer in m.expected for closer in (")", "]", "}")):
        wanted = " or ".join(f"`{closer}`" for closer in (")", "]", "}") if closer in m.expected)
    alphabetic = [w for w in m.expected if w.isalpha() and w.islower()]
    near = nearest(found, alphabetic) if found.isalpha() and len(found) > 2 else None
    help = f"did you mean `{near}`?" if near else ""
    shown = found if found.strip() else "the end of the line"
    if shown == "the end of the line":
        return _error("syntax", m.word.span, "the text ends too early", label=f"expected {wanted}" if wanted else "")
    return _error(
        "syntax", m.word.span, f"`{shown}` does not fit here", label=f"expected {wanted}" if wanted else "", help=help
    )


def _wanted(expected: frozenset[str]) -> str:
    """What could have stood, in a few words; nothing where the list would be long."""
    rest = set(expected)
    words: list[str] = []
    if {"NAME", "INT", "("} <= rest:
        words.append("a value")
        rest -= _VALUE_STARTS | _QUERIES
    if {"+", "*", "and"} <= rest or {"+", "*", ".."} <= rest:
        rest -= _OPERATORS
        words.append("an operator")
    rest -= _SILENT
    words += [CLASSES[w] for w in CLASSES if w in rest]
    marks = sorted(w for w in rest if w not in CLASSES)
    words += [f"`{w.replace('_THEN', ', then')}`" for w in marks]
    if not words or len(words) > 5:
        return ""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _previous_value(m: Mistake) -> str:
    before = m.before
    return before[-1].value if before else ""


def _line_above(m: Mistake) -> list[Word]:
    """The words of the line before an indentation."""
    words = [w for w in m.words if w.end_pos <= m.word.start_pos]
    while words and words[-1].type == "_NL":
        words.pop()
    line: list[Word] = []
    while words and words[-1].type != "_NL":
        line.append(words.pop())
    return line[::-1]


def _first_word_after(m: Mistake) -> Span:
    """The first word of the line that begins where the mistake stands."""
    text = m.word.text
    start = m.word.end_pos if m.word.value else m.word.start_pos
    found = re.compile(r"[ \t]*([^\s]+)").match(text.text, start)
    return text.span(found.start(1), found.end(1)) if found else m.word.span
