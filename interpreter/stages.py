"""The order of the stages, from a file to programs: text, schema, definition, patches, model, sense, IR, verifier.

This is the one module that knows the whole road. Each function takes what the one before gives, adds what it found to a sink, and
gives None where nothing usable is left. `pipeline.py` stands in front of it with a cache.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from interpreter.ir.legality import legality_lines
from interpreter.ir.lower import check_layout, lower
from interpreter.ir.program import Program
from interpreter.ir.verify import verify
from interpreter.machine.faults import EngineBug
from interpreter.machine.opening import opening_stop
from interpreter.model.addresses import addresses, pictures, sheets
from interpreter.model.check_show import check_show
from interpreter.model.checker import Extras, check_game
from interpreter.model.clause_check import check_citations
from interpreter.model.dsl_types import Member, SetOf, Truth, Type, sure
from interpreter.model.game_model import Config, Model
from interpreter.model.rule_checks import check_rules
from interpreter.outcome import Checked, Contents, DefinitionError, Facts, MissingGame, ValueKind
from interpreter.overlays import NO_OVERLAYS, ModFacts, Overlays
from interpreter.paths import clauses_path
from interpreter.syntax.canonical import canonical
from interpreter.syntax.clause_list import read_clauses
from interpreter.syntax.contents import contents, option_texts
from interpreter.syntax.definition import Changed, Definition, ModeDoc, OptionDoc
from interpreter.syntax.document import read_definition
from interpreter.syntax.file_kind import is_other, kind_of
from interpreter.syntax.idle_patches import idle_changes
from interpreter.syntax.located import Mapping as Patch
from interpreter.syntax.located import Scalar
from interpreter.syntax.mod_conditions import Part, check_own_conditions, conditional_parts
from interpreter.syntax.mod_document import mods_asked_for, read_mod
from interpreter.syntax.mod_merge import for_setting, with_overlays
from interpreter.syntax.nodes import ChoiceType, Expr, Int, Name, Negate, RangeType
from interpreter.syntax.overlay import Setting, apply_patches
from interpreter.syntax.patch_blame import Key, blamed
from interpreter.syntax.patch_parts import listed, written
from interpreter.syntax.patch_places import with_second_places
from interpreter.syntax.renamed import check_renamed
from interpreter.syntax.scenario import Case, ScenarioFile
from interpreter.syntax.scenario_document import read_scenarios
from interpreter.syntax.schema_check import check_schema
from interpreter.syntax.writer import written_definition
from interpreter.syntax.yaml_tree import load_yaml, read_source
from interpreter.text.by_address import text_at
from interpreter.text.diagnostic import Diagnostic, Related, Severity, Sink
from interpreter.text.places import Clauses, Guide, Place
from interpreter.text.source import Span
from interpreter.text.suggest import nearest

NUMBER: Final = re.compile("-?[0-9]{1,12}")


def read(path: Path, sink: Sink, overlays: Overlays = NO_OVERLAYS, patch: Patch | None = None) -> Definition | None:
    """A file, and what is laid over it, as a definition; shape and syntax problems are reported, of mods also what misses or clashes."""
    source = read_source(path, sink)
    if source is None:
        return None
    root = load_yaml(source, sink)
    if root is None:
        return None
    if is_other(root, "game", "not-a-game", sink):
        return None
    check_schema(root, "game", sink)
    definition = read_definition(source, root, sink)
    if definition is None or sink.has_errors:
        return definition
    check_renamed(root.get("renamed") if isinstance(root, Patch) else None, definition, sink)
    check_own_conditions(definition, sink)
    return with_overlays(definition, overlays, sink, patch)


def option_values(definition: Definition, given: Mapping[str, str]) -> tuple[tuple[str, int | str], ...]:
    """Every option's value: the given text, or its default. Raises MissingGame."""
    for name in given:
        if name not in definition.options:
            near = nearest(name, tuple(definition.options))
            hint = (
                f"; did you mean `{near}`?"
                if near
                else "; it has " + (", ".join(f"`{n}`" for n in definition.options) or "no options")
            )
            raise MissingGame(f"{definition.title} has no option `{name}`{hint}")
    return tuple(
        (name, _option_value(definition, option, given.get(name))) for name, option in definition.options.items()
    )


