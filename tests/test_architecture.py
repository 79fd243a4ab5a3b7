"""The picture of the project, enforced: layers and their arrows, one door per dependency, no game inside the interpreter.

Reads the sources with the standard library's `ast`; nothing of the project is imported. Each test collects all it finds, so that
one run shows everything that is out of place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "interpreter"

LAYERS = (
    "text",
    "paths",
    "sealed",
    "overlays",
    "syntax",
    "model",
    "ir",
    "machine",
    "outcome",
    "stages",
    "fast",
    "pipeline",
    "drivers",
    "verbs",
    "cli",
)

# The one module that imports inside functions, and what: a look-up in its cache needs none of the compiler.
LAZY = {"interpreter/pipeline.py": ("interpreter.stages", "interpreter.fast")}

# The machine knows the program and nothing of the language it came from.
NEVER = {"machine": ("syntax", "model")}

# What drivers may see of the layers below: the contract, and the program's names and texts.
DRIVERS_SEE = (
    "interpreter.text",
    "interpreter.syntax.scenario",
    "interpreter.paths",
    "interpreter.overlays",
    "interpreter.pipeline",
    "interpreter.drivers",
    "interpreter.ir.program",
    "interpreter.ir.ir_types",
    "interpreter.machine.protocol",
    "interpreter.machine.action",
    "interpreter.machine.chance",
    "interpreter.machine.events",
    "interpreter.machine.faults",
    "interpreter.machine.view",
)
BOTS_SEE = (
    "interpreter.machine.view",
    "interpreter.drivers.bots",
    "interpreter.machine.protocol",
    "interpreter.machine.action",
    "interpreter.machine.chance",
)

DOORS = {
    "yaml": {"interpreter/syntax/yaml_tree.py"},
    "jsonschema": {"interpreter/syntax/schema_check.py"},
    "lark": {"interpreter/syntax/expr_parser.py"},
    "networkx": {"interpreter/model/graphs.py", "interpreter/model/topology.py"},
    "wasmtime": {"interpreter/machine/wasm/host.py"},
    "rich": {"interpreter/drivers/terminal.py"},
    "click": {"cli.py", "interpreter/verbs/"},
    "platformdirs": {"interpreter/paths.py"},
}

# The one in C, where there is one, is ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Words that are an id in some game and a word of the interpreter or of Python as well.
EVERYDAY = {
    "large",
    "small",
    "regular",
    "state",
    "start",
    "first",
    "last",
    "top",
    "bottom",
    "left",
    "right",
    "king",
    "cell",
    "size",
}

MUTATING = {
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "sort", "update",
}  # fmt: skip


def modules() -> list[Path]:
    """Every module of the product."""
    return [*sorted(ENGINE.rglob("*.py")), ROOT / "cli.py"]


@cache
def tree(path: Path) -> ast.Module:
    """The module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module's syntax tree."""
    return tuple(ast.walk(tree(path)))


def where(path: Path, node: ast.stmt | ast.expr) -> str:
    """File and line, for messages."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def imports(path: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Each import with the full name of what it brings, under `if TYPE_CHECKING` and inside functions too."""
    for node in nodes(path):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node, alias.name
            case ast.ImportFrom(module=module, names=names, level=0):
                for alias in names:
                    yield node, f"{module}.{alias.name}"
            case ast.ImportFrom():
                yield node, "." * node.level + (node.module or "")
            case _:
                pass


def layer(name: str) -> str | None:
    """The layer of a module's dotted name, or None for what is not ours (and for the package's own front page)."""
    parts = name.split(".")
    if parts[0] == "cli":
        return "cli"
    if parts[0] != "interpreter" or len(parts) < 2:
        return None
    return parts[1] if parts[1] in LAYERS else None


