"""Types and values of expressions, by Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark.sql.evaluating import Nulls, compiled, evaluate, ksql_session
from spark.sql.expression_cases import COLUMNS, GROUPS
from spark.sql.test_functions import same

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCOPE = Nulls(COLUMNS)


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return ksql_session(spark)


@pytest.mark.parametrize("group", GROUPS)
def test_values(session: SparkSession, group: str) -> None:
    cases = GROUPS[group]
    values = evaluate(session, [text for text, _, _ in cases], SCOPE)
    wrong = [
        f"{text}: {value!r}, not {expected!r}"
        for (text, _, expected), value in zip(cases, values, strict=True)
        if not same(value, expected)
    ]
    assert wrong == []


@pytest.mark.parametrize("group", GROUPS)
def test_types(group: str) -> None:
    found = [(text, str(compiled(text, SCOPE).type)) for text, _, _ in GROUPS[group]]
    assert found == [(text, kind) for text, kind, _ in GROUPS[group]]


def test_there_are_enough() -> None:
    assert sum(map(len, GROUPS.values())) > 200