def _option_value(definition: Definition, option: OptionDoc, text: str | None) -> int | str:
    if text is None:
        value = option.default.value if isinstance(option.default, Scalar) else None
        return int(value) if isinstance(value, bool | int) else value if isinstance(value, str) else 0
    kind = option.type.type
    if isinstance(kind, ChoiceType) and set(kind.words) == {"true", "false"}:
        if text.lower() in ("true", "false"):
            return int(text.lower() == "true")
        raise MissingGame(f"option `{option.name}` is true or false, not `{text}`")
    if isinstance(kind, RangeType):
        low, high = (_end(definition, end) for end in (kind.low, kind.high))
        told = f"a number within {low}..{high}" if low is not None and high is not None else "a number"
        number = int(text) if NUMBER.fullmatch(text) else None
        if number is None or (low is not None and number < low) or (high is not None and number > high):
            raise MissingGame(f"option `{option.name}` is {told}, not `{text}`")
        return number
    if isinstance(kind, ChoiceType) and text not in kind.words:
        raise MissingGame(f"option `{option.name}` is {' or '.join(kind.words)}, not `{text}`")
    return text


def _said(option: OptionDoc, value: int | str) -> str:
    """An option's value as it is given on a command line."""
    if isinstance(option.type.type, RangeType) or isinstance(value, str):
        return str(value)
    return "true" if value else "false"


def _end(definition: Definition, node: Expr) -> int | None:
    """An end of an option's range, where it is the same for every number of players."""
    match node:
        case Int(value=value):
            return value
        case Negate(value=Int(value=value)):
            return -value
        case Name(id=name) if (doc := definition.values.get(name)) is not None and doc.by_players is None:
            found = doc.value.value if isinstance(doc.value, Scalar) else None
            return found if isinstance(found, int) and not isinstance(found, bool) else None
        case _:
            return None


def mode_of(definition: Definition, players: int, mode: str | None) -> ModeDoc | None:
    """The mode in force: the one asked for, or one whose `when` fits by itself. Raises MissingGame."""
    if mode is not None:
        if mode not in definition.modes:
            near = nearest(mode, tuple(definition.modes))
            raise MissingGame(
                f"{definition.title} has no mode `{mode}`" + (f"; did you mean `{near}`?" if near else "")
            )
        return definition.modes[mode]
    for candidate in definition.modes.values():
        if candidate.when is not None:
            wanted = candidate.when.get("players")
            if wanted is not None and any(isinstance(i, Scalar) and i.value == players for i in listed(wanted)):
                return candidate
    return None


def resolve(definition: Definition, config: Config, sink: Sink) -> Definition:
    """The definition with the patches of its options and mode applied."""
    return _resolved(definition, config, sink)[0]


def _resolved(
    definition: Definition, config: Config, sink: Sink, only: Collection[Span] | None = None
) -> tuple[Definition, tuple[Changed, ...]]:
    """The definition for one configuration, and all that patches changed in it: those of mods first, then of options and mode. With `only`,
    of all verbs those are taken that stand at these places."""
    used = definition.merged.mods if definition.merged is not None else ()
    setting = Setting(config.players, config.options, tuple(mod.id for mod in used))
    definition, trace = for_setting(definition, setting, sink, only)
    patches = [
        (f"option {n}", definition.options[n].patch)
        for n, value in config.options
        if value and n in definition.options and definition.options[n].patch is not None
    ]
    mode = definition.modes.get(config.mode) if config.mode else None
    if mode is not None:
        patches.append((f"mode {mode.name}", mode.patch))
    changed = list(trace)
    given = [(label, patch) for label, patch in patches if patch is not None]
    return (apply_patches(definition, given, sink, setting, changed, only) if given else definition), tuple(changed)


def build(definition: Definition, config: Config, sink: Sink) -> Program | None:
    """The verified program of one configuration; None if anything was reported as an error."""
    model = check_one(definition, config, sink)
    return compile_model(model, identity(definition, config), sink) if model is not None else None


