"""Names that stand alone in a rule and mean two things.

In: a model whose symbols exist. Reported: a value, an option or a function without arguments that bears the name of something else that
is spoken of by name alone; one of the two would hide the other. Members of two types are no clash: what is wanted tells them apart, and
where it does not, that is told at the place.
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.model.game_model import BUILTIN_NAMES, Model
from interpreter.model.plurals import with_article
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span


def check_names(model: Model, sink: Sink) -> None:
    """Reports each clash once, at the later of the two."""
    met: dict[str, tuple[Span | None, str]] = dict.fromkeys(BUILTIN_NAMES, (None, "a word for all games"))
    for name, span, what in _others(model):
        met.setdefault(name, (span, what))
    for name, span, what in _named(model):
        first = met.setdefault(name, (span, what))
        if first[0] is not span:
            sink.error(
                "duplicate-id",
                span,
                f"`{name}` is {first[1]} already",
                label=f"cannot be {what} as well",
                help="give one of them another name",
                related=(Related(first[0], "has this name"),) if first[0] is not None else (),
            )


def _others(model: Model) -> Iterator[tuple[str, Span, str]]:
    """What a bare name may mean beside values, options and functions."""
    for symbols in (model.fields, model.zones):
        for (owner, name), symbol in symbols.items():
            if owner is None:
                yield name, symbol.span, "a field of the table"
    for domain in model.domains:
        if domain.kind not in ("thing", "piece", "enum", "player"):
            continue
        members = with_article(domain.name)
        yield from ((id_, span, members) for id_, span in zip(domain.ids, domain.spans, strict=True))
        if domain.kind != "player":
            yield domain.name, domain.span, "a type"
        yield from ((table, domain.span, "a table") for table in domain.tables)


def _named(model: Model) -> Iterator[tuple[str, Span, str]]:
    doc = model.definition
    yield from ((v.name, v.span, "a value") for v in doc.values.values())
    yield from ((o.name, o.span, "an option") for o in doc.options.values())
    yield from ((f.name, f.name_span, "a function") for f in doc.functions.values() if not f.params)
