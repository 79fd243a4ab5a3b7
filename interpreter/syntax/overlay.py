"""Patches: what an option, a mode or a mod adds to a definition and changes in it, by address.

In: a definition and patches in order. Out: a plain definition again, in which every value keeps the place it was written at, so that a
message points into the patch that wrote it. `add:` mirrors a file and names only what is new; `change:` maps an address that exists to
verbs. What misses, clashes or makes no sense is told; the rest is done. A wrapped expression stands where `previous` was; a wrapped effect
or step becomes an effect of its own, `<id>_before_<patch>`. Not done here: what the result means, and where patches come from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from interpreter.syntax.definition import (
    Changed,
    Definition,
    Marks,
    ModeDoc,
    OptionDoc,
    Routine,
    Row,
    Step,
    TableDoc,
    TermDoc,
    ValueDoc,
)
from interpreter.syntax.document import (
    read_cites,
    read_marks,
    read_players,
    read_seats,
    read_sections,
    read_steps,
    read_text,
)
from interpreter.syntax.expr_parser import (
    parse_formula,
    parse_functions,
    parse_graph,
    parse_modifier,
    parse_rules,
    parse_trigger,
    parse_type,
    reserved_words,
)
from interpreter.syntax.located import Entry, Located, Mapping, Scalar
from interpreter.syntax.located import Sequence as Listed
from interpreter.syntax.nodes import (
    After,
    EachHas,
    EnumDecl,
    Expr,
    Grid,
    Int,
    Member,
    Name,
    Node,
    Stmt,
    TableHas,
    ThingDecl,
    This,
    When,
)
from interpreter.syntax.patch_blocks import BLOCK_HELP, filled_block, is_block, with_block
from interpreter.syntax.patch_capture import Capture, captures, handed_captures
from interpreter.syntax.patch_help import begins_like_function, function_head, help_for_miss
from interpreter.syntax.patch_new import only_new
from interpreter.syntax.patch_parts import (
    ALONE,
    folded_number,
    found_in,
    is_switch,
    joined_list,
    listed,
    marks_filled,
    marks_invented,
    marks_over,
    merged_through,
    named_apart,
    numbers_through,
    one_expression,
    performs_previous,
    put_in,
    rewrite,
    spliced,
    together,
    with_previous,
    with_value,
    written,
)
from interpreter.syntax.patch_places import place_of
from interpreter.syntax.patch_shape import has_form, shown_has_form
from interpreter.syntax.patch_texts import Sentences, address_now, alone_again, moved, named_row
from interpreter.syntax.patch_verbs import verbs_at
from interpreter.text.diagnostic import Diagnostic, Related, Severity, Sink, with_address
from interpreter.text.source import MappedText, Span
from interpreter.text.suggest import nearest

_T = TypeVar("_T")
_D = TypeVar("_D")
_WORDS = frozenset(("cite", "data", "gap", "note", "optional"))
COMMAND_LINE = "command line"
"""The name of patches that are given as `ADDRESS=VALUE`."""
_VERBS = frozenset(("set", "replace", "wrap", "first", "last", "before", "after", "inside", "add", "remove"))


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
    merger = _Merger(definition, setting, sink, [] if trace is None else trace, only)
    for name, body in patches:
        merger.apply(name, body)
    return merger.game


# ------------------------------------------------------------------ merging
@dataclass(slots=True)
class _Merger:
    """The definition under work. Each verb has a method; each method replaces a part of the definition."""

    game: Definition
    setting: Setting | None
    sink: Sink
    trace: list[Changed]
    only: Collection[Span] | None = None
    name: str = ""
    address: str = ""
    named: str = ""
    """The address as the patch names it."""
    conditional: bool = False
    """Whether the number of players or options decide that this part of a patch is there at all."""
    written: dict[str, tuple[str, Span]] = field(default_factory=dict)
    sentences: Sentences = field(default_factory=Sentences)

    def apply(self, name: str, body: Mapping) -> None:
        """One patch with its parts; where the whole has a condition, they have it too."""
        self.name = name
        self.sentences = Sentences()
        when = body.get("when")
        if isinstance(when, Mapping) and (self.setting is None or not holds(when, self.setting)):
            return
        self.apply_body(body, body)
        parts = body.get("parts")
        for part in listed(parts) if parts is not None else ():
            if isinstance(part, Mapping):
                self.apply_body(part, body)

    def apply_body(self, body: Mapping, whole: Mapping) -> None:
        """What a patch, or one of its parts, adds and changes, if its condition holds."""
        when = body.get("when")
        if isinstance(when, Mapping) and (self.setting is None or not holds(when, self.setting)):
            return
        self.conditional = self.chosen(body) or self.chosen(whole)
        seats = body.get("seats")
        if seats is not None:
            joined = self.joined(self.game.seats, read_seats(seats, self.sink), "seats")
            self.game = replace(self.game, seats=joined)
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
        return asks or self.name.startswith(("option ", "mode "))

    @property
    def id(self) -> str:
        """The patch's own name, without the word for its kind."""
        return self.name.split()[-1]

    def error(self, code: str, span: Span, message: str, help: str = "", related: tuple[Related, ...] = ()) -> None:
        self.sink.error(code, span, message, help=help, related=related, address=self.address)

    def parse(self, parser: Callable[[MappedText, Sink], _T | None], node: Located) -> _T | None:
        """Parses a text of the patch; what is wrong in it carries the address that it is for."""
        if not isinstance(node, Scalar):
            self.error("patch-verb", node.span, f"`{self.address}` wants a text")
            return None
        found = Sink()
        tree = parser(node.mapped, found)
        self.sink.extend(with_address(d, self.address) for d in found.diagnostics)
        return tree

    def expression(self, node: Located) -> Expr | None:
        """Parses an expression of the patch."""
        return cast("Expr | None", self.parse(parse_formula, node))

    # -------------------------------------------------------------- add
    def add(self, body: Mapping) -> None:
        """What is new joins; what exists is refused, but for tables, which get new rows, and named steps."""
        self.declares_at_all_times(body)
        game = self.game
        new = only_new(game, read_sections(body.span.source, body, self.sink), self.exists)
        self.game = replace(
            game,
            options=self.joined(game.options, new.options, "options"),
            values=self.joined(game.values, new.values, "values"),
            components=self.joined_components(new),
            graphs=self.joined(game.graphs, new.graphs, "graphs"),
            tables=self.joined_tables(game.tables, new.tables),
            functions=self.joined(game.functions, new.functions, "functions"),
            modifiers=self.joined(game.modifiers, new.modifiers, "modifiers"),
            setup=game.setup,
            play=game.play,
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
                self.address = section
                self.put_steps((*old_steps, *new_steps))
        for address, text in new.texts.items():
            self.game = self.sentences.written(self.game, address, text)

    def declares_at_all_times(self, body: Mapping) -> None:
        """Tells options and modes that are added where a condition decides whether this part of the patch is there at all."""
        for entry in body.entries if self.conditional else ():
            if entry.key in ("options", "modes"):
                tell_added_under_condition(entry, self.sink)

    def joined(self, old: dict[str, _D], new: dict[str, _D], section: str) -> dict[str, _D]:
        result = dict(old)
        for name, item in new.items():
            if name in old:
                self.exists(f"{section}.{name}", _place_of(item), _place_of(old[name]))
            else:
                result[name] = item
        return result

    def joined_components(self, new: Definition) -> tuple[EnumDecl | ThingDecl | EachHas | TableHas, ...]:
        known = {d.name: d.span for d in self.game.components if isinstance(d, EnumDecl | ThingDecl)}
        kept = list(self.game.components)
        for decl in new.components:
            if isinstance(decl, EnumDecl | ThingDecl) and decl.name in known:
                self.exists(f"components.{decl.name}", decl.span, known[decl.name])
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
                    self.exists(f"{name}.{row.id}", row.span, known[row.id])
                else:
                    own = marks_filled(row.marks, table.marks)
                    rows.append(replace(row, marks=marks_invented(own, old[name].marks, row.span)))
            result[name] = replace(old[name], rows=tuple(rows))
        return result

    def exists(self, address: str, span: Span, first: Span) -> None:
        self.sink.error(
            "duplicate-name",
            span,
            f"`{address}` exists already",
            label=f"again, in `{self.name}`",
            help="to change it, use `change:`",
            related=(Related(first, "first"),),
            address=address,
        )

    # -------------------------------------------------------------- change
    def change(self, entry: Entry, verbs: Mapping) -> None:
        """All verbs of one address."""
        self.named = str(entry.key)
        marks = read_marks(verbs)
        given = [v for v in verbs.entries if str(v.key) in _VERBS]
        self.address = self.current(self.named)
        if not self.is_there(given):
            self.miss(entry, verbs)
            return
        if not given and marks != Marks() and not self.mark(marks):
            self.error("patch-verb", entry.value.span, f"there is nothing to mark at `{self.address}`")
        if not self.goes_together(given) or not self.may_change(given):
            return
        for verb in given:
            if self.only is not None and verb.key_span not in self.only:
                continue
            self.note_writer(verb)
            removes = _removes(verb)
            whole = entry.key_span.to(entry.value.span)
            old = place_of(self.game, self.address)
            lessens = verb.key == "remove" and not removes
            self.trace.append(Changed(self.name, self.address, whole, verb.key_span, old, removes, lessens))
            if not removes and not has_form(self.game, self.address, verb, self.sink):
                continue
            before = self.game
            match str(verb.key):
                case "remove" if removes and self.is_all_of_play():
                    self.error("patch-verb", verb.key_span, "a game has a `play`", "use `replace`")
                    done = True
                case "remove" if removes:
                    done = self.remove()
                case "set":
                    done = self.set(verb.value, marks)
                case "replace":
                    done = self.replace_text(verb.value, marks)
                case "wrap":
                    done = self.wrap(verb.value, marks)
                case "first" | "last" | "before" | "after":
                    done = self.insert(str(verb.key), verb.value, marks)
                case "inside":
                    done = self.inside(verb.value, marks)
                case "add" | "remove":
                    done = self.join(str(verb.key) == "add", verb.value)
                case _:
                    done = True
            shown = self.game.show
            if (
                shown is not None
                and shown is not before.show
                and not shown_has_form(shown, verb, self.address, self.sink)
            ):
                self.game = before
            if not done:
                self.error(
                    "patch-verb",
                    verb.key_span,
                    f"`{verb.key}` does nothing at `{self.address}`",
                    help=verbs_at(self.game, self.address),
                )

    def goes_together(self, verbs: Sequence[Entry]) -> bool:
        """Whether no verb stands beside a removal."""
        other = next((v for v in verbs if not _removes(v)), None)
        if other is None or not any(_removes(v) for v in verbs):
            return True
        message = f"`{other.key}` does nothing to `{self.address}`, which is removed here"
        self.error("patch-verb", other.key_span, message, "either remove it, or change it")
        return False

    def may_change(self, verbs: Sequence[Entry]) -> bool:
        """Whether an option or a mode, if the address is one, is changed at a time when all see it; else that is told."""
        section = self.address.split(".")[0]
        if section not in ("options", "modes") or not self.conditional:
            return True
        inner = self.name.startswith(("option ", "mode "))
        late = next((v for v in verbs if inner or v.key != "add"), None)
        if late is not None:
            message = f"`{self.address}` is changed under a condition"
            self.error("declared-under-condition", late.key_span, message, "move it out of the condition")
        return late is None

    def current(self, address: str) -> str:
        """The address under today's name: what stands there under its own name comes first, and no old name is followed twice."""
        if address.startswith("text."):
            return "text." + address_now(self.game, address.removeprefix("text."))
        left = dict(self.game.renamed)
        while not self.stands(address):
            old = max((o for o in left if address == o or address.startswith(o + ".")), key=len, default=None)
            if old is None:
                break
            address = left.pop(old) + address[len(old) :]
        return address

    def stands(self, address: str) -> bool:
        """Whether something stands at an address, whatever would be done to it."""
        self.address = address
        return self.is_there(())

    def miss(self, entry: Entry, verbs: Mapping) -> None:
        optional = verbs.get("optional")
        severity = Severity.NOTE if isinstance(optional, Scalar) and optional.value is True else Severity.ERROR
        if self.is_blank_cell():
            help = "the cell is blank; `set` fills it"
        else:
            help = help_for_miss(self.game, self.address)
        message = f"nothing at `{self.address}`"
        if self.address != str(entry.key):
            message += f", which `{entry.key}` was renamed to"
        self.sink.add(Diagnostic("patch-misses", severity, message, entry.key_span, "", help, (), (), self.address))

    def note_writer(self, verb: Entry) -> None:
        """Two patches that write the same: the later wins, and both are named."""
        if verb.key not in ("set", "replace"):
            return
        keys = (
            [str(e.key) for e in verb.value.entries] if isinstance(verb.value, Mapping) and verb.key == "set" else [""]
        )
        for key in keys:
            place = f"{self.address}.{key}".rstrip(".")
            earlier = self.written.get(place)
            # Who types a value means it, whatever the mods say.
            if earlier is not None and earlier[0] != self.name and self.name != COMMAND_LINE:
                self.sink.warning(
                    "patch-conflict",
                    verb.key_span,
                    f"`{earlier[0]}` and `{self.name}` both write `{place}`; `{self.name}` wins",
                    related=(Related(earlier[1], f"written by `{earlier[0]}`"),),
                    address=place,
                )
            self.written[place] = (self.name, verb.key_span)

    # -------------------------------------------------------------- where an address leads
    def is_there(self, verbs: Sequence[Entry]) -> bool:
        game, parts = self.game, self.address.split(".")
        section, rest = parts[0], parts[1:]
        if section in game.tables:
            row = self.row()
            if not rest or row is None:
                return not rest
            return len(rest) == 1 or (
                len(rest) == 2 and (any(str(c.key) == rest[1] for c in row.cells) or _writes(verbs))
            )
        if section == "players":
            return not rest
        if section in ("winners", "payoff"):
            return not rest and getattr(game, section) is not None
        if section in ("setup", "play", "phases", "effects"):
            steps = self.routine_steps()
            return steps is not None and (self.step_name() is None or any(s.name == self.step_name() for s in steps))
        if section == "components":
            return self.component() is not None
        if section == "show":
            return _writes(verbs) or found_in(game.show, tuple(rest)) is not None
        if section == "text":
            return ".".join(rest) in game.texts
        if section == "scoring" and rest == ["total"] and any(not _removes(v) for v in verbs):
            return True
        named: object = {
            "values": game.values, "functions": game.functions, "modifiers": game.modifiers, "triggers": game.triggers,
            "scoring": game.scoring, "graphs": game.graphs, "options": game.options, "modes": game.modes,
        }.get(section)  # fmt: skip
        return isinstance(named, dict) and len(rest) == 1 and rest[0] in named

    def row(self) -> Row | None:
        parts = self.address.split(".")
        table = self.game.tables.get(parts[0])
        return next((r for r in table.rows if r.id == parts[1]), None) if table and len(parts) > 1 else None

    def is_blank_cell(self) -> bool:
        """Whether the address is that of a column which other rows of the table fill and this one leaves blank."""
        table, column = self.address.split(".")[0], self.address.rpartition(".")[2]
        return self.row() is not None and any(
            str(c.key) == column for r in self.game.tables[table].rows for c in r.cells
        )

    def component(self) -> EnumDecl | ThingDecl | EachHas | TableHas | None:
        parts = self.address.split(".")
        if len(parts) not in (2, 3):
            return None
        for decl in self.game.components:
            name = "table" if isinstance(decl, TableHas) else decl.name
            if name != parts[1]:
                continue
            if len(parts) == 2:
                return decl
            if not isinstance(decl, EnumDecl) and any(parts[2] in m.names for m in decl.members):
                return decl
        return None

    def routine_steps(self) -> tuple[Step, ...] | None:
        """The steps of the routine that the address lies in."""
        parts = self.address.split(".")
        if parts[0] == "setup":
            return self.game.setup
        if parts[0] == "play":
            return self.game.play
        routine = self.routine()
        return routine.steps if routine else None

    def routine(self) -> Routine | None:
        parts = self.address.split(".")
        if len(parts) < 2 or parts[0] not in ("phases", "effects"):
            return None
        return (self.game.phases if parts[0] == "phases" else self.game.effects).get(parts[1])

    def step_name(self) -> str | None:
        """The step's name, where the address is one of a step."""
        parts = self.address.split(".")
        depth = 1 if parts[0] in ("setup", "play") else 2
        return ".".join(parts[depth:]) if len(parts) > depth else None

    # -------------------------------------------------------------- putting things back
    def put_steps(self, steps: tuple[Step, ...], cite: tuple[str, ...] = ()) -> None:
        parts, given = self.address.split("."), steps
        steps = named_apart(given)
        whole = ".".join(parts[: 1 if parts[0] in ("setup", "play") else 2])
        # A text that gets a name, or is alone again, keeps its sentence.
        if len(steps) == 1 and not steps[0].name:
            self.game = alone_again(self.game, whole)
        for before, after in zip(given, steps, strict=True):
            if not before.name and after.name and whole in self.game.texts:
                self.game = moved(self.game, whole, f"{whole}.{after.name}")
        if parts[0] == "setup":
            self.game = replace(self.game, setup=steps)
        elif parts[0] == "play":
            self.game = replace(self.game, play=steps)
        elif (routine := self.routine()) is not None:
            self.put(parts[0], parts[1], replace(routine, steps=steps, cite=together(routine.cite, cite)))

    def put(self, section: str, name: str, item: object) -> None:
        """Puts an item into a section, or takes it out (None)."""
        old = dict(getattr(self.game, section))
        if item is None:
            old.pop(name, None)
        else:
            old[name] = item
        changes: dict[str, object] = {section: old}
        self.game = replace(self.game, **changes)  # type: ignore[arg-type]  # the section's own kind

    def put_row(self, row: Row | None) -> None:
        parts = self.address.split(".")
        table = self.game.tables[parts[0]]
        rows = [row if r.id == parts[1] else r for r in table.rows]
        self.put("tables", parts[0], replace(table, rows=tuple(r for r in rows if r is not None)))

    # -------------------------------------------------------------- verbs
    def mark(self, marks: Marks) -> bool:
        """Marks without a verb join what stands at the address; False where none can stand."""
        row, section, name = self.row(), self.address.split(".")[0], self.address.partition(".")[2]
        if row is not None:
            self.put_row(replace(row, marks=marks_over(marks, row.marks)))
        elif section in self.game.tables:
            table = self.game.tables[section]
            self.put("tables", section, replace(table, marks=marks_over(marks, table.marks)))
        elif section == "values":
            value = self.game.values[name]
            self.put("values", name, replace(value, marks=marks_over(marks, value.marks)))
        elif (step := self.step_name()) is not None and section in ("setup", "play", "phases", "effects"):
            steps = self.routine_steps() or ()
            self.put_steps(tuple(replace(s, cite=together(s.cite, marks.cite)) if s.name == step else s for s in steps))
        elif section in ("phases", "effects"):
            self.put_steps(self.routine_steps() or (), marks.cite)
        elif section in ("functions", "modifiers", "triggers", "scoring", "graphs", "options", "modes"):
            item = getattr(self.game, section)[name]
            self.put(section, name, replace(item, cite=together(item.cite, marks.cite)))
        else:
            return False
        return True

    def is_all_of_play(self) -> bool:
        """Whether nothing of the game itself would be left without what is at the address."""
        steps = self.game.play
        return self.address == "play" or (len(steps) == 1 and self.address == f"play.{steps[0].name}")

    def remove(self) -> bool:
        parts = self.address.split(".")
        row = self.row()
        if row is not None:
            cells = tuple(c for c in row.cells if str(c.key) != parts[2]) if len(parts) == 3 else ()
            self.put_row(replace(row, cells=cells) if len(parts) == 3 else None)
        elif parts[0] in self.game.tables:
            self.put("tables", parts[0], None)
        elif parts[0] in ("winners", "payoff"):
            changes: dict[str, object] = {parts[0]: None}
            self.game = replace(self.game, **changes)  # type: ignore[arg-type]  # both may be absent
        elif (name := self.step_name()) is not None and parts[0] in ("setup", "play", "phases", "effects"):
            self.put_steps(tuple(s for s in self.routine_steps() or () if s.name != name))
        elif parts == ["setup"]:
            self.put_steps(())
        elif parts[0] == "components":
            self.remove_component(parts)
        elif parts[0] == "text":
            self.put("texts", self.address.removeprefix("text."), None)
        elif parts[0] == "show" and self.game.show is not None:
            show = put_in(self.game.show, tuple(parts[1:]), None) if len(parts) > 1 else None
            self.game = replace(self.game, show=show if show is not None and show.entries else None)
        elif parts[0] not in ("show", "players", "play"):
            self.put(parts[0], parts[1], None)
        else:
            return False
        return True

    def remove_component(self, parts: list[str]) -> None:
        """A declaration with all its blocks, or one field."""
        kept: list[EnumDecl | ThingDecl | EachHas | TableHas] = []
        for decl in self.game.components:
            if ("table" if isinstance(decl, TableHas) else decl.name) != parts[1]:
                kept.append(decl)
            elif len(parts) == 3 and not isinstance(decl, EnumDecl):
                left = tuple(_without_name(m, parts[2]) for m in decl.members)
                new = replace(decl, members=tuple(m for m in left if m.names))
                if new.members or isinstance(new, ThingDecl):
                    kept.append(new)
        self.game = replace(self.game, components=tuple(kept))

    def set(self, value: Located, marks: Marks) -> bool:
        parts = self.address.split(".")
        row = self.row()
        if row is not None and len(parts) == 2:
            if not isinstance(value, Mapping):
                return False
            new = {str(e.key): e for e in value.entries if e.key not in _WORDS}
            copies = new.pop("copies", None)
            cells = (*(new.pop(str(c.key), c) for c in row.cells), *new.values())
            self.put_row(
                replace(
                    row, cells=cells, copies=copies.value if copies else row.copies, marks=marks_over(marks, row.marks)
                )
            )
        elif row is not None:
            self.game = self.sentences.back(self.game, self.address)
            self.put_cell(row, parts[2], value, marks)
        elif parts[0] == "values":
            old = self.game.values[parts[1]]
            if old.by_players is not None and isinstance(value, Mapping) and value.get("by players") is None:
                message = f"`{self.address}` goes by the number of players"
                self.error("patch-verb", value.span, message, "write `set: {by players: {2: …}}`")
                return True
            self.put("values", parts[1], with_value(old, value, marks))
        elif parts[0] == "text" and isinstance(value, Scalar):
            address = self.named.removeprefix("text.")
            self.game = self.sentences.written(self.game, address, read_text(address, value, self.sink))
        elif parts[0] == "options":
            self.put("options", parts[1], replace(self.game.options[parts[1]], default=value))
        elif parts[0] == "components" and len(parts) == 3:
            return self.set_member(parts[2], value)
        elif parts[0] == "players":
            return self.set_players(value)
        elif parts[0] == "show":
            return self.set_shown(parts[1:], value)
        else:
            return False
        return True

    def set_players(self, value: Located) -> bool:
        """How many can play."""
        if self.conditional:
            self.error(
                "declared-under-condition",
                value.span,
                "how many can play is changed under a condition",
                "move it out of the condition",
            )
            return True
        told = len(self.sink.diagnostics)
        players = read_players(value, self.sink)
        if players is not None:
            self.game = replace(self.game, players=players, players_span=value.span)
        return players is not None or len(self.sink.diagnostics) > told

    def set_shown(self, path: Sequence[str], value: Located) -> bool:
        """How something is drawn: of mappings only the keys named."""
        for name in reversed(path):
            value = Mapping(value.span, (Entry(name, value.span, value),))
        if isinstance(value, Mapping):
            self.game = replace(self.game, show=merged_through(self.game.show, value))
        return isinstance(value, Mapping)

    def set_member(self, name: str, value: Located) -> bool:
        """A new type for a field."""
        found = self.parse(parse_type, value)
        decl = self.component()
        if found is None or decl is None or isinstance(decl, EnumDecl):
            return found is None
        members = []
        for member in decl.members:
            if name in member.names and (member.type, member.default) == (found.type, found.default):
                return True
            if name not in member.names:
                members.append(member)
                continue
            others = tuple(n for n in member.names if n != name)
            if others:
                members.append(replace(member, names=others, name_spans=()))
            members.append(replace(member, names=(name,), name_spans=(), type=found.type, default=found.default))
        new = replace(decl, members=tuple(members))
        self.game = replace(self.game, components=tuple(new if d is decl else d for d in self.game.components))
        return True

    def put_cell(self, row: Row, column: str, value: Located, marks: Marks) -> None:
        known = any(str(c.key) == column for c in row.cells)
        cells = tuple(replace(c, value=value) if str(c.key) == column else c for c in row.cells)
        if not known:
            cells = (*cells, Entry(column, value.span, value))
        self.put_row(replace(row, cells=cells, marks=marks_over(marks, row.marks)))

    def replace_text(self, value: Located, marks: Marks) -> bool:
        parts = self.address.split(".")
        section, name = parts[0], parts[-1]
        cite = marks.cite
        if section in ("setup", "play", "phases", "effects"):
            body, own = (
                (value.get("do") or value, read_cites(value.get("cite"))) if isinstance(value, Mapping) else (value, ())
            )
            steps = read_steps(body, self.address, self.sink)
            wanted = self.step_name()
            self.game = self.sentences.back(self.game, self.address)
            if wanted is None:
                self.put_steps(steps, together(cite, own))
                return True
            one = Step(wanted, tuple(s for step in steps for s in step.body), together(cite, own), value.span)
            self.put_steps(tuple(one if s.name == wanted else s for s in self.routine_steps() or ()))
        elif section == "functions":
            head = function_head(self.game.functions[name])
            if isinstance(value, Scalar) and not begins_like_function(value.mapped):
                message = "the text of a function begins with the function's head"
                self.error("patch-verb", value.span, message, f"write `{head} …`")
                return True
            found = self.parse(parse_functions, value) or ()
            for func in found:
                if func.name != name:
                    message = f"this text defines `{func.name}`, not `{name}`"
                    self.error("patch-verb", func.name_span, message, f"write `{head} …`")
                else:
                    self.put("functions", name, replace(func, cite=together(func.cite, cite)))
        elif section == "triggers":
            rule = self.parse(parse_trigger, value)
            if isinstance(rule, When | After):
                self.put(section, name, replace(self.game.triggers[name], rule=rule, cite=cite, span=value.span))
        elif section == "modifiers":
            modifier = self.parse(parse_modifier, value)
            if modifier is not None:
                self.put(section, name, replace(self.game.modifiers[name], rule=modifier, cite=cite, span=value.span))
        elif section == "graphs":
            lines = self.parse(parse_graph, value)
            if lines is not None:
                self.put(section, name, replace(self.game.graphs[name], lines=lines, cite=cite))
        elif section in ("scoring", "winners", "payoff"):
            formula = self.expression(value)
            if formula is not None:
                self.put_term(section, name, formula, cite, value.span)
        elif section in ("values", "text") or self.row() is not None:
            return self.set(value, marks)
        else:
            return False
        return True

    def put_term(self, section: str, name: str, value: Expr, cite: tuple[str, ...], span: Span) -> None:
        term = TermDoc(name, span, value, cite)
        if section == "scoring":
            self.put("scoring", name, term)
        else:
            changes: dict[str, object] = {section: term}
            self.game = replace(self.game, **changes)  # type: ignore[arg-type]  # a term each

    # -------------------------------------------------------------- wrap
    def wrap(self, value: Located, marks: Marks) -> bool:
        parts = self.address.split(".")
        section, name = parts[0], parts[-1]
        row = self.row()
        if row is not None:
            return len(parts) == 3 and self.wrap_cell(row, name, value, marks)
        if section in ("setup", "play", "phases", "effects"):
            return self.wrap_steps(value, marks)
        if section not in ("functions", "scoring", "winners", "payoff", "values"):
            return False
        formula = self.expression(value)
        if formula is None:
            return True
        if section == "functions":
            old = self.game.functions[name]
            self.tell_captures(formula, one_expression(old))
            body = with_previous(formula, one_expression(old))
            cite = together(old.cite, *(a.cite for a in old.arms), marks.cite)
            self.put("functions", name, replace(old, arms=(), body=body, cite=cite))
        elif section == "values":
            wrapped = self.wrapped_number(self.game.values[name], formula, value)
            if wrapped is not None:
                self.put("values", name, replace(wrapped, marks=marks_over(marks, wrapped.marks)))
        else:
            term = self.game.scoring.get(name) if section == "scoring" else getattr(self.game, section)
            # the sum of all terms has no entry of its own: there `previous` stays, for the model to read as that sum
            if term is not None:
                self.tell_captures(formula, term.value)
            body = with_previous(formula, term.value) if term is not None else formula
            self.put_term(section, name, body, together(term.cite if term else (), marks.cite), value.span)
        return True

    def tell_captures(self, wrapping: Expr, old: Expr | None) -> None:
        """Names of the old expression that would mean something else where the new text says `previous`."""
        if old is not None:
            self.tell_hidden(captures(wrapping, old), "what the old expression calls")

    def tell_hidden(self, found: Iterable[Capture], what: str) -> None:
        for one in found:
            help = f"call it something else, for example `{one.name}_2`"
            related = (Related(one.meant, "this is meant there"),)
            self.error("patch-verb", one.bound, f"`{one.name}` hides {what} `{one.name}`", help, related)

    def wrapped_number(self, doc: ValueDoc, formula: Expr, value: Located) -> ValueDoc | None:
        """A number, each of a list, or each of those by number of players, put through the formula."""
        old = doc.by_players or doc.value
        new = numbers_through(old, formula, value.span) if old is not None else None
        if new is None:
            self.error("patch-verb", value.span, f"`{self.address}` is no number that this could change", "use `set`")
            return None
        return (
            replace(doc, by_players=new if isinstance(new, Mapping) else None, value=None)
            if doc.by_players
            else replace(doc, value=new)
        )

    def wrap_steps(self, value: Located, marks: Marks) -> bool:
        """The old steps become an effect of their own, which the new text performs as `previous`."""
        rules = self.parse(parse_rules, value)
        steps = self.routine_steps()
        if rules is None or steps is None:
            return True
        wanted, routine = self.step_name(), self.routine()
        old = steps if wanted is None else tuple(s for s in steps if s.name == wanted)
        params = routine.params if routine else ()
        self.tell_hidden(handed_captures(rules, params), "what was handed over as")
        name = self.fresh_effect(f"{self.address.split('.')[-1]}_before_{self.id}")
        cite = routine.cite if routine and wanted is None else tuple(c for s in old for c in s.cite)
        body = tuple(replace(s, name="" if wanted else s.name) for s in old)
        self.put("effects", name, Routine(name, old[0].span if old else value.span, params, body, None, cite))
        call = performs_previous(rules, name, tuple(p.name for p in params))
        if call is not rules:
            self.game = self.sentences.carried(self.game, self.address, f"effects.{name}")
        if wanted is None:
            self.put_steps((Step("", call, marks.cite, value.span),))
        else:
            self.put_steps(
                tuple(
                    Step(wanted, call, together(s.cite, marks.cite), value.span) if s.name == wanted else s
                    for s in steps
                )
            )
        return True

    def fresh_effect(self, name: str) -> str:
        count, free = 1, name
        while free in self.game.effects:
            count += 1
            free = f"{name}_{count}"
        return free

    def wrap_cell(self, row: Row, column: str, value: Located, marks: Marks) -> bool:
        """Numbers and a formula are put into the text; a text of rules becomes an effect."""
        cell = next((c.value for c in row.cells if str(c.key) == column), None)
        if cell is None or not isinstance(value, Scalar):
            return False
        quiet = Sink()
        formula = parse_formula(value.mapped, quiet)
        if not isinstance(cell, Scalar):
            numbers = numbers_through(cell, formula, value.span) if formula is not None else None
            if numbers is not None:
                self.put_cell(row, column, numbers, marks)
            return numbers is not None
        if formula is not None:
            if (
                isinstance(cell.value, int)
                and (number := folded_number(with_previous(formula, Int(cell.value)))) is not None
            ):
                self.put_cell(row, column, written(value, str(number), number), marks)
            else:
                self.tell_captures(formula, parse_formula(cell.mapped, quiet))
                self.put_cell(row, column, spliced(value, formula, cell.mapped.text), marks)
            return True
        rules = self.parse(parse_rules, value)
        old = self.parse(parse_rules, cell)
        if rules is None or old is None:
            return True
        name = self.fresh_effect(f"{row.id}_{column}_before_{self.id}")
        body = rewrite(old, lambda n: Name(row.id, span=n.span) if isinstance(n, This) else None)
        text = spliced(value, rules, name, bare=True)
        if text.mapped.text != value.mapped.text:
            self.game = self.sentences.carried(self.game, self.address, f"effects.{name}")
            body = (*named_row(self.game, f"effects.{name}", row.id, cell.span), *body)
        self.put("effects", name, Routine(name, cell.span, (), (Step("", body, (), cell.span),)))
        self.put_cell(row, column, text, marks)
        return True

    # -------------------------------------------------------------- steps
    def insert(self, verb: str, value: Located, marks: Marks) -> bool:
        steps = self.routine_steps()
        at_step = self.step_name()
        if steps is None or not isinstance(value, Mapping) or (at_step is None) != (verb in ("first", "last")):
            return False
        new = read_steps(value, self.address, self.sink)
        taken = {s.name or ALONE: s.span for s in steps}
        for step in new:
            if step.name in taken:
                self.exists(f"{self.address}.{step.name}", step.span, taken[step.name])
        new = tuple(s for s in new if s.name not in taken)
        match verb:
            case "first":
                result = (*new, *steps)
            case "last":
                result = (*steps, *new)
            case _:
                index = next(i for i, s in enumerate(steps) if s.name == at_step) + (verb == "after")
                result = (*steps[:index], *new, *steps[index:])
        self.put_steps(result, marks.cite)
        return True

    def inside(self, value: Located, marks: Marks) -> bool:
        """The old text in a block whose first line is given."""
        steps = self.routine_steps()
        if steps is None or not isinstance(value, Scalar):
            return False
        header = self.block_header(value)
        if header is None:
            return True
        wanted = self.step_name()
        old = [s for s in steps if wanted in (None, s.name)]
        body = tuple(statement for s in old for statement in s.body)
        block = filled_block(header, body, marks.cite)
        cite = together(*(s.cite for s in old))
        if wanted is None:
            self.put_steps((Step("", (block,), cite, value.span),))
        else:
            self.put_steps(tuple(Step(wanted, (block,), cite, s.span) if s.name == wanted else s for s in steps))
        return True

    def block_header(self, value: Scalar) -> Stmt | None:
        """The statement that a block's first line begins, with or without its colon; None, with a diagnostic, where it is none."""
        found = Sink()
        header = parse_rules(with_block(value.mapped), found)
        if header is not None and len(header) == 1 and is_block(header[0]):
            return header[0]
        quiet = Sink()
        if not found.has_errors or parse_rules(value.mapped, quiet) or parse_formula(value.mapped, quiet):
            self.error("patch-verb", value.span, "this is not the first line of a block", BLOCK_HELP)
        else:
            self.sink.extend(with_address(d, self.address) for d in found.diagnostics)
        return None

    # -------------------------------------------------------------- members
    def join(self, adds: bool, value: Located) -> bool:
        """Edges, or members of a set, join or go."""
        parts = self.address.split(".")
        row = self.row()
        if parts[0] == "graphs":
            lines = self.parse(parse_graph, value)
            if lines is not None:
                graph = self.game.graphs[parts[1]]
                for line in () if adds else lines:
                    if isinstance(line, Grid):
                        message = "only edges go from a graph one by one"
                        self.error("patch-verb", line.span, message, "use `replace`: a grid can leave out places")
                kept = (*graph.lines, *lines) if adds else self.without_edges(graph.lines, lines)
                self.put("graphs", parts[1], replace(graph, lines=kept))
            return True
        if parts[0] == "components" and isinstance(decl := self.component(), EnumDecl):
            new = self.joined_words(decl, value, adds)
            self.game = replace(self.game, components=tuple(new if d is decl else d for d in self.game.components))
            return True
        if row is not None and len(parts) == 3:
            cell = next((c.value for c in row.cells if str(c.key) == parts[2]), Listed(value.span, ()))
            if isinstance(cell, Mapping) or (isinstance(cell, Scalar) and not isinstance(cell.value, str)):
                return False
            self.put_cell(row, parts[2], self.joined_members(cell, value, adds), Marks())
            return True
        if parts[0] == "show" and len(parts) > 1:
            old_list = found_in(self.game.show, tuple(parts[1:])) or Listed(value.span, ())
            return not isinstance(old_list, Mapping) and self.set_shown(
                parts[1:], self.joined_members(old_list, value, adds)
            )
        if parts[0] in ("options", "modes") and adds and isinstance(value, Mapping):
            return self.extend_declared(parts[0], parts[1], value)
        return parts[0] == "values" and self.join_value(parts[1], value, adds)

    def join_value(self, name: str, value: Located, adds: bool) -> bool:
        """Members of a list join or go; of lists by number of players in all of them, or below `by players` in those that are named."""
        doc = self.game.values[name]
        if doc.by_players is None:
            if not isinstance(doc.value, Listed):
                return False
            self.put("values", name, replace(doc, value=self.joined_members(doc.value, value, adds)))
            return True
        if not all(isinstance(e.value, Listed) for e in doc.by_players.entries):
            return False
        named = value.get("by players") if isinstance(value, Mapping) else None
        if isinstance(value, Mapping) and not isinstance(named, Mapping):
            return False
        if named is None and not adds:
            self.told_missing(value, [i for e in doc.by_players.entries for i in listed(e.value)])
        entries = []
        for entry in doc.by_players.entries:
            given = named.get(entry.key) if isinstance(named, Mapping) else None
            if given is not None:
                entries.append(replace(entry, value=self.joined_members(entry.value, given, adds)))
            else:
                entries.append(
                    entry if named is not None else replace(entry, value=joined_list(entry.value, value, adds))
                )
        for extra in named.entries if isinstance(named, Mapping) else ():
            if doc.by_players.get(extra.key) is None:
                self.error("patch-misses", extra.key_span, f"`{self.address}` has nothing for `{extra.key}` players")
        self.put("values", name, replace(doc, by_players=replace(doc.by_players, entries=tuple(entries))))
        return True

    def joined_members(self, old: Located, value: Located, adds: bool) -> Listed:
        """A list with members that join or go; one that is to go and is not there is told."""
        if not adds:
            self.told_missing(value, listed(old))
        return joined_list(old, value, adds)

    def joined_words(self, decl: EnumDecl, value: Located, adds: bool) -> EnumDecl:
        """An enumeration with words that join or go."""
        given = [i for i in listed(value) if isinstance(i, Scalar)]
        known = tuple(zip(decl.members, decl.member_spans, strict=True))
        if adds:
            first = dict(known)
            for item in given:
                if str(item.value) in first:
                    self.exists(f"{self.address}.{item.value}", item.span, first[str(item.value)])
                elif self.is_free_word(item):
                    first[str(item.value)] = item.span
            known = tuple(first.items())
        else:
            self.told_missing(value, decl.members)
            known = tuple(pair for pair in known if pair[0] not in [i.value for i in given])
        return replace(decl, members=tuple(word for word, _ in known), member_spans=tuple(at for _, at in known))

    def is_free_word(self, item: Scalar) -> bool:
        """Whether a name is none of the language's words; else that is told."""
        taken = item.value in reserved_words()
        if taken:
            message = f"`{item.value}` is a word of the language"
            self.error("word-is-taken", item.span, message, f"choose another name, for example `{item.value}_one`")
        return not taken

    def told_missing(self, gone: Located, known: Sequence[Located | str]) -> None:
        """What is to go and is not there."""
        words = [k.value if isinstance(k, Scalar) else k for k in known]
        for item in listed(gone):
            if isinstance(item, Scalar) and item.value not in words:
                near = nearest(str(item.value), [str(w) for w in words])
                help = f"did you mean `{near}`?" if near else ""
                self.error("patch-misses", item.span, f"`{item.value}` is not in `{self.address}`", help)

    def extend_declared(self, section: str, name: str, value: Mapping) -> bool:
        """A further patch for an option or a mode that the game declares: it comes behind what that does already."""
        declared: OptionDoc | ModeDoc = self.game.options[name] if section == "options" else self.game.modes[name]
        if isinstance(declared, OptionDoc) and not is_switch(declared.type):
            return False
        known = [k for k in map(str, (e.key for e in value.entries)) if k not in ("seats", "add", "change", "when")]
        if known:
            return False
        old = declared.patch or Mapping(value.span, ())
        parts = old.get("parts")
        joined = Listed(value.span, (*(listed(parts) if parts is not None else ()), value))
        kept = tuple(e for e in old.entries if e.key != "parts")
        patch = Mapping(old.span, (*kept, Entry("parts", value.span, joined)))
        self.put(section, name, replace(declared, patch=patch))
        return True

    def without_edges(self, old: tuple[_T, ...], gone: tuple[_T, ...]) -> tuple[_T, ...]:
        """The lines without the edges named; an edge that is not there is told."""
        wanted = {(getattr(g, "start", ""), end): g for g in gone for end in getattr(g, "ends", ())}
        missed = dict(wanted)
        kept: list[_T] = []
        for item in old:
            start, ends = getattr(item, "start", ""), getattr(item, "ends", ())
            left = []
            for end in ends:
                both = ((start, end), (end, start)) if not getattr(item, "one_way", False) else ((start, end),)
                hit = next((pair for pair in both if pair in wanted), None)
                if hit is None:
                    left.append(end)
                else:
                    missed.pop(hit, None)
            if len(left) == len(ends):
                kept.append(item)
            elif left:
                changes: dict[str, object] = {"ends": tuple(left), "end_spans": ()}
                kept.append(replace(item, **changes))  # type: ignore[type-var]  # a line of edges
        for (start, end), line in missed.items():
            self.error("patch-misses", cast(Node, line).span, f"there is no edge from `{start}` to `{end}`")
        return tuple(kept)


def tell_added_under_condition(entry: Entry, sink: Sink) -> None:
    """Options and modes are there or not before anybody has chosen among them, so their declaration has no condition."""
    sink.error(
        "declared-under-condition", entry.key_span, f"`{entry.key}` are added under a condition",
        label="when would they be there to choose?", help="move what has a condition into `parts:`",
        address=f"add.{entry.key}",
    )  # fmt: skip


def _removes(verb: Entry) -> bool:
    """Whether a verb is `remove: true`."""
    return verb.key == "remove" and isinstance(verb.value, Scalar) and verb.value.value is True


def _writes(verbs: Sequence[Entry]) -> bool:
    """Whether the verbs can fill a blank cell."""
    return all(v.key in ("set", "add") for v in verbs) and bool(verbs)


def _without_name(member: Member, name: str) -> Member:
    """A line of a declaration without one of its names."""
    if name not in member.names:
        return member
    return replace(member, names=tuple(n for n in member.names if n != name), name_spans=())


def _place_of(item: object) -> Span:
    found = getattr(item, "name_span", None) or getattr(item, "span", None)
    assert isinstance(found, Span)  # all items of a definition have a place
    return found