def check_one(definition: Definition, config: Config, sink: Sink, extras: Extras | None = None) -> Model | None:
    """The checked model of one configuration; None if anything was reported as an error."""
    resolved, trace = _resolved(definition, config, sink)
    if sink.has_errors:
        return None
    told = Sink()
    model = _model_of(resolved, config, told, extras)

    def found_with(only: frozenset[Span]) -> frozenset[Key]:
        partly = Sink()
        _model_of(_resolved(definition, config, Sink(), only)[0], config, partly, extras)
        return frozenset(d.sort_key() for d in partly.diagnostics)

    sink.extend(with_second_places(told.diagnostics, trace, blamed(told.diagnostics, trace, found_with)))
    return None if told.has_errors else model


def _model_of(resolved: Definition, config: Config, sink: Sink, extras: Extras | None) -> Model:
    """The model of a resolved definition, with all that is checked of it."""
    model = check_game(resolved, config, sink, extras)
    check_rules(model, sink)
    check_show(model, sink)
    return model


def compile_model(model: Model, definition_hash: str, sink: Sink) -> Program | None:
    """The verified program of a checked model; None if a limit was reported."""
    program = lower(model, sink, definition_hash)
    if program is None:
        return None
    failures = verify(program)
    if failures:
        game, label = model.definition.game, model.config.label()
        raise EngineBug(f"the program of {game} for {label} does not verify: {failures[0]}")
    return program


def identity(definition: Definition, config: Config) -> str:
    """Hash of what the definition says, its options and mode (32 hexadecimal digits); layout and comments do not matter."""
    digest = blake2b(digest_size=16)
    for part in (canonical(definition), repr(config.options), repr(config.mode)):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def configurations(definition: Definition, given: Mapping[str, str], mode: str | None) -> list[Config]:
    """All that `validate` makes: every player count, with the options as given, and each switch not given turned once; every mode."""
    base = option_values(definition, given)
    found: list[Config] = []
    low, high = definition.players
    switches = [
        n
        for n, o in definition.options.items()
        if n not in given and isinstance(o.type.type, ChoiceType) and "true" in o.type.type.words
    ]
    settings = [base] + [
        tuple((n, 1 - int(v) if n == s and isinstance(v, int) else v) for n, v in base) for s in switches
    ]
    for players in range(low, high + 1):
        own = mode_of(definition, players, mode)
        for options in settings:
            found.append(Config(players, options, own.name if own is not None else None))
        if mode is None:
            found += [Config(players, base, name) for name, m in definition.modes.items() if m.when is None]
    return found


IDLE: Final = frozenset(("unused-effect", "unused-function", "unused-value", "never-said", "shows-nothing"))
"""Findings about the whole game, not about one configuration of it."""

EVERYWHERE: Final = frozenset(("empty-range",))
"""Warnings of what makes sense as soon as it does in one configuration."""


def _waits(found: Diagnostic) -> bool:
    """Whether a finding waits for what the other configurations say."""
    return found.code in IDLE or (found.code in EVERYWHERE and found.severity is Severity.WARNING)


def _head_of(path: Path) -> Patch | None:
    """A file's keys as they stand, unchecked; None where it has none. What is wrong with it is told when it is read."""
    sink = Sink()
    source = read_source(path, sink)
    root = load_yaml(source, sink) if source is not None else None
    return root if isinstance(root, Patch) else None


def is_mod(path: Path) -> bool:
    """Whether a file begins like a mod."""
    root = _head_of(path)
    return root is not None and kind_of(root) == "mod"


def mod_findings(path: Path) -> tuple[Diagnostic, ...]:
    """What is wrong with a mod's own file, whatever its game."""
    sink = Sink()
    read_mod(path, sink)
    return sink.diagnostics


