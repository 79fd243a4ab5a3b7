"""What is said when a game cannot go on: whose fault it is, where in the file, under which rules, and how to see it again.

In: a fault of the machine. Out: styled lines for stderr.
"""

from __future__ import annotations

from interpreter.drivers.layout import Line, fold, line
from interpreter.machine.faults import BudgetExhausted, EngineBug, MachineFault, RuleFault, RuleFrame

SHOWN_RULES = 12


def fault_lines(fault: MachineFault) -> list[Line]:
    """The whole report."""
    match fault:
        case RuleFault():
            kind, what = "rule-fault", "the rules cannot go on"
        case BudgetExhausted():
            kind, what = "budget-exhausted", "the rules go round without an end"
        case EngineBug():
            kind, what = "engine-bug", "the interpreter is wrong here, not the definition"
        case _:
            kind, what = "fault", "the game cannot go on"
    said = [line((f"error[{kind}]", "error"), (f": {what}: {fault.message}", "strong"))]
    # What begins with @ is machinery without a line in the file; only a fault of the interpreter itself shows it.
    stack = [f for f in fault.stack if isinstance(fault, EngineBug) or not f.address.startswith("@")]
    said += [line(_frame(frame)) for frame in stack[:SHOWN_RULES]]
    if len(stack) > SHOWN_RULES:
        said.append(line(f"  = and {len(stack) - SHOWN_RULES} rules further out"))
    if isinstance(fault, BudgetExhausted) and fault.cycle:
        said += [line("  = these repeat:"), *(line(f"      {address}") for address in fault.cycle)]
    if fault.seed is not None:
        said.append(line(f"  = seed {fault.seed}"))
    if fault.prefix:
        said.append(line("  = actions so far:"))
        said += [line(text) for text in fold(fault.prefix, 96, indent="      ", joint=" ")]
    if isinstance(fault, EngineBug):
        wanted = ["the definition", *(["the seed"] if fault.seed is not None else [])]
        wanted += ["the actions above"] if fault.prefix else []
        joined = " and ".join(filter(None, (", ".join(wanted[:-1]), wanted[-1])))
        said.append(line(f"  = please report this, with {joined}"))
    return said


def _frame(frame: RuleFrame) -> str:
    cite = f" [{', '.join(frame.cite)}]" if frame.cite else ""
    if frame.span is None or not frame.span.source.text:
        return f"  in {frame.address}{cite}"
    row, column = frame.span.position()
    return f"  in {frame.address}{cite}\n    --> {frame.span.source.name}:{row}:{column}"
