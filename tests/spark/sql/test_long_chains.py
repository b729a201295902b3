"""Chains of one operator with a thousand terms: Spark takes them, and gives what the short ones give."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, STRING, Decimal
from spark.sql.evaluating import Nulls, compiled, evaluate, ksql_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TERMS = 1_000
# The columns are null; values stand for them by COALESCE, which may be null for all that is known.
SCOPE = Nulls({"B": BOOLEAN, "I": INTEGER, "L": BIGINT, "D": DOUBLE, "S": STRING, "M": Decimal(4, 2)})
TRUE, FALSE = "NULLIF(TRUE, B)", "NULLIF(FALSE, B)"


def _chain(operator: str, *parts: str, terms: int = TERMS) -> str:
    """The parts in turn."""
    return f" {operator} ".join(parts[number % len(parts)] for number in range(terms))


CASES: list[tuple[str, str, Any]] = [
    (_chain("+", "1"), "INTEGER", TERMS),
    (_chain("+", "NULLIF(3, I)"), "INTEGER", 3 * TERMS),
    (_chain("+", "2147483647"), "INTEGER", -TERMS),
    ("I + " + _chain("+", "1"), "INTEGER", None),
    ("COALESCE(I, 7) - " + _chain("-", "1"), "INTEGER", 7 - TERMS),
    (_chain("-", "CAST(1 AS BIGINT)", "1"), "BIGINT", 2 - TERMS),
    (_chain("+", "0.5E0", "1"), "DOUBLE", 0.75 * TERMS),
    (_chain("*", "-1"), "INTEGER", 1),
    (_chain("/", "NULLIF(1, I)", terms=201), "INTEGER", 1),
    (_chain("+", "1.5", terms=100), "DECIMAL(101, 1)", "150.0"),
    (_chain("||", "'x'"), "STRING", "x" * TERMS),
    (_chain("||", "'x'", "S"), "STRING", "x" * (TERMS // 2)),
    (_chain("+", "'x'"), "STRING", "x" * TERMS),
    (_chain("+", "'x'", "S"), "STRING", "xnull" * (TERMS // 2)),
    (_chain("AND", "TRUE"), "BOOLEAN", True),
    (_chain("AND", TRUE), "BOOLEAN", True),
    (_chain("AND", TRUE) + f" AND {FALSE} AND B", "BOOLEAN", False),
    (_chain("AND", TRUE) + f" AND B AND {FALSE}", "BOOLEAN", None),
    (_chain("OR", FALSE), "BOOLEAN", False),
    (_chain("OR", FALSE) + f" OR {TRUE} OR B", "BOOLEAN", True),
    (_chain("OR", FALSE) + f" OR B OR {TRUE}", "BOOLEAN", None),
    (_chain("OR", "I = 1") + " OR COALESCE(I, 5) = 5", "BOOLEAN", True),
]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return ksql_session(spark)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{text[:30]}..." for text, _, _ in CASES])
def test_a_long_chain(session: SparkSession, number: int) -> None:
    text, kind, expected = CASES[number]
    began = time.process_time()
    assert str(compiled(text, SCOPE).type) == kind
    assert time.process_time() - began < 10
    assert evaluate(session, [text], SCOPE) == [expected]


def test_what_spark_could_not_parse_is_refused() -> None:
    for text in (_chain("/", "NULLIF(3, I)"), _chain("+", "M")):
        with pytest.raises(KsqlError, match=r"nested more than 200 levels deep|too large"):
            compiled(text, SCOPE)