def mod_facts(path: Path) -> ModFacts:
    """What a mod says of itself."""
    sink = Sink()
    mod = read_mod(path, sink)
    if mod is None or sink.has_errors:
        first = next((d.message for d in sink.diagnostics if d.severity is Severity.ERROR), "it has no header")
        return ModFacts(path, mod.id if mod is not None else "", problem=first)
    return ModFacts(
        path,
        mod.id,
        mod.version,
        mod.title,
        mod.game,
        mod.versions.text if mod.versions is not None else "*",
        tuple((wish.id, wish.text) for wish in mod.requires),
        tuple((wish.id, wish.text) for wish in mod.conflicts),
        mods_asked_for(mod.body),
    )


def version_of(path: Path) -> str:
    """The version that a game's file says it has; empty if it says none."""
    root = _head_of(path)
    said = root.get("version") if root is not None else None
    return str(said.value) if isinstance(said, Scalar) else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A definition that was read without an error, and what else was said of it meanwhile."""

    definition: Definition
    told: tuple[Diagnostic, ...]


def reading_of(path: Path, overlays: Overlays = NO_OVERLAYS, patch: Patch | None = None) -> Reading:
    """A file as a definition, with what is laid over it, a patch last of all. Raises DefinitionError."""
    sink = Sink()
    definition = read(path, sink, overlays, patch)
    if definition is None or sink.has_errors:
        raise DefinitionError(sink.diagnostics)
    return Reading(definition, sink.diagnostics)


def with_parts(
    definition: Definition, wanted: list[Config], given: Mapping[str, str], mode: str | None
) -> tuple[list[Config], list[Part]]:
    """The configurations with one more for each conditional part of a mod that is in none of them, as far as options alone decide; and the
    parts that are in none even so."""
    merged = definition.merged
    configs, left = list(wanted), list[Part]()
    used = tuple(mod.id for mod in merged.mods) if merged is not None else ()
    for part in conditional_parts(merged.patches) if merged is not None else ():
        if any(part.holds(Setting(c.players, c.options, used)) for c in configs):
            continue
        asked = {name: value for name, value in part.options().items() if name not in given}
        options = tuple((n, asked.get(n, v)) for n, v in option_values(definition, given))
        counts = part.players(range(definition.players[0], definition.players[1] + 1))
        if counts and part.holds(Setting(counts[-1], options, used)):
            own = mode_of(definition, counts[-1], mode)
            configs.append(Config(counts[-1], options, own.name if own is not None else None))
        else:
            left.append(part)
    return configs, left


def _try_part(
    definition: Definition, part: Part, others: tuple[Definition, tuple[Diagnostic, ...]] | None, sink: Sink
) -> None:
    """Applies a part that is in no configuration to a copy of the game, for what that says of the part itself. Where it asks for mods that
    are not there, `others` is the game with them, and what was said of that, if they are at hand; if not, an address that is not there may
    be one of theirs, and that is a note."""
    inside = part.body.span
    if others is not None:
        whole, told = others
        more = Sink()
        for_setting(whole, _setting_of(whole, part), more)
        sink.extend(d for d in (*told, *more.diagnostics) if _lies_in(d.span, inside))
        return
    setting, found = _setting_of(definition, part), Sink()
    base, _ = for_setting(definition, setting, found)
    if not part.holds(setting):
        found = Sink()
        apply_patches(base, [(part.patch, part.body)], found, setting)
    missing = [id for id in part.mods() if id not in setting.mods]
    for each in found.diagnostics:
        if missing and each.code == "patch-misses":
            message = f"{each.message}, unless {' or '.join(f'`{id}`' for id in missing)} brings it"
            each = replace(each, severity=Severity.NOTE, message=message)
        if _lies_in(each.span, inside):
            sink.add(each)


def _setting_of(definition: Definition, part: Part) -> Setting:
    """A setting in which a part holds, as far as the game has one."""
    asked, high = part.options(), definition.players[1]
    options = tuple((n, asked.get(n, v)) for n, v in option_values(definition, {}))
    counts = part.players(range(definition.players[0], high + 1))
    used = definition.merged.mods if definition.merged is not None else ()
    return Setting(counts[-1] if counts else high, options, tuple(mod.id for mod in used))


def _lies_in(inner: Span, outer: Span) -> bool:
    return inner.source.name == outer.source.name and outer.start <= inner.start and inner.end <= outer.end


def _with_mods(
    path: Path, overlays: Overlays, part: Part, at_hand: Mapping[str, Sequence[Path]]
) -> tuple[Definition, tuple[Diagnostic, ...]] | None:
    """The game with the mods that a part asks for, and what is said of it; None if one is not at hand, or they do not go with the rest."""
    if not all(id in at_hand for id in part.mods()) or not part.mods():
        return None
    more = [file for id in part.mods() for file in at_hand[id]]
    sink = Sink()
    found = read(path, sink, replace(overlays, mods=tuple(dict.fromkeys((*more, *overlays.mods)))))
    errors = (d for d in sink.diagnostics if d.severity is Severity.ERROR)
    if found is None or any(not _lies_in(d.span, part.body.span) for d in errors):
        return None
    return found, sink.diagnostics


def check_file(
    path: Path,
    given: Mapping[str, str],
    mode: str | None,
    overlays: Overlays = NO_OVERLAYS,
    at_hand: Mapping[str, Sequence[Path]] | None = None,
) -> Checked:
    """Everything that can be said of a file without playing it. Every configuration is checked and laid out; whole programs are made for
    the most players of each setting. Parts of mods that are in none of them are applied to a copy; `at_hand` says where the mods lie, with
    all they need, that conditions ask for. Raises MissingGame for a setting it does not have."""
    sink = Sink()
    definition = read(path, sink, overlays)
    if definition is None or sink.has_errors:
        title = definition.title if definition is not None else path.name
        return Checked(sink.diagnostics, definition.game if definition is not None else "", title, 0, ())
    wanted, untried = with_parts(definition, configurations(definition, given, mode), given, mode)
    for part in untried:
        _try_part(definition, part, _with_mods(path, overlays, part, at_hand or {}), sink)
    last: Program | None = None
    idle: Counter[Diagnostic] = Counter()
    most = {(config.options, config.mode): config for config in wanted}
    for config in wanted:
        own = Sink()
        model = check_one(definition, config, own)
        if model is not None and most[config.options, config.mode] is config:
            made = compile_model(model, "", own)
            if made is not None:
                last = made
                own = _with_opening(made, own)
        elif model is not None:
            # What a program says beyond its layout is that it is too large, and with fewer players it is smaller.
            check_layout(model, own)
        idle.update(d for d in own.diagnostics if _waits(d))
        sink.extend(d for d in own.diagnostics if not _waits(d))
    # What one configuration leaves idle may be needed in another; what a patch adds is in the configurations with that patch only.
    base = {f"effects.{name}" for name in definition.effects} | {f"functions.{name}" for name in definition.functions}
    base |= {f"values.{name}" for name in definition.values} | {f"text.{address}" for address in definition.texts}
    own_to_patches = (d for d in idle if d.code in IDLE and d.address and d.address not in base)
    sink.extend((*(d for d, n in idle.items() if n == len(wanted)), *own_to_patches))
    clauses = clauses_of(path, sink)
    if clauses is not None:
        check_citations(definition, clauses.ids, sink)
    legality = legality_lines(last) if last is not None else ()
    return Checked(sink.diagnostics, definition.game, definition.title, len(wanted), legality)


def _with_opening(program: Program, told: Sink) -> Sink:
    """What is said of a game, and of its beginning, if the rules come to a stop there whatever happens. A warning that they may is left out
    where they surely do."""
    stop = opening_stop(program)
    frames = [frame for frame in stop.fault.stack if frame.span is not None] if stop is not None else []
    if stop is None or not frames:
        return told
    place, outer = frames[0].span, frames[-1].span
    assert place is not None
    assert outer is not None
    found = Sink()
    found.extend(d for d in told.diagnostics if d.span != place)
    when = "whatever is chosen before" if stop.asked else "before anything is chosen"
    found.error(
        "stops-every-game",
        place,
        f"the rules cannot go on here, {when}: {stop.fault.message}",
        label="stops every game",
        related=(Related(outer, "begins here"),) if outer != place else (),
        address=frames[0].address,
    )
    return found


def facts_of(reading: Reading, options: Mapping[str, str], mode: str | None) -> Facts:
    """What can be said before a player count is known. Raises MissingGame."""
    definition = reading.definition
    sink = Sink()
    sink.extend(reading.told)
    low, high = definition.players
    values = option_values(definition, options)
    mode_of(definition, low, mode)
    used = definition.merged.mods if definition.merged is not None else ()
    if definition.merged is not None and definition.merged.depends:
        for players in range(low, high + 1):
            for_setting(definition, Setting(players, values, tuple(mod.id for mod in used)), sink)
    said = tuple((name, _said(definition.options[name], value)) for name, value in values)
    return Facts(
        definition.game,
        definition.title,
        definition.version,
        identity(definition, Config(low, values, mode)),
        said + ((("mode", mode),) if mode else ()),
        tuple(range(low, high + 1)),
        tuple(definition.options),
        tuple(definition.modes),
        used,
        tuple(dict.fromkeys(d.message for d in sink.diagnostics if d.code == "patch-conflict")),
    )


def program_of(definition: Definition, options: Mapping[str, str], mode: str | None, players: int) -> Program:
    """The program for a player count. Raises DefinitionError, MissingGame."""
    sink = Sink()
    own = mode_of(definition, players, mode)
    config = Config(players, option_values(definition, options), own.name if own is not None else None)
    program = build(definition, config, sink)
    if program is None:
        raise DefinitionError(sink.diagnostics)
    return program


def resolved_text(definition: Definition, players: int | None, provenance: bool) -> str:
    """A game with its mods as the text of one game file, in which options and modes can still be chosen. Where a mod asks for the number of
    players or for options, the file is for one number of players and for the options as they are by default. Raises DefinitionError,
    MissingGame."""
    low, high = definition.players
    merged = definition.merged
    if players is not None and not low <= players <= high:
        raise MissingGame(f"{definition.title} is not for {players} players")
    if merged is not None and merged.depends:
        if players is None:
            raise MissingGame("a mod asks how many play, and one file cannot say both: say `--players`")
        sink = Sink()
        setting = Setting(players, option_values(definition, {}), tuple(mod.id for mod in merged.mods))
        definition, trace = for_setting(definition, setting, sink)
        if sink.has_errors:
            raise DefinitionError(sink.diagnostics)
        definition = replace(definition, merged=replace(merged, trace=trace))
    if players is not None:
        definition = replace(definition, players=(players, players))
    return written_definition(definition, provenance)


def contents_of(
    definition: Definition, options: Mapping[str, str], mode: str | None, players: int | None = None
) -> Contents:
    """What a definition says, by address. With a number of players, an option or a mode it is what holds then, with their patches in it
    (for the most players, where nobody says how many); else what the file and its mods say for all of them. Raises DefinitionError,
    MissingGame."""
    low, high = definition.players
    if players is not None and not low <= players <= high:
        raise MissingGame(f"{definition.title} is not for {players} players")
    settled = players is not None or options or mode is not None
    depends = definition.merged is not None and definition.merged.depends and not settled
    if settled:
        own = mode_of(definition, players or 0, mode)
        config = Config(players or high, option_values(definition, options), own.name if own is not None else None)
        sink = Sink()
        definition = _with_values(resolve(definition, config, sink), config)
        if sink.has_errors:
            raise DefinitionError(sink.diagnostics)
    used = definition.merged.mods if definition.merged is not None else ()
    return Contents(
        definition.game, definition.title, definition.version, used, contents(definition), definition.renamed, depends
    )


def _with_values(definition: Definition, config: Config) -> Definition:
    """The definition whose options that change nothing by a patch of their own, but are read by rules, have the values that hold."""
    options = dict(definition.options)
    for name, value in config.options:
        default = options[name].default
        if options[name].patch is None and isinstance(default, Scalar) and default.value != value:
            said = _said(options[name], value)
            options[name] = replace(
                options[name], default=written(default, said, bool(value) if said in ("true", "false") else value)
            )
    return replace(definition, options=options)


def clauses_of(path: Path, sink: Sink) -> Clauses | None:
    """The clause list beside a game's file, if there is one."""
    place = clauses_path(path)
    return read_clauses(place, sink) if place is not None else None


