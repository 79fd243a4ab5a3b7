"""No choice tells what the player who chooses does not see.

In: a checked model. Out: diagnostics. The rules are gone through from set-up and play on, each effect once for each way in which it is
reached: who acts, what its arguments rest on, and whose choices of the same compound action are still open. Three things decide what
is offered: what a choice is made from, the conditions on the way to it since its player began to act, and whatever may fail behind
it before the action is complete, for then the option is not offered. That somebody is asked at all, or that the game ends, is an
announcement and tells what it tells. Chance ends what is looked ahead at, so what is drawn gives no option away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from interpreter.model import typed as t
from interpreter.model.dsl_types import PLAYER, Num
from interpreter.model.flow import flow_steps
from interpreter.model.game_model import Model
from interpreter.model.secrets import NONE, Env, Known, Reader, Secret, Secrets, hidden_from, joined
from interpreter.model.walk import inside, is_quiet, parts, state_written, watched
from interpreter.text.diagnostic import Related, Sink
from interpreter.text.source import Span, nowhere

SEEN = {"nobody": "seen by nobody", "owner": "seen by its owner alone", "size": "only its size is seen"}
MOST_ROUNDS = 8
MOST_LEVELS = 4


def check_secrets(model: Model, sink: Sink) -> None:
    """Runs the check, if there is anything to hide."""
    if any(x.visibility != "everyone" for many in (model.fields, model.zones) for x in many.values()):
        _Secrecy(model).report(sink)


@dataclass(frozen=True, slots=True)
class _Open:
    """A choice whose action is not complete: by whom, where (the first of that player), and what the conditions since then rest on."""

    seat: int | None
    span: Span = field(compare=False)
    since: Secrets = NONE


@dataclass(frozen=True, slots=True)
class _Here:
    """A moment. `asked` are the conditions since the player began to act, `choices` those that what fails here takes back."""

    env: Env
    asked: Secrets = NONE
    choices: frozenset[_Open] = frozenset()

    def under(self, told: Secrets) -> _Here:
        """Behind a condition."""
        if not told:
            return self
        return replace(
            self, asked=self.asked | told, choices=frozenset(replace(c, since=c.since | told) for c in self.choices)
        )

    def knowing(self, local: t.LocalSym, known: Known) -> _Here:
        """With a local."""
        return _Here({**self.env, local: known}, self.asked, self.choices)


@dataclass(frozen=True, slots=True)
class _Fail:
    """Something rests on a secret whether it fails."""

    secret: Secret
    span: Span
    address: str


Fails = frozenset[_Fail]


@dataclass(frozen=True, slots=True)
class _Way:
    """What comes of statements: the moment behind them, None if nothing comes there; what may fail before a commit, None if nothing
    does; what `end` leaves on the way, with the moment; and whether they surely commit. Choices that were open before an effect began
    are no part of the moment behind it."""

    here: _Here | None
    fails: Fails | None = None
    left: Mapping[str, _Here] = field(default_factory=dict)
    commits: bool = False


@dataclass(frozen=True, slots=True)
class _Leak:
    """Something that would give a secret away: where, by which rule, what, and the choice that is taken back if it is none itself."""

    span: Span
    address: str
    secret: Secret
    choice: Span | None


class _Secrecy:
    """Goes through the rules of one model, until nothing new is found."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.reader = Reader(model, self._could)
        self.steps = flow_steps(model)
        self.watched = watched(model)
        self.after = {x.effect: x for x in model.triggers if x.kind == "after"}
        self.known: dict[tuple[object, ...], _Way] = {}
        self.met: set[tuple[object, ...]] = set()
        self.under_way: dict[tuple[object, ...], None] = {}
        self.open: set[tuple[object, ...]] = set()
        """Ways that rest on one which is not settled yet; all others are gone once."""
        self.again = False
        self.tried: dict[tuple[object, ...], Secrets] = {}
        self.key: tuple[object, ...] = ()
        self.found: dict[Span, _Leak] = {}
        self.said: dict[Span, _Leak] = {}
        self.here: t.EffectSym | None = None
        self.asking = True
        self.acting = t.LocalSym("me", PLAYER, nowhere())  # who acts, wherever that is

    def report(self, sink: Sink) -> None:
        """Everything that is refused."""
        for _ in range(MOST_ROUNDS):
            before, tried = dict(self.known), dict(self.tried)
            self.met -= self.open
            self.open.clear()
            self.again = False
            for root in (self.model.setup, self.model.play):
                if root is not None:
                    self._perform(root, None, (), NONE)
            if not self.again or (before, tried) == (self.known, self.tried):
                break
        for leak in self.said.values():
            symbol = leak.secret.symbol
            sink.error(
                "tells-secret",
                leak.span,
                f"this sentence tells `{symbol.name}`, which not even the player it is about sees",
                label="would give it away",
                help="leave it out, or say it where it is shown",
                related=(Related(symbol.span, SEEN[symbol.visibility]),),
                address=leak.address,
            )
        for leak in self.found.values():
            symbol = leak.secret.symbol
            related = [Related(symbol.span, SEEN[symbol.visibility])]
            if leak.choice is not None:
                related.append(Related(leak.choice, "what is offered here depends on it"))
            sink.error(
                "hidden-from-chooser",
                leak.span,
                f"this choice rests on `{symbol.name}`, which the chooser does not see"
                if leak.choice is None
                else f"whether this can be done rests on `{symbol.name}`, which the player who chooses before it does not see",
                label="would give it away",
                help="let it rest on what its player sees, or make the zone open"
                if leak.choice is None
                else "options behind which it fails are not offered: put it into a `try:`, or test what everybody sees",
                related=tuple(related),
                address=leak.address,
            )

    # ---------------------------------------------------------------- findings
    def _ask(self, span: Span, me: t.LocalSym, here: _Here, told: Secrets) -> None:
        """A question to whoever acts."""
        secret = hidden_from(self._seat(me, here), told | here.asked)
        if secret is not None and self.asking and self.here is not None:
            self.found.setdefault(span, _Leak(span, self.here.address, secret, None))

    def _fail(self, span: Span, here: _Here, told: Secrets) -> Fails:
        """Something that may fail by this."""
        fails = self._fails(span, told)
        self._take_back(here, fails)
        for choice in here.choices:
            if choice.since:
                self._take_back(here, self._fails(span, choice.since))
        return fails

    def _fails(self, span: Span, told: Secrets) -> Fails:
        address = self.here.address if self.here is not None else ""
        return frozenset(_Fail(s, span, address) for s in told)

    def _take_back(self, here: _Here, fails: Fails) -> None:
        """What fails takes back the choices that are open."""
        for choice in here.choices if self.asking else ():
            for fail in sorted(fails, key=lambda f: f.secret.symbol.address):
                if hidden_from(choice.seat, (fail.secret,)):
                    self.found.setdefault(fail.span, _Leak(fail.span, fail.address, fail.secret, choice.span))

    def _say(self, stmt: t.LogStmt, me: t.LocalSym, here: _Here) -> None:
        """A sentence. What its routine then makes visible may be told; what only its player sees is told to that player; and nothing else
        that is hidden."""
        holes = [p for p in stmt.parts if not isinstance(p, str)]
        told: Secrets = frozenset()
        for hole in holes:
            secrets = self.reader.secrets(hole, here.env)
            if secrets and not (self.here is not None and self._is_shown(self.here, _named(hole), frozenset())):
                told |= secrets
        if not told:
            return
        self.model.told_to_actor.add(id(stmt))
        secret = hidden_from(self._seat(me, here), told)
        if secret is not None and self.here is not None:
            self.said.setdefault(stmt.origin.span, _Leak(stmt.origin.span, self.here.address, secret, None))

    def _is_shown(self, symbol: t.EffectSym, named: frozenset[object], seen: frozenset[t.EffectSym]) -> bool:
        """Whether a routine puts what is named where everybody sees it, itself or by what it performs."""
        for stmt in inside(self.model.code.get(symbol, ())):
            match stmt:
                case t.AssignStmt(target=t.FieldRef(symbol=to), value=value) if to.visibility == "everyone":
                    shown: tuple[object, ...] = (value,)
                case t.AddStmt(amount=amount, minus=minus, plus=plus) if any(
                    end is not None and end.symbol.visibility == "everyone" for end in (minus, plus)
                ):
                    shown = (amount,)
                case t.MoveStmt(what=what, target=target) if (
                    target.symbol is None or target.symbol.visibility == "everyone"
                ):
                    shown = (what,)
                case t.PerformStmt(symbol=target_, args=args) if target_ is not None and target_ not in seen:
                    pairs = zip(target_.params, args, strict=False)
                    inner = frozenset[object](p for p, arg in pairs if named & _named(arg))
                    if inner and self._is_shown(target_, inner, seen | {symbol}):
                        return True
                    continue
                case _:
                    continue
            if named & _named(shown):
                return True
        return False

    def _seat(self, me: t.LocalSym, here: _Here) -> int | None:
        found = here.env.get(me)
        return found.seat if found is not None else None

    def _could(self, call: t.PerformStmt, env: Env) -> Secrets:
        """What it rests on whether something can be performed: nobody is asked for that."""
        asking, self.asking = self.asking, False
        way = self._call(call, self.acting, _Here(env))
        self.asking = asking
        return _told(way.fails)

    # ---------------------------------------------------------------- effects
    def _perform(self, symbol: t.EffectSym, me: Known | None, args: tuple[Known, ...], asked: Secrets) -> _Way:
        """One effect in one way; what it leaves known of its arguments stands in the moment behind it."""
        env = dict(zip(symbol.params, args, strict=False))
        if me is not None:
            env[symbol.me] = env[self.acting] = me
        here = _Here(env, asked)
        key = (symbol, frozenset(env.items()), asked, self.asking)
        if key in self.met:
            self.again |= key in self.under_way
            if key in self.under_way or key in self.open:
                self.open.update(self.under_way)
            return self.known.get(key, _Way(here))
        self.met.add(key)
        self.under_way[key] = None
        outer, self.here, self.key = (self.here, self.key), symbol, key
        way = self._block(self.model.code.get(symbol, ()), symbol.me, here)
        way = _ended(way, here, "effect", *(("phase",) if symbol.kind == "phase" else ()))
        trigger = self.after.get(symbol)
        if trigger is not None and way.here is not None:
            way = _then(way, self._fire_after(trigger, me, args, way.here))
        if way.here is not None and (symbol.kind in ("phase", "entry") or symbol in self.steps):
            way = replace(way, here=replace(way.here, choices=frozenset()), commits=True)
        self.here, self.key = outer
        del self.under_way[key]
        self.known[key] = way
        return way

    def _done(self, way: _Way, here: _Here) -> _Way:
        """What was performed, as it stands where it was: with the locals and the open choices that are there."""
        if way.fails:
            self._take_back(here, way.fails)
        if way.fails is not None:
            for choice in here.choices:
                if choice.since and self.here is not None:
                    self._take_back(here, self._fails(choice.span, choice.since))
        open_ = frozenset[_Open]() if way.commits else here.choices

        def moment(behind: _Here) -> _Here:
            return _Here(here.env, behind.asked, _merged((*open_, *behind.choices)))

        left = {what: moment(h) for what, h in way.left.items()}
        return replace(way, here=moment(way.here) if way.here is not None else None, left=left)

    def _fire_after(self, trigger: t.Trigger, me: Known | None, args: tuple[Known, ...], here: _Here) -> _Way:
        env = dict(zip(trigger.params, args, strict=False))
        if trigger.me is not None and me is not None:
            env[trigger.me] = me
        told = self.reader.secrets(trigger.condition, env)
        known = tuple(env.get(p, Known()) for p in trigger.params)
        way = self._perform(trigger.body, me, known, here.asked | told)
        return self._rejoined(here, trigger.body.span, [(self._done(way, here.under(told)), told), (_Way(here), NONE)])

    def _set_off(self, stmt: t.Stmt, me: t.LocalSym, here: _Here) -> _Way:
        """The rules of triggers that watch what a statement writes."""
        way = _Way(here)
        written = state_written(stmt)
        if not written or self.here is None or is_quiet(self.here):
            return way
        for trigger, read in self.watched:
            if not written & read or way.here is None:
                continue
            env: dict[t.LocalSym, Known] = {}
            told = NONE
            if trigger.binder is not None and trigger.domain is not None:
                among = self.reader.value(trigger.domain, env)
                env[trigger.binder] = self.reader.member(among)
                told = among.secrets
            told |= self.reader.secrets(trigger.condition, env)
            met = way.here
            args = tuple(Known() for _ in trigger.body.params)
            fired = self._perform(trigger.body, here.env.get(me), args, met.asked | told)
            ways = [(self._done(fired, met.under(told)), told), (_Way(met), NONE)]
            way = _then(way, self._rejoined(met, stmt.origin.span, ways))
        return way

    def _call(self, stmt: t.PerformStmt, me: t.LocalSym, here: _Here) -> _Way:
        cells = self.model.cells_of(stmt.value) if stmt.value is not None else ()
        told = self.reader.secrets(stmt.value, here.env)
        args = tuple(self.reader.value(a, here.env) for a in stmt.args)
        ways = []
        for target in (stmt.symbol,) if stmt.symbol is not None else cells:
            way = self._perform(target, here.env.get(me), args, here.asked | told)
            done = self._done(way, here.under(told))
            if way.here is not None and done.here is not None:
                for param, arg in zip(target.params, stmt.args, strict=False):
                    if isinstance(arg, t.LocalRef) and param in way.here.env:
                        done = replace(done, here=done.here.knowing(arg.symbol, way.here.env[param]))
            ways.append((done, told))
        return self._rejoined(here, stmt.origin.span, ways) if ways else _Way(here)

    # ---------------------------------------------------------------- statements
    def _block(self, body: tuple[t.Stmt, ...], me: t.LocalSym, here: _Here) -> _Way:
        """Statements in order."""
        way = _Way(here)
        for stmt in body:
            if way.here is None:
                break
            way = _then(way, self._stmt(stmt, me, way.here))
            if way.here is not None:
                way = _then(way, self._set_off(stmt, me, way.here))
        return way

    def _stmt(self, stmt: t.Stmt, me: t.LocalSym, here: _Here) -> _Way:  # noqa: C901 - one case a kind of statement
        read, env, span = self.reader, here.env, stmt.origin.span
        match stmt:
            case t.LetStmt(symbol=symbol, value=value):
                return _Way(here.knowing(symbol, read.value(value, env)))
            case t.RequireStmt(condition=condition):
                return _Way(here, self._fail(span, here, read.secrets(condition, env)))
            case t.AssignStmt() | t.AddStmt() | t.SpendStmt() | t.MoveStmt() | t.OrderStmt():
                return self._change(stmt, me, here)
            case t.DealStmt(amount=amount, up_to=up_to, source=source):
                told = read.secrets(amount, env) | read.count(source, env)
                if up_to:
                    return _Way(here)
                return _Way(replace(here, choices=frozenset()), self._fail(span, here, told), commits=True)
            case t.DrawStmt(symbol=symbol, domain=domain, where=where, amount=amount, up_to=up_to, each=each):
                inner = {**env, (each or symbol): read.member(read.value(domain, env))}
                told = read.count(domain, env) if where is None else read.all_of((domain, where), inner)
                told |= read.secrets(amount, env)
                drawn = here.knowing(symbol, Known())
                if up_to:
                    return _Way(drawn)
                return _Way(replace(drawn, choices=frozenset()), self._fail(span, here, told), commits=True)
            case t.ChooseStmt():
                return self._choose(stmt, me, here)
            case t.PerformStmt():
                return self._call(stmt, me, here)
            case t.LogStmt():
                self._say(stmt, me, here)
                return _Way(here)
            case t.EndStmt(what=what):
                return _Way(None, None, {what: here})
            case t.IfStmt(branches=branches, otherwise=otherwise):
                ways = []
                told = NONE
                for condition, block in branches:
                    told |= read.secrets(condition, env)
                    ways.append((self._block(block, me, here.under(told)), told))
                ways.append((self._block(otherwise, me, here.under(told)), told))
                return self._rejoined(here, span, ways)
            case t.EitherStmt(options=options):
                return self._either(stmt, options, me, here)
            case t.TryStmt():
                return self._try(stmt, me, here)
            case t.MayStmt(body=body):
                self._ask(span, me, here, NONE)
                return self._offered(span, me, here, body)
            case t.RepeatStmt(amount=amount, up_to=up_to, body=body):
                told = read.secrets(amount, env)
                if amount is None or up_to:
                    self._ask(span, me, here, told)
                    return self._round(here, lambda h: self._offered(span, me, h, body))
                return self._round(
                    here, lambda h: self._rejoined(h, span, [(self._block(body, me, h.under(told)), told)])
                )
            case t.WhileStmt(condition=condition, body=body):

                def again(h: _Here) -> _Way:
                    told = read.secrets(condition, h.env)
                    return self._rejoined(h, span, [(self._block(body, me, h.under(told)), told)])

                return self._round(here, again)
            case t.ForEachStmt(symbol=symbol, domain=domain, where=where, body=body):

                def next_one(h: _Here) -> _Way:
                    inner = h.knowing(symbol, read.member(read.value(domain, h.env)))
                    told = read.count(domain, h.env) | read.secrets(where, inner.env)
                    return self._rejoined(h, span, [(self._block(body, me, inner.under(told)), told)])

                return self._round(here, next_one)
            case t.AllocateStmt(item=item, items=items, place=place, places=places, where=where, body=body):
                among = here.knowing(item, read.member(read.value(items, env)))
                among = among.knowing(place, read.member(read.value(places, env)))
                self._ask(span, me, here, read.all_of((items, places, where), among.env))
                return self._round(among, lambda h: self._offered(span, me, h, body))
            case t.HaveStmt(me=actor, who=who, body=body, commits=commits):
                return self._act(actor, read.value(who, env), body, here, commits)
            case t.AtOnceStmt(me=actor, who=who, body=body):
                way = self._act(actor, read.value(who, env), body, replace(here, choices=frozenset()), True)
                return replace(way, fails=None, commits=True)
            case t.TurnsStmt(me=actor, order=order, body=body):
                way = self._act(actor, read.member(read.value(order, env)), body, here, True)
                return _ended(way, here, "turn")
            case t.WindowStmt(effect=effect, who=who, body=body):
                guest = read.value(who, env) if who is not None else env.get(me, Known())
                seat = guest.seat if guest.seat is not None else _inner(self._seat(me, here))
                offer = _Here({}, NONE, frozenset({_Open(seat, span)}))
                self._done(self._perform(effect, Known(seat=seat), (), NONE), offer)
                return self._block(body, me, here)

    def _choose(self, stmt: t.ChooseStmt, me: t.LocalSym, here: _Here) -> _Way:
        read, env, span = self.reader, here.env, stmt.origin.span
        among = read.value(stmt.domain, env)
        inner = {**env, (stmt.each or stmt.symbol): read.member(among)}
        inner |= {unit: Known() for unit in stmt.units}
        told = read.all_of((stmt.where, stmt.amount, *stmt.stock), inner)
        self._ask(span, me, here, among.secrets | told)
        fails = None
        if not stmt.up_to:
            fewer = read.count(stmt.domain, env) if stmt.where is None else among.secrets
            fails = self._fail(span, here, fewer | told)
        seat = self._seat(me, here)
        after = here.knowing(stmt.symbol, read.member(among))
        for unit in stmt.units:
            after = after.knowing(unit, Known())
        return _Way(replace(after, choices=_merged((*after.choices, _Open(seat, span)))), fails)

    def _either(self, stmt: t.EitherStmt, options: tuple[t.OptionBody, ...], me: t.LocalSym, here: _Here) -> _Way:
        span = stmt.origin.span
        told = self.reader.all_of((o.condition for o in options), here.env)
        self._ask(span, me, here, told)
        inner = replace(here, choices=frozenset({_Open(self._seat(me, here), span)}))
        ways = [self._block(o.body, me, inner) for o in options]
        sure = any(o.condition is None and w.fails is None for o, w in zip(options, ways, strict=True))
        fails: Fails | None = None
        if not sure:
            fails = self._fail(span, here, told).union(*(w.fails for w in ways if w.fails is not None))
            self._take_back(here, fails)
        back = [w if w.commits else replace(w, here=_with_choices(w.here, here.choices)) for w in ways]
        return replace(self._rejoined(here, span, [(w, NONE) for w in back]), fails=fails)

    def _try(self, stmt: t.TryStmt, me: t.LocalSym, here: _Here) -> _Way:
        """What fails in the first block takes back only choices in there, and says which of the two is carried out."""
        span, inside = stmt.origin.span, replace(here, choices=frozenset())
        at = (id(stmt), self.key)
        told = self.tried.get(at, NONE)
        first = self._block(stmt.body, me, inside.under(told))
        if not _told(first.fails) <= told:
            self.again = True
            self.open.update(self.under_way)
            told = self.tried[at] = told | _told(first.fails)
        outer = frozenset[_Open]() if first.commits else here.choices
        ways = [(replace(first, here=_with_choices(first.here, outer), fails=None), told)]
        if first.fails is not None:
            ways.append((self._block(stmt.otherwise, me, here.under(told)), told))
        return self._rejoined(here, span, ways)

    def _offered(self, span: Span, me: t.LocalSym, here: _Here, body: tuple[t.Stmt, ...]) -> _Way:
        """What may be declined: nothing in it takes back an earlier choice."""
        mine = _Open(self._seat(me, here), span)
        way = self._block(body, me, replace(here, choices=frozenset({mine})))
        after = _with_choices(way.here, frozenset() if way.commits else here.choices)
        declined = replace(here, choices=_merged((*here.choices, mine)))
        return self._rejoined(here, span, [(replace(way, here=after, fails=None), NONE), (_Way(declined), NONE)])

    def _round(self, here: _Here, step: Callable[[_Here], _Way]) -> _Way:
        """Something that is done again and again, or not at all."""
        way = _Way(here)
        while True:
            assert way.here is not None
            again = step(way.here)
            both = self._rejoined(way.here, nowhere(), [(again, NONE), (way, NONE)])
            if both == way:
                return _ended(way, here, "loop")
            way = both

    def _act(self, actor: t.LocalSym, who: Known, body: tuple[t.Stmt, ...], here: _Here, commits: bool) -> _Way:
        """Others act: one, or each of several in turn. Who it is, and that they are asked, is no secret any more."""

        def step(h: _Here) -> _Way:
            seat = who.seat
            if seat is None:
                seat = _inner(self._seat(self.acting, h))
                h = _forgotten(h, seat)
            inner = replace(h, asked=NONE).knowing(actor, Known(seat=seat)).knowing(self.acting, Known(seat=seat))
            way = self._block(body, actor, inner)
            if way.here is None:
                return way
            choices = frozenset[_Open]() if commits else way.here.choices
            return replace(way, here=replace(way.here, asked=h.asked, choices=choices))

        return self._round(here, step)

    def _rejoined(self, before: _Here, span: Span, ways: Iterable[tuple[_Way, Secrets]]) -> _Way:
        """Where ways come together that parted by conditions. What was asked for is no matter behind it, unless one of them has left."""
        ways = tuple(ways)
        fails = [way.fails | self._fails(span, told) for way, told in ways if way.fails is not None]
        left = _left(way for way, _ in ways)
        met: _Here | None = None
        for way, _ in ways:
            if way.here is not None:
                met = way.here if met is None else _either_moment(met, way.here)
        if met is not None:
            if left.keys() - {"game"}:
                met = met.under(frozenset(s for way, told in ways if way.left for s in told))
            else:
                met = _as_asked(met, before)
            met = _Here({s: known for s, known in met.env.items() if s in before.env}, met.asked, met.choices)
        commits = all(way.commits for way, _ in ways if way.here is not None)
        return _Way(met, frozenset[_Fail]().union(*fails) if fails else None, left, commits)

    # ---------------------------------------------------------------- changes
    def _change(self, stmt: t.Stmt, me: t.LocalSym, here: _Here) -> _Way:
        """State or a local changes; what is put where everybody sees it is known from then on."""
        read, env, span = self.reader, here.env, stmt.origin.span
        match stmt:
            case t.AssignStmt(target=t.LocalRef(symbol=local), value=value):
                known = read.value(value, env)
                return _Way(here.knowing(local, replace(known, secrets=known.secrets | here.asked)))
            case t.AssignStmt(target=t.FieldRef() as target, value=value):
                fails = None
                if self._may_not_fit(target, value):
                    told = read.all_of((value, *target.keys), env) | self._room(target, env, False)
                    fails = self._fail(span, here, told)
                open_ = target.symbol.visibility == "everyone"
                return _Way(self._shown(value, here, Known()) if open_ else here, fails)
            case t.AddStmt(amount=amount, mode=mode, minus=minus, plus=plus, routed=routed):
                told = read.secrets(amount, env)
                fails = None
                if mode == "exactly" or (mode == "all" and plus is not None):
                    told |= frozenset(s for r in (minus, plus) if r is not None for s in self._room(r, env, True))
                    fails = self._fail(span, here, told)
                after = here
                if amount is not None and any(r and r.symbol.visibility == "everyone" for r in (minus, plus)):
                    after = self._shown(amount, here, Known())
                way = _Way(after, fails)
                if routed is not None:
                    args = tuple(read.value(e, env) for e in (stmt.routed_key, amount) if e is not None)
                    way = _then(way, self._done(self._perform(routed, env.get(me), args, here.asked), after))
                return way
            case t.SpendStmt(amount=amount, field=spent, keys=keys, places=places):
                told = read.all_of((amount, places, *keys), env)
                if spent.visibility != "everyone":
                    told |= {Secret(spent, None)}
                self._ask(span, me, here, told)
                fails = self._fail(span, here, told)
                return _Way(replace(here, choices=_merged((*here.choices, _Open(self._seat(me, here), span)))), fails)
            case t.MoveStmt(what=what, target=target):
                fails = None
                where = read.value(target, env)
                if target.slot is not None or (target.symbol is not None and target.symbol.size > 0):
                    fails = self._fail(span, here, where.secrets)
                seen = where.place
                known = Known(NONE if not seen else read.secrets(what, env), None, seen, where.holder)
                return _Way(self._shown(what, here, known), fails)
            case _:
                return _Way(here)

    def _shown(self, value: t.Expr, here: _Here, known: Known) -> _Here:
        """A local that is stored or moved is known by where it went."""
        if not isinstance(value, t.LocalRef) or value.symbol not in here.env:
            return here
        was = here.env[value.symbol]
        return here.knowing(value.symbol, replace(was, secrets=known.secrets, place=known.place, holder=known.holder))

    def _room(self, target: t.FieldRef, env: Env, itself: bool) -> Secrets:
        """What it rests on whether something fits into a field: its range, and what it holds if that is added to."""
        told = self.reader.secrets(target, env) if itself else NONE
        bounds = self.model.bounds.get(target.symbol)
        if bounds is not None:
            this = target.symbol.this
            owner = self.reader.value(target.owner, env) if target.owner is not None else Known()
            told |= self.reader.all_of((bounds.low, bounds.high), {this: owner} if this is not None else {})
        return told

    def _may_not_fit(self, target: t.FieldRef, value: t.Expr) -> bool:
        kind, given = target.symbol.type, value.type
        if not isinstance(kind, Num):
            return False
        bounds = self.model.bounds.get(target.symbol)
        fixed = bounds is None or all(b is None or isinstance(b, t.Const) for b in (bounds.low, bounds.high))
        return not (fixed and isinstance(given, Num) and kind.lo <= given.lo and given.hi <= kind.hi)


