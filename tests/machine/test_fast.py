"""What surrounds the fast machine when something is not as it should be: its cache, a system without it, budgets, traps, and saves that
change machines. That both machines do the same is tested in tests/differential."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import wasmtime
from click.testing import CliRunner, Result

from cli import rulewright
from interpreter import paths, sealed
from interpreter.drivers.simulate import Plan, simulate
from interpreter.fast import fast_machine
from interpreter.ir.ir_types import IntT
from interpreter.ir.ops import Branch, Call, Check, Choose, Const, Fail, Halt, Jump, Load, Local, Probe, Return
from interpreter.ir.program import Program
from interpreter.ir.steps import STEPS, WITHIN
from interpreter.ir.verify import verify
from interpreter.machine.faults import BudgetExhausted, EngineBug, MachineFault
from interpreter.machine.protocol import NATURE, Executor
from interpreter.machine.reference import Reference
from interpreter.machine.state import Machine
from interpreter.machine.wasm.executor import WasmMachine
from interpreter.machine.wasm.host import Compiled, Instance, Trapped
from interpreter.machine.wasm.memory import ARENA, GAME, ROOM, WHY
from interpreter.machine.wasm.module import build
from interpreter.machine.wasm.values import CELL
from interpreter.pipeline import load
from tests.machine.building import SMALL, Build, add, full, op
from tests.machine.games import duel, nim, open_nim

ROOT = Path(__file__).resolve().parents[2]
SMALL_GAMES = ROOT / "tests" / "properties" / "small"
SEAT = IntT(0, 1)
WIDE = IntT(0, 2**30)


def fast(program: Program) -> WasmMachine:
    """The fast machine of a program that holds what it must; nothing of it is kept."""
    assert verify(program) == ()
    return fast_machine(program, lambda make: make(), None)


def command(*args: str) -> Result:
    """A command in this process."""
    return CliRunner().invoke(rulewright, args)


# ------------------------------------------------------------------ the cache
def cut(at: int) -> Callable[[bytes], bytes]:
    """Leaves so many bytes, or drops so many."""
    return lambda whole: whole[:at]


def flipped(whole: bytes) -> bytes:
    """One bit in the middle is another."""
    middle = len(whole) // 2
    return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": cut(0),
    "only a seal": cut(sealed.SEAL),
    "cut off": cut(-1),
    "one bit": flipped,
    "something else": lambda whole: b"\x7fELF" + os.urandom(200),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_module_is_made_again(damage: str, tmp_path: Path):
    raw = build(nim()).raw
    Compiled(raw, tmp_path)
    (place,) = tmp_path.iterdir()
    place.write_bytes(DAMAGE[damage](place.read_bytes()))
    assert sealed.read(place) is None
    assert "take" in Instance(Compiled(raw, tmp_path))._functions
    assert list(tmp_path.iterdir()) == [place]
    assert sealed.read(place) is not None


def test_a_module_of_another_game_is_made_again(tmp_path: Path):
    """Under the right name, whole and sealed: but for another name."""
    raw, other = build(nim()).raw, build(nim(most=2)).raw
    Compiled(other, tmp_path)
    (foreign,) = tmp_path.iterdir()
    Compiled(raw, tmp_path)
    (place,) = set(tmp_path.iterdir()) - {foreign}
    place.write_bytes(foreign.read_bytes())
    assert sealed.read(place) is None
    Compiled(raw, tmp_path)
    content = sealed.read(place)
    assert content is not None
    assert content != sealed.read(foreign)


def test_code_for_another_processor_is_made_again(tmp_path: Path):
    """Whole and in its place, but nothing that this system runs."""
    raw = build(nim()).raw
    Compiled(raw, tmp_path)
    (place,) = tmp_path.iterdir()
    sealed.write(place, b"\x7fELF" + bytes(5000))
    Instance(Compiled(raw, tmp_path))
    content = sealed.read(place)
    assert content is not None
    assert content[100:5000] != bytes(4900)


def test_a_cache_that_cannot_be_used_is_no_fault(tmp_path: Path):
    raw = build(nim()).raw
    Compiled(raw, tmp_path)
    (place,) = tmp_path.iterdir()
    place.unlink()
    place.mkdir()
    Instance(Compiled(raw, tmp_path))
    assert list(tmp_path.iterdir()) == [place]
    (tmp_path / "file").write_text("no folder")
    Instance(Compiled(raw, tmp_path / "file"))


def test_all_that_is_kept_of_a_game_may_be_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(paths, "cache_dir", lambda: tmp_path)
    before = load("tic_tac_toe").new(2, 1).to_bytes()
    kept = sorted((tmp_path / "compiled").iterdir())
    assert {place.name.split("-")[0] for place in kept} == {"reading", "facts", "program", "module", "machine"}
    whole = [place.read_bytes() for place in kept]
    for place in kept:
        place.write_bytes(flipped(place.read_bytes()))
    assert load("tic_tac_toe").new(2, 1).to_bytes() == before
    assert sorted((tmp_path / "compiled").iterdir()) == kept
    assert [len(place.read_bytes()) for place in kept] == [len(content) for content in whole]


# ------------------------------------------------------------------ where it cannot be had
ABSENT = {
    "not installed": "raise ModuleNotFoundError(\"No module named 'wasmtime'\")",
    "another system": "raise RuntimeError('unsupported platform `plan9` for wasmtime')",
    "a library that does not load": "raise OSError('libwasmtime.so: invalid ELF header')",
}


@pytest.mark.parametrize(
    "absent", [pytest.param(absent, marks=pytest.mark.slow if n else ()) for n, absent in enumerate(ABSENT)]
)
def test_without_wasmtime_the_reference_machine_goes_on(absent: str, tmp_path: Path):
    (tmp_path / "wasmtime.py").write_text(ABSENT[absent], encoding="utf-8")
    args = ["simulate", "tic_tac_toe", "--games", "3", "--seed", "1", "--jobs", "1", "--json", "-q"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), *args],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    (note,) = done.stderr.splitlines()
    assert note.startswith("note: the fast machine cannot be loaded (")
    assert note.endswith("; going on with the reference machine")
    assert done.returncode == 0
    assert done.stdout == command(*args).stdout


VERBS: dict[str, tuple[list[str], int]] = {
    "simulate": (["simulate", "tic_tac_toe", "--games", "3", "--seed", "1"], 0),
    "simulate, stopped": (["simulate", "tic_tac_toe", "--games", "3", "--seed", "1", "--limit-actions", "2"], 3),
    "perft": (["perft", "tic_tac_toe", "2"], 0),
    "play": (["play", "tic_tac_toe", "--bots", "random", "--seed", "1", "--no-save"], 0),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("part", ["Config", "Instance"])
def test_where_it_does_not_run_that_is_said_once(verb: str, part: str, monkeypatch: pytest.MonkeyPatch):
    args, code = VERBS[verb]
    with_it = command(*args)

    def refuse(*_: object) -> None:
        raise wasmtime.WasmtimeError("failed to create memory\n\nCaused by:\n    out of address space")

    monkeypatch.setattr(wasmtime, part, refuse)
    done = command(*args)
    assert (done.exit_code, with_it.exit_code) == (code, code)
    assert done.stdout == with_it.stdout
    notes = [line for line in done.stderr.splitlines() if "machine" in line]
    (note,) = notes
    assert note.startswith("note: the fast machine does not run here (failed to create memory: ")
    assert note.endswith("; going on with the reference machine")


def test_threads_without_room_for_an_instance_leave_their_games_to_others():
    plan = Plan(2, 12, 7, ("random", "random"))
    machine = fast(nim(stones=9))
    left = [None, machine.batch()]
    assert simulate(open_nim, plan, bulk=lambda: None) == simulate(open_nim, plan)
    assert simulate(open_nim, plan, jobs=2, bulk=left.pop) == simulate(open_nim, plan)


# ------------------------------------------------------------------ the same for any machine and number of jobs
@pytest.mark.parametrize(
    ("game", "games", "ways"),
    [
        ("kuhn_poker", 45, [("wasm", 1), ("wasm", 2), ("wasm", 5), ("reference", 1)]),
        pytest.param("kuhn_poker", 45, [("wasm", 1), ("reference", 2), ("reference", 5)], marks=pytest.mark.slow),
        ("night_soil", 3, [("wasm", 1), ("wasm", 2), ("wasm", 5)]),
        pytest.param("night_soil", 5, [("wasm", 5), ("reference", 1), ("reference", 5)], marks=pytest.mark.slow),
    ],
)
def test_simulate_gives_the_same_document(game: str, games: int, ways: list[tuple[str, int]]):
    args = ("simulate", game, "--games", str(games), "--seed", "five", "--json", "-q")
    found = {command(*args, "--machine", machine, "--jobs", str(jobs)).stdout_bytes for machine, jobs in ways}
    (document,) = found
    assert json.loads(document)["outcomes"]["finished"] == games


# ------------------------------------------------------------------ budgets
Act = Callable[[Executor, list[int]], object]
Outcome = tuple[object, ...]


def take(machine: Executor, row: list[int]) -> object:
    """The first option."""
    machine.take(row, 0, 0)
    return None


def options(machine: Executor, row: list[int]) -> object:
    """All of them."""
    return machine.options(row, 0)


def outcome(machine: Executor, act: Act, n: int) -> Outcome:
    """What an act at the first choice comes to, where the first variable is n: what it gives and the row, or the fault with all that is
    said of it."""
    row = machine.new_row((1, 0))
    machine.start(row)
    row[machine.program.vars[0].base] = n
    try:
        return act(machine, row), tuple(row)
    except MachineFault as fault:
        return type(fault), fault.message, fault.stack, fault.cycle if isinstance(fault, BudgetExhausted) else ()


def alone(program: Program) -> WasmMachine:
    """The fast machine without any help."""

    def nobody() -> Executor:
        raise AssertionError("the reference machine is asked")

    built = build(program)
    return WasmMachine(program, built, Compiled(built.raw), nobody)


def rounds(looks: bool) -> Program:
    """A choice, then so many rounds as `n` says, each of which calls something; then it is over, unless something fails. With `looks` they
    come while looking ahead, too."""
    b = Build()
    n, ask, why = b.var("n", WIDE), b.decision("ask"), b.check("it cannot be")
    main, spin, step = b.proc(SEAT, address="main"), b.proc(address="spin"), b.proc(address="step")
    b.block(main, term=Choose(Const(0), 0, full(2), None, Probe(1) if looks else None, 1, ask))
    b.block(main, term=Call(spin, (), 2))
    b.block(main, Check(op("eq", Load(n, Const(0)), 0), why), term=Halt())
    b.block(spin, term=Branch(op("gt", Load(n, Const(0)), 0), 4, 5))
    b.block(spin, add(n, -1), term=Call(step, (), 6))
    b.block(spin, term=Return())
    b.block(spin, term=Jump(3))
    b.block(step, term=Return())
    return b.program()


def choices() -> Program:
    """Look-ahead has to choose `n` times until the action is complete."""
    b = Build()
    n, ask = b.var("n", WIDE), b.decision("ask")
    p = b.proc(SEAT, SMALL, address="main")
    b.block(p, term=Choose(Const(0), 1, full(1), None, Probe(1), 1, ask))
    b.block(p, add(n, -1), term=Branch(op("gt", Load(n, Const(0)), 0), 0, 2))
    b.block(p, term=Halt())
    return b.program()


def within() -> Program:
    """The look-ahead at the first choice asks for another, and so on, `n` in all."""
    b = Build()
    n, ask = b.var("n", WIDE), b.decision("ask")
    p = b.proc(SEAT, SMALL, address="main")
    b.block(p, term=Choose(Const(0), 1, full(1), None, Probe(1), 1, ask))
    b.block(p, add(n, -1), term=Branch(op("gt", Load(n, Const(0)), 0), 2, 3))
    b.block(p, term=Branch(Probe(1), 3, 4))
    b.block(p, term=Halt())
    b.block(p, term=Fail(b.check()))
    return b.program()


FEW = 2_000
"""As many tries as the look-ahead of these tests has; the limit of every game takes seconds."""
BUDGETS = [
    pytest.param(rounds(looks=False), take, STEPS // 2 - 1, "steps were taken", ("spin", "step"), id="steps"),
    pytest.param(rounds(looks=True), options, STEPS // 2 - 1, "steps were taken", ("spin", "step"), id="steps ahead"),
    pytest.param(choices(), options, FEW + 1, "look-ahead tried", (), id="tries ahead"),
    pytest.param(within(), options, WITHIN, "look-aheads were begun", (), id="look-ahead within look-ahead"),
]


@pytest.mark.parametrize(("program", "act", "most", "message", "cycle"), BUDGETS)
def test_a_budget_ends_at_the_same_step(
    program: Program, act: Act, most: int, message: str, cycle: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("interpreter.machine.look_ahead.TRIES", FEW)
    monkeypatch.setattr("interpreter.machine.wasm.look_ahead.TRIES", FEW)
    slow, quick, helpless = Reference(program), fast(program), alone(program)
    fits = outcome(slow, act, most)
    assert fits[0] is not BudgetExhausted
    assert outcome(helpless, act, most) == fits
    ended = outcome(slow, act, most + 1)
    assert ended[0] is BudgetExhausted
    assert message in str(ended[1])
    assert ended[2]
    assert ended[3] == cycle
    assert outcome(quick, act, most + 1) == ended
    with pytest.raises(AssertionError, match="the reference machine is asked"):
        outcome(helpless, act, most + 1)


def test_what_is_too_deep_for_its_stack_is_left_to_the_reference_machine():
    """No fault of anybody: only room was wanting."""
    b = Build(stack_cells=200_000)
    n, ask = b.var("n", WIDE), b.decision("ask")
    main, nest = b.proc(SEAT, address="main"), b.proc(address="nest")
    b.block(main, term=Choose(Const(0), 0, full(2), None, None, 1, ask))
    b.block(main, term=Call(nest, (), 2))
    b.block(main, term=Halt())
    b.block(nest, add(n, -1), term=Branch(op("gt", Load(n, Const(0)), 0), 4, 5))
    b.block(nest, term=Call(nest, (), 5))
    b.block(nest, term=Return())
    program = b.program()
    assert outcome(alone(program), take, 1000) == outcome(Reference(program), take, 1000)
    with pytest.raises(AssertionError, match="reference machine is asked"):
        outcome(alone(program), take, 90_000)
    assert outcome(fast(program), take, 90_000) == outcome(Reference(program), take, 90_000)


# ------------------------------------------------------------------ traps
def broken(patch: pytest.MonkeyPatch, name: str, after: int = 0, why: int = 0) -> None:
    """From now on the module traps in this function, once it was called so often."""
    whole = Instance.call
    left = [after]

    def call(self: Instance, called: str, *args: int) -> int:
        if called == name:
            left[0] -= 1
            if left[0] < 0:
                self.cells[WHY // CELL] = why
                raise Trapped(name)
        return whole(self, called, *args)

    patch.setattr(Instance, "call", call)


ACTS: dict[str, Callable[[Machine], object]] = {
    "begin": lambda machine: machine.new(1),
    "player": lambda machine: machine.new(1).to_act(),
    "options": lambda machine: machine.new(1).legal(0),
    "take": lambda machine: machine.new(1).apply(Machine(Reference(machine.program)).new(1).legal(0)[0]),
    "function": lambda machine: machine.new(1).winners(),
}


@pytest.mark.parametrize("name", ACTS)
def test_a_trap_that_nothing_explains_is_our_fault(name: str, monkeypatch: pytest.MonkeyPatch):
    machine = Machine(fast(nim()))
    ACTS[name](machine)
    broken(monkeypatch, name)
    with pytest.raises(EngineBug, match="the fast machine stopped where the reference machine goes on"):
        ACTS[name](machine)


@pytest.mark.parametrize("name", ACTS)
def test_a_trap_for_want_of_room_is_not(name: str, monkeypatch: pytest.MonkeyPatch):
    machine = Machine(fast(nim()))
    broken(monkeypatch, name, why=ROOM)
    ACTS[name](machine)


def maze(depth: int, cells: int) -> Program:
    """Go out at once, or into a maze where all of 2^depth ways fail and no two rows are alike; a row has so many cells and some."""
    b = Build()
    n, put, ask, why = b.var("n", IntT(0, depth)), b.var("put", count=cells), b.decision("ask"), b.check("lost")
    p = b.proc(SEAT, SMALL)
    b.block(p, term=Choose(Const(0), 1, full(2), None, Probe(1), 1, ask))
    b.block(p, term=Branch(op("eq", Local(1), 1), 4, 2))
    b.block(p, term=Choose(Const(0), 1, full(2), None, None, 3, ask))
    b.block(p, add(put, Local(1), Load(n, Const(0))), add(n, 1), term=Branch(op("lt", Load(n, Const(0)), depth), 2, 5))
    b.block(p, term=Halt())
    b.block(p, Check(Const(0), why), term=Halt())
    return b.program()


def test_a_long_search_has_room():
    """Kept whole, the rows that it meets would take more than there is."""
    program = maze(13, 2050)
    assert (1 << 13) * CELL * program.row_cells > ARENA
    machine = fast(program)
    machine._make_slow = lambda: pytest.fail("the reference machine takes over")
    assert [a.value for a in Machine(machine).new(1).legal(0)] == [1]


def test_a_draw_that_traps_is_our_fault(monkeypatch: pytest.MonkeyPatch):
    state = Machine(fast(duel())).new(1)
    assert state.to_act() == NATURE
    broken(monkeypatch, "options")
    with pytest.raises(EngineBug):
        state.chance()


@pytest.mark.parametrize(
    ("name", "after", "actions"), [("begin", 0, False), ("take", 3, True), ("options", 3, True), ("player", 3, True)]
)
def test_play_reports_such_a_trap(name: str, after: int, actions: bool, monkeypatch: pytest.MonkeyPatch):
    broken(monkeypatch, name, after)
    done = command("play", "tic_tac_toe", "--bots", "random", "--seed", "1", "--no-save")
    assert done.exit_code == 4
    assert (
        "error[engine-bug]: the interpreter is wrong here, not the definition: the fast machine stopped" in done.stderr
    )
    assert "  = seed 1\n" in done.stderr
    assert ("actions so far:" in done.stderr) == actions
    wanted = "the definition, the seed and the actions above" if actions else "the definition and the seed"
    assert f"please report this, with {wanted}\n" in done.stderr
    assert "Traceback" not in done.output


def test_it_is_reported_at_the_keyboard_too(monkeypatch: pytest.MonkeyPatch):
    """Where a person is asked, and no action is under way."""
    broken(monkeypatch, "options", 2)
    args = ["play", "tic_tac_toe", "--bots", "human", "--seed", "1", "--no-save", "--ask-forced"]
    done = CliRunner().invoke(rulewright, args, input="a1\nb2\nc3\n")
    assert done.exit_code == 4
    assert "  = seed 1\n" in done.stderr
    assert "      a1 b2\n" in done.stderr


def test_a_save_is_not_blamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    save = tmp_path / "game.jsonl"
    assert command("play", "tic_tac_toe", "--bots", "random", "--seed", "1", "--save", str(save)).exit_code == 0
    broken(monkeypatch, "take", 3)
    done = command("replay", str(save), "--verify")
    assert done.exit_code == 4
    assert "error[engine-bug]" in done.stderr
    assert "actions so far:" in done.stderr


def test_simulate_keeps_such_a_game_apart(monkeypatch: pytest.MonkeyPatch):
    args = ("simulate", "tic_tac_toe", "--games", "20", "--seed", "1", "--jobs", "1", "-q")
    broken_in_sixth = iter(range(100))
    whole = Instance.call

    def call(self: Instance, name: str, *args: int) -> int:
        if name == "play" and next(broken_in_sixth) == 5:
            self.cells[GAME // CELL] = args[0]
            raise Trapped(name)
        return whole(self, name, *args)

    monkeypatch.setattr(Instance, "call", call)
    done = command(*args, "--json")
    assert done.exit_code == 4
    assert done.stderr == "1 of 20 games did not end by the rules\n"
    document = json.loads(done.stdout)
    assert document["outcomes"] == dict.fromkeys(document["outcomes"], 0) | {"finished": 19, "bug": 1}
    (trouble,) = document["trouble"]
    assert (trouble["game"], trouble["outcome"]) == (5, "bug")
    assert trouble["message"] == "the fast machine stopped in this game, which the reference machine finishes"
    assert trouble["plies"] > 4


# ------------------------------------------------------------------ from one machine to the other
def program_for(name: str, players: int) -> Program:
    """The program of a game: a shipped one, or one of the small ones of tests/properties."""
    small = SMALL_GAMES / f"{name}.yaml"
    return load(str(small) if small.exists() else name).program(players)


@pytest.mark.parametrize(
    ("name", "players", "plies"),
    [("sealed_bids", 3, 200), ("leduc_poker", 2, 30), pytest.param("night_market", 2, 30, marks=pytest.mark.slow)],
)
def test_a_game_changes_machine_between_any_two_decisions(name: str, players: int, plies: int):
    program = program_for(name, players)
    machines = Machine(Reference(program)), Machine(fast(program))
    luck = Random(1)
    state, stays = machines[0].new(5), machines[0].new(5)
    together = 0
    for ply in range(plies):
        moved = machines[ply % 2].from_bytes(state.to_bytes())
        assert moved.hash() == state.hash() == stays.hash()
        assert moved.to_bytes() == stays.to_bytes()
        assert [moved.observe(seat) for seat in range(players)] == [stays.observe(seat) for seat in range(players)]
        together += moved.is_veiled()
        acting = moved.to_act()
        assert acting == stays.to_act()
        if not acting:
            break
        seat = luck.choice(acting)
        legal = moved.legal(seat)
        assert legal == stays.legal(seat)
        action = moved.draw() if acting == NATURE else luck.choice(legal)
        moved.apply(action)
        stays.apply(action)
        state = moved
    assert (together > 5) == (name == "sealed_bids")


@pytest.mark.parametrize(
    "game", [pytest.param("night_market", marks=pytest.mark.slow), str(SMALL_GAMES / "sealed_bids.yaml")]
)
@pytest.mark.parametrize("made_on", ["wasm", "reference"])
def test_a_save_verifies_on_both_machines(game: str, made_on: str, tmp_path: Path):
    save = tmp_path / "game.jsonl"
    played = command("play", game, "--bots", "random", "--seed", "3", "--machine", made_on, "--save", str(save))
    assert played.exit_code == 0, played.stderr
    given = ["--game", game] if game.endswith(".yaml") else []
    for machine in ("wasm", "reference"):
        done = command("replay", str(save), *given, "--verify", "--machine", machine)
        assert (done.exit_code, "actions verified" in done.stdout) == (0, True), done.output
