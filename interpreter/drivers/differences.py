"""What differs between two sets of rules, address by address.

In: texts by address (`pipeline.Contents`), or the digests of them that a save keeps. Out: differences in the order of the file, and
styled lines for reading aloud. What is new or gone as a whole is one difference; where a text of several lines changes, only the lines
that do are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Final, Literal

from interpreter.drivers.documents import rules_record
from interpreter.drivers.layout import Line, fold_text, line, pad, width
from interpreter.machine.protocol import Game
from interpreter.pipeline import Game as Rules
from interpreter.text.by_address import text_at
from interpreter.text.version import TOOL

SHOWN_LINES: Final = 12
"""Of a thing that is new or gone, so many lines are shown."""

_SECTIONS: Final = frozenset(
    (
        *("options", "values", "components", "graphs", "functions", "modifiers", "setup", "play", "phases", "effects"),
        *("triggers", "scoring", "modes", "text", "show", "renamed", "seats"),
    )
)
"""What every game has and no game gains as a whole; all other sections are tables."""

Kind = Literal["changed", "added", "removed", "renamed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One address where rules differ. `before` and `after` are texts; of a thing with parts, each part's name and text is a line. Of a
    thing that only has another name, they are the old address and the new one."""

    kind: Kind
    address: str
    before: str = ""
    after: str = ""


# ------------------------------------------------------------------ what differs
def differences(old: Mapping[str, str], new: Mapping[str, str], renamed: Mapping[str, str]) -> tuple[Difference, ...]:
    """The differences. `renamed` maps addresses that the old rules may have to the names that the new ones give them."""
    moved = _moves(old, new, renamed)
    new = {address: text for address, text in new.items() if not address.startswith("renamed.text.")}
    # A single text that got company is the step `main` (see syntax/patch_parts.py).
    alone = {a: f"{a}.main" for a in old if a not in new and f"{a}.main" in new}
    was = {_moved(address, moved | alone): text for address, text in old.items()}
    # A sentence that went with its text is no news.
    found = [Difference("renamed", to, old, to) for old, to in moved.items() if not old.startswith("text.")]
    done: set[str] = set()
    for address in _in_order(was, new):
        if was.get(address) == new.get(address) or any(address == d or address.startswith(f"{d}.") for d in done):
            continue
        whole = _whole(address, was, new)
        done.add(whole)
        before, after = text_at(whole, was), text_at(whole, new)
        if whole == address and address in was and address in new:
            before, after = was[address], new[address]  # what stands beside it has an address of its own
        kind: Kind = "added" if before is None else "removed" if after is None else "changed"
        found.append(Difference(kind, whole, before or "", after or ""))
    return tuple(found)


def _moves(old: Mapping[str, str], new: Mapping[str, str], renamed: Mapping[str, str]) -> dict[str, str]:
    """Names that the old rules have and the new ones no longer."""
    return {
        before: to
        for before, to in renamed.items()
        if text_at(before, old) is not None and text_at(before, new) is None and text_at(to, new) is not None
    }


def _moved(address: str, moved: Mapping[str, str]) -> str:
    for before, to in moved.items():
        if address == before or (address.startswith(f"{before}.") and not to.startswith(f"{before}.")):
            return to + address[len(before) :]
    return address