def _named(node: object) -> frozenset[object]:
    """The locals, fields and zones that an expression names, but for who acts."""
    return frozenset(
        part.symbol
        for part in parts(node)
        if isinstance(part, t.LocalRef | t.FieldRef | t.ZoneRef)
        and part.symbol is not None
        and not (isinstance(part, t.LocalRef) and part.symbol.name == "me")
    )


# ---------------------------------------------------------------- ways
def _told(fails: Fails | None) -> Secrets:
    return frozenset(f.secret for f in fails or ())


def _then(first: _Way, second: _Way) -> _Way:
    """One thing after another."""
    behind = None if first.commits else second.fails
    fails = first.fails if behind is None else behind | (first.fails or frozenset())
    return _Way(second.here, fails, _left((first, second)), first.commits or second.commits)


def _left(ways: Iterable[_Way]) -> dict[str, _Here]:
    found: dict[str, _Here] = {}
    for way in ways:
        for what, here in way.left.items():
            found[what] = _either_moment(found[what], here) if what in found else here
    return found


def _either_moment(a: _Here, b: _Here) -> _Here:
    """What holds whichever of two ways led here."""
    if a == b:
        return a
    env = {s: joined(a.env[s], b.env[s]) for s in a.env if s in b.env}
    return _Here(env, a.asked | b.asked, _merged((*a.choices, *b.choices)))