def guide_of(definition: Definition, options: Mapping[str, str], mode: str | None) -> Guide:
    """The definition as a map, as it is for the most players. Raises DefinitionError, MissingGame."""
    most = definition.players[1]
    own = mode_of(definition, most, mode)
    config = Config(most, option_values(definition, options), own.name if own is not None else None)
    sink = Sink()
    resolved, trace = _resolved(definition, config, sink)
    model = check_game(resolved, config, sink)
    if sink.has_errors:
        raise DefinitionError(sink.diagnostics)
    atlas = addresses(resolved, model)
    at_times = tuple(c for c in idle_changes(definition) if c.at not in {t.at for t in trace})
    if trace or at_times:
        texts = contents(resolved) if trace else {}
        options = option_texts(resolved) if trace else {}
        atlas = replace(
            atlas,
            places=tuple(
                _with_changes(p, trace, at_times, options if p.address in options else texts) for p in atlas.places
            ),
        )
    return Guide(atlas, pictures(resolved, model), sheets(resolved))


def _with_changes(
    place: Place, trace: Sequence[Changed], at_times: Sequence[Changed], texts: Mapping[str, str]
) -> Place:
    """A place with who changed it or what lies below it, and who would at times."""
    changed, idle = _below(place.address, trace), _below(place.address, at_times)
    was = next((c.old for c in changed if c.address == place.address and c.old is not None), place.span)
    return replace(
        place,
        changed=tuple((c.patch, c.at) for c in changed),
        now=text_at(place.address, texts) or "" if changed else place.now,
        was=was if changed and (was.source.origin == "base" or was != place.span) else None,
        at_times=tuple((c.patch, c.at) for c in idle),
    )


