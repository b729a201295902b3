"""Statements that would take too much: each is refused in a sentence, in time."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()


def nested_struct(depth: int) -> str:
    return "INT" if depth == 0 else f"STRUCT<A {nested_struct(depth - 1)}, B DECIMAL(4, 2)>"


@pytest.mark.parametrize(
    "text",
    [
        f"CREATE STREAM X AS SELECT {', '.join('*' for _ in range(5_000))} FROM S",
        f"CREATE STREAM X AS SELECT ID, {' + '.join('A' for _ in range(20_000))} AS N FROM S",
        f"CREATE STREAM X AS SELECT ID, A FROM S WHERE {' AND '.join('A = 1' for _ in range(20_000))}",
        f"CREATE TABLE X AS SELECT A, {', '.join(f'SUM(A + {n}) AS S{n}' for n in range(1_100))} FROM S GROUP BY A",
        f"CREATE STREAM X (A {'ARRAY<' * 5_000}INT{'>' * 5_000}) WITH (KAFKA_TOPIC='x', VALUE_FORMAT='JSON')",
        f"SELECT * FROM T WHERE ID IN ({', '.join(str(n) for n in range(10_001))})",
        f"INSERT INTO S (ID, C) VALUES (1, {'ARRAY[' * 3_000}1{']' * 3_000})",
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW TUMBLING (SIZE 9999999999999 DAYS) GROUP BY A",
    ],
    ids=["stars", "sum", "conditions", "aggregates", "type", "keys", "array", "window"],
)
def test_what_is_too_large_is_refused(text: str) -> None:
    with pytest.raises(KsqlError):
        carry_out(text + ";", KNOWN)


def test_nested_structs_are_planned_or_refused() -> None:
    """Each field repeats what gives its struct: the text of a row grows with the depth."""
    for depth in (2, 8, 40):
        text = f"""
        CREATE STREAM N (ID INT KEY, V {nested_struct(depth)}) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
        CREATE STREAM X AS SELECT * FROM N;
        """
        try:
            plan = carry_out(text).query.plan
        except KsqlError:
            assert depth > 8
        else:
            assert sum(len(expression) for step in plan.steps for _, expression in getattr(step, "columns", ())) < 5e6


def test_types_that_double_are_refused() -> None:
    doubling = "".join(f"CREATE TYPE T{n} AS STRUCT<A T{n - 1}, B T{n - 1}>;" for n in range(1, 40))
    with pytest.raises(KsqlError, match="A type has 10000 parts at most"):
        carry_out(f"CREATE TYPE T0 AS INT; {doubling}")
