"""Patches: what an option, a mode or a mod adds to a definition and changes in it, by address.

In: a definition and patches in order. Out: a plain definition again, in which every value keeps the place it was written at, so that a
message points into the patch that wrote it. `add:` mirrors a file and names only what is new; `change:` maps an address that exists to
verbs. What misses, clashes or makes no sense is told; the rest is done. Here stand the order of patches, their conditions, `add:`,
conflicts and the trace; what can be done at an address, its kind says (`patch_kinds/`). Not done here: what the result means, and where
patches come from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from interpreter.syntax.definition import Changed, Definition, Marks, TableDoc
from interpreter.syntax.document import read_marks, read_seats, read_sections
from interpreter.syntax.located import Entry, Mapping, Scalar
from interpreter.syntax.nodes import Decl, EnumDecl, ThingDecl
from interpreter.syntax.patch_help import help_for_miss
from interpreter.syntax.patch_kinds.base import Place, Work, removes
from interpreter.syntax.patch_kinds.reading import place_at
from interpreter.syntax.patch_kinds.routines import WholeRoutine
from interpreter.syntax.patch_new import only_new
from interpreter.syntax.patch_parts import listed, marks_filled, marks_invented, merged_through
from interpreter.syntax.patch_texts import Sentences, address_now
from interpreter.syntax.schema_check import check_part
from interpreter.text.diagnostic import Diagnostic, Related, Severity, Sink
from interpreter.text.source import Span

_D = TypeVar("_D")
COMMAND_LINE = "command line"
"""The name of patches that are given as `ADDRESS=VALUE`."""
_VERBS = frozenset(("set", "replace", "wrap", "first", "last", "before", "after", "inside", "or", "add", "remove"))


@dataclass(frozen=True, slots=True)
class Setting:
    """What conditions ask about: how many play (None: not known yet), which options hold, which mods are there."""

    players: int | None
    options: tuple[tuple[str, object], ...] = ()
    mods: tuple[str, ...] = ()


def holds(when: Mapping, setting: Setting) -> bool:
    """Whether a `when:` holds."""
    players = when.get("players")
    if players is not None and setting.players not in [i.value for i in listed(players) if isinstance(i, Scalar)]:
        return False
    options = dict(setting.options)
    wanted = when.get("options")
    for entry in wanted.entries if isinstance(wanted, Mapping) else ():
        if not isinstance(entry.value, Scalar) or options.get(str(entry.key)) != entry.value.value:
            return False
    mods = when.get("mods")
    return mods is None or all(isinstance(i, Scalar) and i.value in setting.mods for i in listed(mods))


def apply_patches(
    definition: Definition,
    patches: Iterable[tuple[str, Mapping]],
    sink: Sink,
    setting: Setting | None = None,
    trace: list[Changed] | None = None,
    only: Collection[Span] | None = None,
) -> Definition:
    """The definition with all patches applied, in order: each a name for messages (`mode solo`) and a body with `seats`, `add`, `change`,
    `parts`.

    Without a setting, parts that have a condition are left out. A trace is given what was changed, in order. With `only`, of all verbs
    those are taken that stand at these places.
    """
    merger = _Merger(Work(definition, sink), setting, [] if trace is None else trace, only)
    for name, body in patches:
        merger.apply(name, body)
    return merger.work.game


# ------------------------------------------------------------------ merging
@dataclass(slots=True)
class _Merger:
    """Takes patches one by one."""

    work: Work
    setting: Setting | None
    trace: list[Changed]
    only: Collection[Span] | None
    written: dict[str, tuple[str, Span]] = field(default_factory=dict)

    def apply(self, name: str, body: Mapping) -> None:
        """One patch with its parts; where the whole has a condition, they have it too."""
        self.work.patch = name
        self.work.sentences = Sentences()
        if not self.is_on(body):
            return
        self.apply_body(body, body)
        parts = body.get("parts")
        for part in listed(parts) if parts is not None else ():
            if isinstance(part, Mapping) and self.is_on(part):
                self.apply_body(part, body)

    def is_on(self, body: Mapping) -> bool:
        """Whether the condition of a patch or a part of one holds, if it has one."""
        when = body.get("when")
        return not isinstance(when, Mapping) or (self.setting is not None and holds(when, self.setting))

    def apply_body(self, body: Mapping, whole: Mapping) -> None:
        """What a patch, or one of its parts, adds and changes."""
        work = self.work
        work.conditional = self.chosen(body) or self.chosen(whole)
        seats = body.get("seats")
        if seats is not None:
            joined = self.joined(work.game.seats, read_seats(seats, work.sink), "seats")
            work.game = replace(work.game, seats=joined)
        added = body.get("add")
        if isinstance(added, Mapping):
            self.add(added)
        changed = body.get("change")
        for entry in changed.entries if isinstance(changed, Mapping) else ():
            if isinstance(entry.value, Mapping):
                self.change(entry, entry.value)

    def chosen(self, body: Mapping) -> bool:
        """Whether a body is there only for some numbers of players or options: it says so, or is of an option or a mode."""
        when = body.get("when")
        asks = isinstance(when, Mapping) and any(e.key in ("players", "options") for e in when.entries)
        return asks or self.work.patch.startswith(("option ", "mode "))

    # -------------------------------------------------------------- add
    def add(self, body: Mapping) -> None:
        """What is new joins; what exists is refused, but for tables, which get new rows, and named steps."""
        self.declares_at_all_times(body)
        work, game = self.work, self.work.game
        new = only_new(game, read_sections(body.span.source, body, work.sink), work.exists)
        work.game = replace(
            game,
            options=self.joined(game.options, new.options, "options"),
            values=self.joined(game.values, new.values, "values"),
            components=self.joined_components(new),
            graphs=self.joined(game.graphs, new.graphs, "graphs"),
            tables=self.joined_tables(game.tables, new.tables),
            functions=self.joined(game.functions, new.functions, "functions"),
            modifiers=self.joined(game.modifiers, new.modifiers, "modifiers"),
            phases=self.joined(game.phases, new.phases, "phases"),
            effects=self.joined(game.effects, new.effects, "effects"),
            triggers=self.joined(game.triggers, new.triggers, "triggers"),
            scoring=self.joined(game.scoring, new.scoring, "scoring"),
            winners=new.winners or game.winners,
            payoff=new.payoff or game.payoff,
            show=merged_through(game.show, new.show),
            modes=self.joined(game.modes, new.modes, "modes"),
        )
        for section, old_steps, new_steps in (("setup", game.setup, new.setup), ("play", game.play, new.play)):
            if new_steps:
                WholeRoutine(work, section, section, None).put_steps((*old_steps, *new_steps))
        for address, text in new.texts.items():
            work.game = work.sentences.written(work.game, address, text)

    def declares_at_all_times(self, body: Mapping) -> None:
        """Tells options and modes that are added where a condition decides whether this part of the patch is there at all."""
        for entry in body.entries if self.work.conditional else ():
            if entry.key in ("options", "modes"):
                tell_added_under_condition(entry, self.work.sink)

    def joined(self, old: dict[str, _D], new: dict[str, _D], section: str) -> dict[str, _D]:
        result = dict(old)
        for name, item in new.items():
            if name in old:
                self.work.exists(f"{section}.{name}", _place_of(item), _place_of(old[name]))
            else:
                result[name] = item
        return result

    def joined_components(self, new: Definition) -> tuple[Decl, ...]:
        known = {d.name: d.span for d in self.work.game.components if isinstance(d, EnumDecl | ThingDecl)}
        kept = list(self.work.game.components)
        for decl in new.components:
            if isinstance(decl, EnumDecl | ThingDecl) and decl.name in known:
                self.work.exists(f"components.{decl.name}", decl.span, known[decl.name])
            else:
                kept.append(decl)
        return tuple(kept)

    def joined_tables(self, old: dict[str, TableDoc], new: dict[str, TableDoc]) -> dict[str, TableDoc]:
        result = dict(old)
        for name, table in new.items():
            if name not in old:
                result[name] = table
                continue
            known = {row.id: row.span for row in old[name].rows}
            rows = list(old[name].rows)
            for row in table.rows:
                if row.id in known:
                    self.work.exists(f"{name}.{row.id}", row.span, known[row.id])
                else:
                    own = marks_filled(row.marks, table.marks)
                    rows.append(replace(row, marks=marks_invented(own, old[name].marks, row.span)))
            result[name] = replace(old[name], rows=tuple(rows))
        return result

    # -------------------------------------------------------------- change
    def change(self, entry: Entry, verbs: Mapping) -> None:
        """All verbs of one address."""
        self.work.named = str(entry.key)
        marks = read_marks(verbs)
        given = [v for v in verbs.entries if str(v.key) in _VERBS]
        place = self.place_today(self.work.named)
        if not place.is_there(given):
            self.miss(place, entry, verbs)
            return
        if not given and marks != Marks() and not place.mark(marks):
            place.error("patch-verb", entry.value.span, f"there is nothing to mark at `{place.address}`")
        if not self.goes_together(place, given) or not place.may_change(given):
            return
        whole = entry.key_span.to(entry.value.span)
        for verb in given:
            if self.only is None or verb.key_span in self.only:
                self.do(place, verb, marks, whole)

    def do(self, place: Place, verb: Entry, marks: Marks, whole: Span) -> None:
        """One verb, of an entry that stands at `whole`."""
        work, goes = self.work, removes(verb)
        self.note_writer(place.address, verb)
        lessens = verb.key == "remove" and not goes
        self.trace.append(Changed(work.patch, place.address, whole, verb.key_span, place.span(), goes, lessens))
        form = place.form(str(verb.key), verb.value) if not goes else None
        if form is not None and not check_part(verb, form, place.address, work.sink):
            return
        if not _done(place, verb, marks):
            message = f"`{verb.key}` does nothing at `{place.address}`"
            place.error("patch-verb", verb.key_span, message, place.here_go())

    def goes_together(self, place: Place, verbs: Sequence[Entry]) -> bool:
        """Whether no verb stands beside a removal."""
        other = next((v for v in verbs if not removes(v)), None)
        if other is None or not any(removes(v) for v in verbs):
            return True
        message = f"`{other.key}` does nothing to `{place.address}`, which is removed here"
        place.error("patch-verb", other.key_span, message, "either remove it, or change it")
        return False

    def place_today(self, address: str) -> Place:
        """The place of an address under today's name: what stands there under its own comes first, and no old name is followed twice."""
        work = self.work
        if address.startswith("text."):
            return place_at(work, "text." + address_now(work.game, address.removeprefix("text.")))
        left = dict(work.game.renamed)
        while not (place := place_at(work, address)).is_there(()):
            old = max((o for o in left if address == o or address.startswith(o + ".")), key=len, default=None)
            if old is None:
                break
            address = left.pop(old) + address[len(old) :]
        return place

    def miss(self, place: Place, entry: Entry, verbs: Mapping) -> None:
        """Nothing stands where the patch would change something."""
        optional = verbs.get("optional")
        severity = Severity.NOTE if isinstance(optional, Scalar) and optional.value is True else Severity.ERROR
        help = place.help_where_missing() or help_for_miss(self.work.game, place.address)
        message = place.missing()
        if place.address != str(entry.key):
            message += f", which `{entry.key}` was renamed to"
        told = Diagnostic("patch-misses", severity, message, entry.key_span, "", help, (), (), place.address)
        self.work.sink.add(told)

    def note_writer(self, address: str, verb: Entry) -> None:
        """Two patches that write the same: the later wins, and both are named."""
        if verb.key not in ("set", "replace"):
            return
        name = self.work.patch
        keys = (
            [str(e.key) for e in verb.value.entries] if isinstance(verb.value, Mapping) and verb.key == "set" else [""]
        )
        for key in keys:
            place = f"{address}.{key}".rstrip(".")
            earlier = self.written.get(place)
            # Who types a value means it, whatever the mods say.
            if earlier is not None and earlier[0] != name and name != COMMAND_LINE:
                self.work.sink.warning(
                    "patch-conflict",
                    verb.key_span,
                    f"`{earlier[0]}` and `{name}` both write `{place}`; `{name}` wins",
                    related=(Related(earlier[1], f"written by `{earlier[0]}`"),),
                    address=place,
                )
            self.written[place] = (name, verb.key_span)


def _done(place: Place, verb: Entry, marks: Marks) -> bool:
    """Does what a verb says; False where it does nothing at such a place."""
    match str(verb.key):
        case "remove" if removes(verb):
            return place.remove(verb)
        case "set":
            return place.set(verb, marks)
        case "replace":
            return place.replace(verb, marks)
        case "wrap":
            return place.wrap(verb, marks)
        case "first" | "last" | "before" | "after":
            return place.insert(verb, marks)
        case "inside":
            return place.inside(verb, marks)
        case "or":
            return place.offer(verb, marks)
        case _:
            return place.join(verb)


def tell_added_under_condition(entry: Entry, sink: Sink) -> None:
    """Options and modes are there or not before anybody has chosen among them, so their declaration has no condition."""
    sink.error(
        "declared-under-condition", entry.key_span, f"`{entry.key}` are added under a condition",
        label="when would they be there to choose?", help="move what has a condition into `parts:`",
        address=f"add.{entry.key}",
    )  # fmt: skip


def _place_of(item: object) -> Span:
    found = getattr(item, "name_span", None) or getattr(item, "span", None)
    assert isinstance(found, Span)  # all items of a definition have a place
    return found
