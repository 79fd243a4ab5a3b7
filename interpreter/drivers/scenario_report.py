"""What is said about scenario cases: lines for people, JUnit XML, plain data for JSON.

In: results of scenarios.py. Out: styled lines, or text. Nothing is run and nothing is printed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from interpreter.drivers.layout import Line, line
from interpreter.drivers.scenarios import SEEDS, Difference, Result
from interpreter.text.version import TOOL


def case_lines(result: Result, quiet: bool = False) -> list[Line]:
    """One line for a case that holds (none if `quiet`), the first difference for one that does not."""
    difference = result.difference
    if difference is None:
        return [] if quiet else [line(("ok      ", "good"), f"{result.name} ", (f"({result.setting})", "dim"))]
    word = "FAILED  " if result.status == "failed" else "WRONG   "
    made = [line((word, "error"), (result.name, "strong"), (f" ({result.setting})", "dim"))]
    made.append(line(("  --> ", "place"), f"{difference.file}:{difference.line}:{difference.column}"))
    made.append(line(f"      {difference.message}"))
    made += [line((f"      {detail}", "dim")) for detail in difference.details]
    luck = _luck(difference)
    if luck:
        made.append(line((f"      {luck}", "dim")))
    if result.cite:
        made.append(line((f"      tests {', '.join(result.cite)}", "dim")))
    return made


def _luck(difference: Difference) -> str:
    """A case that holds under some seeds depends on what it leaves to chance."""
    if difference.run < 2:
        return ""
    return f"it held with other luck: run {difference.run} of {len(SEEDS)}; give the outcomes in `chance:`"


def verdict(results: Sequence[Result]) -> str:
    """One line: how many cases hold, how many do not."""
    counts = Counter(result.status for result in results)
    files = len({result.file for result in results})
    what = f"{len(results)} {'case' if len(results) == 1 else 'cases'} in {files} {'file' if files == 1 else 'files'}"
    bad = [f"{counts[status]} {status}" for status in ("failed", "wrong") if counts[status]]
    return f"{what}: {', '.join(bad)}" if bad else f"{what}, all hold"


def report_json(results: Sequence[Result]) -> dict[str, object]:
    """The results as plain data."""
    counts = Counter(result.status for result in results)
    return {
        "schema": "rulewright/test/1",
        "tool": TOOL,
        "cases": len(results),
        "passed": counts["passed"],
        "failed": counts["failed"],
        "wrong": counts["wrong"],
        "results": [_case_json(result) for result in results],
    }


def _case_json(result: Result) -> dict[str, object]:
    difference = result.difference
    return {
        "name": result.name,
        "file": result.file,
        "line": result.line,
        "game": result.game,
        "setting": result.setting,
        "cite": list(result.cite),
        "status": result.status,
        "difference": None
        if difference is None
        else {
            "message": difference.message,
            "file": difference.file,
            "line": difference.line,
            "column": difference.column,
            "details": list(difference.details),
            "run": difference.run,
        },
    }


def junit(results: Sequence[Result]) -> str:
    """JUnit XML: a suite a file, a case a case; the text of a failure is its first difference."""
    failed, wrong = _bad(results)
    made = ['<?xml version="1.0" encoding="UTF-8"?>']
    made.append(f'<testsuites tests="{len(results)}" failures="{failed}" errors="{wrong}">')
    for file, group in groupby(results, lambda result: result.file):
        suite = tuple(group)
        failed, wrong = _bad(suite)
        seconds = sum(result.seconds for result in suite)
        made.append(
            f'  <testsuite name={_attribute(file)} tests="{len(suite)}" failures="{failed}" errors="{wrong}" '
            f'time="{seconds:.3f}">'
        )
        for result in suite:
            made += _case_xml(result)
        made.append("  </testsuite>")
    made.append("</testsuites>")
    return "\n".join(made) + "\n"


def _case_xml(result: Result) -> list[str]:
    head = (
        f"    <testcase classname={_attribute(result.game)} name={_attribute(f'{result.name} ({result.setting})')} "
        f'file={_attribute(result.file)} line="{result.line}" time="{result.seconds:.3f}"'
    )
    difference = result.difference
    if difference is None:
        return [f"{head}/>"]
    kind = "failure" if result.status == "failed" else "error"
    text = "\n".join([f"{difference.file}:{difference.line}:{difference.column}", *difference.details])
    return [
        f"{head}>",
        f"      <{kind} message={_attribute(difference.message)}>{escape(text)}</{kind}>",
        "    </testcase>",
    ]


def _bad(results: Sequence[Result]) -> tuple[int, int]:
    counts = Counter(result.status for result in results)
    return counts["failed"], counts["wrong"]


def _attribute(text: str) -> str:
    return quoteattr(text)