def _in_order(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """All addresses as the new rules have them; what is gone comes where it stood, behind what stood before it."""
    gone: dict[str, list[str]] = {}
    last = ""
    for address in old:
        if address in new:
            last = address
        else:
            gone.setdefault(last, []).append(address)
    yield from gone.get("", ())
    for address in new:
        yield address
        yield from gone.get(address, ())


def _whole(address: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """The largest thing around an address that only one of the two has; else the one of which one side has parts and the other a single
    text; else the address itself."""
    if address.startswith("text."):
        return address
    names = address.split(".")
    for count in range(1, len(names)):
        whole = ".".join(names[:count])
        before, after = text_at(whole, old), text_at(whole, new)
        lone = (before is None or after is None) and (count > 1 or whole not in _SECTIONS)
        if lone or ((whole in old) != (whole in new) and not (before is None or after is None)):
            return whole
    return address


def compared(first: Rules, second: Rules, players: int | None) -> dict[tuple[int, ...], tuple[Difference, ...]]:
    """What differs, by the numbers of players for which it does; `()` stands for all. Where a mod asks how many play, each number is
    looked at. Raises DefinitionError, MissingGame."""
    if players is None and (first.contents(None).depends or second.contents(None).depends):
        counts: tuple[int | None, ...] = second.player_counts
    else:
        counts = (players,)
    met: dict[Difference, list[int]] = {}
    for count in counts:
        after = second.contents(count)
        before = first.contents(count if count in first.player_counts else None)
        for difference in differences(before.texts, after.texts, after.renamed):
            met.setdefault(difference, []).append(count or 0)
    groups: dict[tuple[int, ...], list[Difference]] = {(): []}
    for difference, numbers in met.items():
        groups.setdefault(() if len(numbers) == len(counts) else tuple(numbers), []).append(difference)
    return {numbers: tuple(group) for numbers, group in groups.items()}


# ------------------------------------------------------------------ digests
def digests(rules: Mapping[str, str]) -> dict[str, str]:
    """What a save keeps of the rules: for each thing, without its parts, a digest of 8 hexadecimal digits of all it says."""
    said: dict[str, list[str]] = {}
    for address, text in rules.items():
        section, _, rest = address.partition(".")
        whole = address if section == "text" else f"{section}.{rest.split('.')[0]}" if rest else section
        said.setdefault(whole, []).append(f"{address}\0{text}\0")
    return {whole: blake2b("".join(parts).encode(), digest_size=4).hexdigest() for whole, parts in said.items()}


def changed_things(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, list[str]]:
    """By word (`changed`, `added`, `removed`), the things that differ between two sets of digests."""
    found: dict[str, list[str]] = {}
    for address in _in_order(then, now):
        if then.get(address) != now.get(address):
            word = "added" if address not in then else "removed" if address not in now else "changed"
            found.setdefault(word, []).append(address)
    return {word: found[word] for word in ("changed", "added", "removed") if word in found}


# ------------------------------------------------------------------ in words
def difference_lines(found: Iterable[Difference], room: int) -> list[Line]:
    """The differences for a person."""
    made: list[Line] = []
    for difference in found:
        made += [line(), line((pad(difference.kind, 9), "dim"), (difference.address, "code"))]
        match difference.kind:
            case "renamed":
                made.append(line(("  it was ", "dim"), difference.before))
            case "changed":
                made += _changes(difference.before.split("\n"), difference.after.split("\n"), room)
            case _:
                text = (difference.after or difference.before).split("\n")
                made += [line(t) for t in fold_text("  ", text[:SHOWN_LINES], room)]
                if len(text) > SHOWN_LINES:
                    made.append(line((f"  … {len(text) - SHOWN_LINES} more lines", "dim")))
    return made


def compared_lines(found: Mapping[tuple[int, ...], tuple[Difference, ...]], room: int) -> list[Line]:
    """The same for each number of players that differs by itself."""
    made: list[Line] = []
    for numbers, group in found.items():
        if numbers:
            many = ", ".join(map(str, numbers))
            made += [line(), line((f"with {many} player{'s' * (numbers != (1,))}", "strong"))]
        made += difference_lines(group, room)
    return made


def _changes(before: list[str], after: list[str], room: int) -> list[Line]:
    """One line beside the other where they fit, else the lines that go and those that come."""
    if len(before) == len(after) == 1 and width(before[0]) + width(after[0]) + 5 <= room and before[0] and after[0]:
        return [line("  ", before[0], (" → ", "dim"), after[0])]
    made: list[Line] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        made += [line((t[:4], "error"), t[4:]) for t in fold_text("  − ", before[i1:i2], room)]
        made += [line((t[:4], "good"), t[4:]) for t in fold_text("  + ", after[j1:j2], room)]
    return made


def count_line(found: Iterable[Difference]) -> str:
    """How many of each kind."""
    kinds = [difference.kind for difference in found]
    said = [f"{kinds.count(kind)} {kind}" for kind in ("changed", "added", "removed", "renamed") if kind in kinds]
    return ", ".join(said) if said else "no difference in the rules"


def difference_document(
    first: Game, second: Game, found: Mapping[tuple[int, ...], tuple[Difference, ...]]
) -> dict[str, object]:
    """The differences as a JSON document; `players` are the numbers for which one holds, if not all."""
    changes = [
        {
            "kind": d.kind,
            "address": d.address,
            "before": d.before,
            "after": d.after,
            **({"players": list(numbers)} if numbers else {}),
        }
        for numbers, group in found.items()
        for d in group
    ]
    return {
        "schema": "rulewright/diff/1",
        "tool": TOOL,
        "from": rules_record(first),
        "to": rules_record(second),
        "changes": changes,
    }
