"""Every example of every function, by Spark."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from riacho.pipelines.sql.functions.function import Function
from riacho.pipelines.sql.functions.registry import REGISTRY
from spark.sql.evaluating import evaluate, evaluate_over_columns, ksql_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return ksql_session(spark)


@pytest.mark.parametrize("function", REGISTRY, ids=lambda function: function.name)
def test_examples(session: SparkSession, function: Function) -> None:
    calls = [example.call for example in function.examples]
    assert wrong(function, evaluate(session, calls)) == []


@pytest.mark.parametrize("function", REGISTRY, ids=lambda function: function.name)
def test_examples_over_columns(session: SparkSession, function: Function) -> None:
    """What a function does with a literal, it does with a column."""
    calls = [example.call for example in function.examples]
    assert wrong(function, evaluate_over_columns(session, calls)) == []


def wrong(function: Function, values: list[object]) -> list[str]:
    return [
        f"{example.call}: {value!r}, not {example.result!r}"
        for example, value in zip(function.examples, values, strict=True)
        if not same(value, example.result)
    ]


def same(value: object, expected: object) -> bool:
    """Doubles may differ in their last digits: Spark computes with StrictMath where ksqlDB uses Math."""
    if isinstance(value, float) and isinstance(expected, float):
        return math.isclose(value, expected, rel_tol=1e-14)
    return type(value) is type(expected) and value == expected