def _below(address: str, changes: Sequence[Changed]) -> tuple[Changed, ...]:
    """The changes of an address or of what lies below it, each line once."""
    found = (c for c in changes if c.address == address or c.address.startswith(f"{address}."))
    return tuple({c.at: c for c in found}.values())


# ---------------------------------------------------------------------- scenarios
def scenarios_of(path: Path, first: int) -> ScenarioFile:
    """The cases of a scenario file, numbered from `first`. Raises DefinitionError."""
    sink = Sink()
    found = read_scenarios(path, sink, first)
    if found is None or sink.has_errors:
        raise DefinitionError(sink.diagnostics)
    return found


def case_program(
    definition: Definition, players: int, options: Mapping[str, str], mode: str | None, cases: Sequence[Case]
) -> tuple[Program, dict[str, ValueKind]]:
    """A program that also holds what cases give and test, and how the values of their expressions are said. Raises DefinitionError,
    MissingGame."""
    own = mode_of(definition, players, mode)
    config = Config(players, option_values(definition, options), own.name if own is not None else None)
    sink = Sink()
    model = check_one(definition, config, sink, _extras(cases))
    program = compile_model(model, identity(definition, config), sink) if model is not None else None
    if model is None or program is None:
        raise DefinitionError(sink.diagnostics)
    return program, {name: _value_kind(symbol.result) for name, symbol in model.probes.items()}


def _extras(cases: Sequence[Case]) -> Extras:
    rounds = [part for case in cases for part in case.rounds]
    starts = [case.start for case in cases if case.start is not None]
    return Extras(
        rules={part.given: part.rules for part in rounds if part.given},
        tests={c.name: c.condition for part in rounds for c in part.checks if c.condition is not None},
        arguments={
            name: (f"{start.name}.{argument}", value) for start in starts for name, argument, value in start.arguments
        },
    )


def _value_kind(kind: Type) -> ValueKind:
    match sure(kind):
        case Truth():
            return ValueKind(-1, "truth")
        case Member(domain):
            return ValueKind(domain, "one")
        case SetOf(of=Member(domain)):
            return ValueKind(domain, "set")
        case SetOf():
            return ValueKind(-1, "set")
        case _:
            return ValueKind(-1, "one")