def _merged(choices: Iterable[_Open]) -> frozenset[_Open]:
    found: dict[int | None, _Open] = {}
    for c in choices:
        first = found.setdefault(c.seat, c)
        if not c.since <= first.since:
            found[c.seat] = _Open(first.seat, first.span, first.since | c.since)
    return frozenset(found.values())


def _as_asked(here: _Here, before: _Here) -> _Here:
    """A moment with the conditions of an earlier one."""
    since = {c.seat: c for c in before.choices}
    return _Here(here.env, before.asked, frozenset(since.get(c.seat, c) for c in here.choices))


def _ended(way: _Way, before: _Here, *kinds: str) -> _Way:
    """Behind what `end` can leave."""
    met = way.here
    for kind in kinds:
        if kind in way.left:
            met = way.left[kind] if met is None else _either_moment(met, way.left[kind])
    left = {what: here for what, here in way.left.items() if what not in kinds}
    if met is not None and not left.keys() - {"game"}:
        met = _as_asked(met, before)
    return _Way(met, way.fails, left, way.commits)


def _with_choices(here: _Here | None, more: frozenset[_Open]) -> _Here | None:
    return replace(here, choices=_merged((*here.choices, *more))) if here is not None else None


def _inner(seat: int | None) -> int:
    """The number of who acts inside what another does; those that stand far in share one."""
    return -1 if seat is None or seat >= 0 else max(seat - 1, -MOST_LEVELS)


def _forgotten(here: _Here, seat: int) -> _Here:
    """A moment at which that player is another one than before."""

    def told(secrets: Secrets) -> Secrets:
        return frozenset(replace(s, seat=None) if s.seat == seat else s for s in secrets)

    env = {
        local: Known(
            told(k.secrets), None if k.seat == seat else k.seat, told(k.place), None if k.holder == seat else k.holder
        )
        for local, k in here.env.items()
    }
    choices = _merged(replace(c, seat=None if c.seat == seat else c.seat, since=told(c.since)) for c in here.choices)
    return _Here(env, told(here.asked), choices)