def dotted(path: Path) -> str:
    """A file's module name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_there_are_modules_of_every_layer() -> None:
    found = {layer(dotted(path)) for path in modules()}
    assert found >= {"text", "syntax", "model", "ir", "machine", "drivers", "verbs", "cli"}


def test_every_module_belongs_to_a_layer() -> None:
    outside = [dotted(p) for p in modules() if p != ENGINE / "__init__.py" and layer(dotted(p)) is None]
    assert outside == []


def test_arrows_point_down() -> None:
    wrong = []
    for path in modules():
        own = layer(dotted(path))
        if own is None:
            continue
        for node, name in imports(path):
            if name == "interpreter" or (name.startswith("interpreter.") and layer(name) is None):
                wrong.append(f"{where(path, node)} imports {name}: name the module instead")
                continue
            other = layer(name)
            if other is None:
                continue
            if LAYERS.index(other) > LAYERS.index(own) or other in NEVER.get(own, ()):
                wrong.append(f"{where(path, node)} imports {name}: {own} may not know {other}")
    assert wrong == []


def test_drivers_see_the_contract_only() -> None:
    wrong = []
    for path in modules():
        if layer(dotted(path)) != "drivers":
            continue
        allowed = BOTS_SEE if "bots" in path.parts else DRIVERS_SEE
        for node, name in imports(path):
            if layer(name) is not None and not any(name == a or name.startswith(a + ".") for a in allowed):
                wrong.append(f"{where(path, node)} imports {name}")
    assert wrong == []


SLOW = tuple(
    f"interpreter.machine.{part}" for part in ("running", "closures", "code", "look_ahead", "words", "reference")
)
"""The parts of the reference machine; each may import only those before it."""
FAST = "interpreter.machine.wasm"


def test_the_two_machines_do_not_know_each_other() -> None:
    wrong = []
    for path in modules():
        name = dotted(path)
        for node, other in imports(path):
            if (name in SLOW and other.startswith(FAST)) or (name.startswith(FAST) and other.startswith(SLOW)):
                wrong.append(f"{where(path, node)} imports {other}")
    assert wrong == []


def test_the_reference_machine_is_one_walk() -> None:
    """Short enough to be read as the definition of the language, and its parts know each other in one direction."""
    paths = {dotted(path): path for path in modules()}
    assert len(paths[SLOW[-1]].read_text(encoding="utf-8").splitlines()) < 500
    order = {name: at for at, name in enumerate(SLOW)}
    wrong = [
        f"{where(paths[name], node)} imports {other}"
        for name in SLOW
        for node, other in imports(paths[name])
        if any(other.startswith(part) and order[part] >= order[name] for part in SLOW)
    ]
    assert wrong == []


def test_parts_of_the_fast_machine_know_each_other_in_one_direction() -> None:
    """No circle of imports, not even for types."""
    paths = {name: path for path in modules() if (name := dotted(path)).startswith(FAST + ".")}
    knows = {
        name: {part for _, other in imports(path) for part in (other, other.rpartition(".")[0]) if part in paths}
        for name, path in paths.items()
    }
    while last := {name for name in knows if not knows[name] & knows.keys()}:
        knows = {name: others for name, others in knows.items() if name not in last}
    assert knows == {}


def test_one_door_per_dependency() -> None:
    wrong = []
    for path in modules():
        for node, name in imports(path):
            package = name.split(".")[0]
            if package in DOORS and not path.relative_to(ROOT).as_posix().startswith(tuple(DOORS[package])):
                wrong.append(
                    f"{where(path, node)} imports {package}, whose door is {', '.join(sorted(DOORS[package]))}"
                )
    assert wrong == []


def test_every_dependency_has_a_door() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.split("\ndependencies = [", 1)[1].split("]", 1)[0]
    names = {name.lower() for name in re.findall(r'"([A-Za-z0-9_-]+)', block)}
    assert names == {"pyyaml" if name == "yaml" else name for name in DOORS}


def test_imports_stand_at_the_top() -> None:
    """Only what LAZY lists is imported inside functions."""
    wrong = []
    for path in modules():
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = [n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)]
                allowed = LAZY.get(str(path.relative_to(ROOT)), ())
                wrong += [
                    where(path, n)
                    for n in inside
                    if not (isinstance(n, ast.ImportFrom) and f"{n.module}.{n.names[0].name}" in allowed)
                ]
    assert wrong == []


def is_mutable(value: ast.expr) -> bool:
    """Whether an expression makes something that can be changed later."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in {"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"}
        case _:
            return False


