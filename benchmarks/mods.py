"""How long Night Soil with ten small mods takes to be read, merged and checked, beside Night Soil alone.

In: the shipped game, and ten mods that are made here, each of another kind. Out: a table with seconds of the processor and their ratio;
the two are measured in turn, in one process, without the cache.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

from interpreter.drivers.layout import plain, table
from interpreter.overlays import NO_OVERLAYS, Overlays
from interpreter.paths import shipped_games
from interpreter.stages import check_file

MODS: Final = (
    "change: {values.start_coins: {wrap: previous + 1}}",
    "change: {values.start_small: {wrap: previous + 1}}",
    "change: {functions.limit: {wrap: previous + 1}}",
    "change: {graphs.london: {add: greyfriars -- cripplegate}}",
    "change: {effects.shift: {last: {tip: gain up to 1 coin}}}",
    "change: {labourers.bargeman: {set: {overtime: true}}}",
    "change: {text.thames: {set: River Thames}}",
    "change: {scoring.coins: {wrap: previous + 1}}",
    'add: {triggers: {fine: {rule: "when full(n) for each n in in_play: pay up to 1 coin"}}}',
    "add: {modifiers: {alms: {rule: lower board_price by 1 to at least 0 while holder(church) = me and my tokens < 3}}}",
)
ROUNDS: Final = 5


def mods_table() -> str:
    """The table; aim: under twice the time of the base alone."""
    game = shipped_games()["night_soil"]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, body in enumerate(MODS):
            path = Path(folder) / f"small_{number}.yaml"
            path.write_text(f"mod: {{id: small_{number}, version: 1.0.0, for: night_soil}}\n{body}\n", encoding="utf-8")
            files.append(path)
        taken: dict[str, list[float]] = {"the game alone": [], "with ten small mods": []}
        laid_over = {"the game alone": NO_OVERLAYS, "with ten small mods": Overlays(tuple(files))}
        for _ in range(ROUNDS):
            for name, overlays in laid_over.items():
                start = time.process_time()
                checked = check_file(game, {}, None, overlays)
                taken[name].append(time.process_time() - start)
                if not checked.ok:
                    raise RuntimeError(f"{name}: {[d.message for d in checked.diagnostics]}")
    alone = median(taken["the game alone"])
    rows = [[name, f"{median(times):.2f}", f"{median(times) / alone:.2f}"] for name, times in taken.items()]
    return plain(
        table(["resolve and validate night_soil [mods: under 2]", "s", "ratio"], rows, numbers=frozenset({1, 2}))
    )
