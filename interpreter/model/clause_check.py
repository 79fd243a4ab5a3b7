"""Citations against the clause list that lies beside a game: each id a definition cites has to be there.

In: a definition as the file says it, and the ids of the list. Out: findings in a sink. Whether every clause has a rule is not asked here.
"""

from __future__ import annotations

from collections.abc import Collection

from interpreter.model.addresses import citations
from interpreter.syntax.definition import Definition
from interpreter.text.diagnostic import Sink
from interpreter.text.suggest import nearest


def check_citations(definition: Definition, clause_ids: Collection[str], sink: Sink) -> None:
    """Reports every cited clause, gap or ruling that the list does not have."""
    for cited in citations(definition):
        if cited.clause not in clause_ids:
            near = nearest(cited.clause, clause_ids)
            sink.error(
                "no-such-clause",
                cited.span,
                f"`{cited.clause}` is not in the game's list of clauses",
                label="cited here",
                help=f"did you mean `{near}`?" if near else f"add it to `clauses/{definition.game}.yaml`",
            )