def bound(node: ast.stmt) -> tuple[list[str], ast.expr | None]:
    """The names a module-level statement binds, and the value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [t.id for t in targets if isinstance(t, ast.Name)], value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return [name], value
        case _:
            return [], None


def changes(path: Path, tables: set[str]) -> Iterator[ast.expr | ast.stmt]:
    """Places where one of the module-level tables is written to."""
    for node in nodes(path):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name in tables:
                yield node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=verb)) if (
                name in tables and verb in MUTATING
            ):
                yield node
            case _:
                pass


def test_no_module_level_mutable_state() -> None:
    """Tables written as literals under capital names are fine while nobody writes to them, and so is the memo of a pure function."""
    wrong = []
    for path in modules():
        module = tree(path)
        tables = set()
        for statement in module.body:
            names, value = bound(statement)
            if value is not None and is_mutable(value):
                tables |= set(names)
                wrong += [f"{where(path, statement)} {n}: not a table" for n in names if n != n.upper()]
        wrong += [f"{where(path, node)} changes a module-level table" for node in changes(path, tables)]
        for node in nodes(path):
            if isinstance(node, ast.Global):
                wrong.append(f"{where(path, node)} global")
    assert [w for w in wrong if "__all__" not in w] == []


def definitions() -> list[Path]:
    """The shipped games."""
    return [p for p in sorted((ROOT / "games").rglob("*.yaml")) if p.parent.name != "clauses"]


def spellings(stem: str) -> set[str]:
    """The ways to write a game's name."""
    words = stem.lower().replace("-", "_").replace(" ", "_").split("_")
    return {"_".join(words), " ".join(words), "".join(words), "-".join(words)}


def ids_of_rows(path: Path) -> set[str]:
    """Ids of table rows of a game: cards, places, spaces."""
    document = yaml.load(path.read_text(encoding="utf-8"), LOADER)
    sections = {
        "options", "values", "components", "graphs", "functions", "modifiers", "setup", "play", "phases", "effects",
        "triggers", "scoring", "winners", "payoff", "modes", "text", "show", "renamed",
    }  # fmt: skip
    tables = [rows for key, rows in document.items() if key not in sections and isinstance(rows, dict)]
    return {str(row) for rows in tables for row, cells in rows.items() if isinstance(cells, dict)}


def test_no_games_name_in_the_interpreter() -> None:
    names = {s for p in definitions() for s in spellings(p.stem)}
    assert names, "no shipped games found"
    wrong = []
    for path in sorted([*ENGINE.rglob("*.py"), *ENGINE.rglob("*.lark")]):
        text = path.read_text(encoding="utf-8").lower()
        wrong += [
            f"{path.relative_to(ROOT)}: {n}"
            for n in sorted(names)
            if re.search(rf"(?<![a-z]){re.escape(n)}(?![a-z])", text)
        ]
    assert wrong == []


def words_of_code(path: Path) -> Iterator[str]:
    """Identifiers and the words of string literals, without docstrings: examples in prose may speak of cards and places."""
    prose = {
        id(body[0].value)
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and (body := node.body)
        and isinstance(body[0], ast.Expr)
    }
    for node in nodes(path):
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield name.lower()
            case ast.Constant(value=str(text)) if id(node) not in prose:
                yield from re.findall(r"[a-z0-9_]+", text.lower())
            case _:
                pass


def test_no_ids_of_games_in_code() -> None:
    ids = {i for p in definitions() for i in ids_of_rows(p) if len(i) > 3} - EVERYDAY
    wrong = []
    for path in modules():
        if path.name in {"library.py", "codes.py"}:
            continue  # examples there are shown to authors in the reference and by `explain`
        wrong += [f"{path.relative_to(ROOT)}: {w}" for w in sorted(set(words_of_code(path)) & ids)]
    assert wrong == []
