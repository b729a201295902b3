"""Push and pull queries that are refused."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with.
REFUSED = [
    (
        "SELECT * FROM S PARTITION BY A",
        "Pull queries don't support PARTITION BY clauses. See https://cnfl.io/queries for more info.",
    ),
    (
        "SELECT A, COUNT(*) FROM S GROUP BY A",
        "Pull queries don't support GROUP BY clauses. See https://cnfl.io/queries for more info.",
    ),
    (
        "SELECT * FROM WT WHERE WINDOWSTART > A",
        "Window bounds must be a BIGINT of milliseconds or a text with a date and time.",
    ),
    ("SELECT WINDOWSTART, A FROM S EMIT CHANGES", "Line: 1, Col: 8: SELECT column 'WINDOWSTART' cannot be resolved."),
    ("SELECT A FROM S ORDER BY A EMIT CHANGES", "ORDER BY is only supported by pull queries."),
    ("SELECT * FROM NOPE", "NOPE does not exist."),
    ("SELECT * FROM NOPE EMIT CHANGES", "NOPE does not exist."),
    ("SELECT NOPE FROM T", "Line: 1, Col: 8: SELECT column 'NOPE' cannot be resolved."),
    (
        "SELECT * FROM T WHERE A",
        "Type error in WHERE expression: Should evaluate to boolean but is A (INTEGER) instead.",
    ),
    (
        "SELECT COUNT(*) FROM T",
        "Pull queries don't support aggregate functions. See https://cnfl.io/queries for more info.",
    ),
    (
        "SELECT A FROM T HAVING A > 1",
        "Pull queries don't support HAVING clauses. See https://cnfl.io/queries for more info.",
    ),
    (
        "SELECT * FROM T JOIN S ON T.ID = S.ID",
        "Pull queries don't support JOIN clauses. See https://cnfl.io/queries for more info.",
    ),
    (
        "SELECT A FROM T WINDOW TUMBLING (SIZE 1 HOUR)",
        "Pull queries don't support WINDOW clauses. See https://cnfl.io/queries for more info.",
    ),
    ("SELECT COUNT(*) FROM S EMIT CHANGES", "Use of aggregate function COUNT requires a GROUP BY clause."),
    ("SELECT * FROM S WINDOW TUMBLING (SIZE 1 HOUR) EMIT CHANGES", "WINDOW clause requires a GROUP BY clause."),
    ("SELECT * FROM S EMIT FINAL", "EMIT FINAL is only supported for windowed aggregations."),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
