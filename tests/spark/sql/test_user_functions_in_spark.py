"""Functions of users in a Spark session, as statements call them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pyspark import cloudpickle

from riacho.pipelines.sql.expressions.compiler import compile_expression
from riacho.pipelines.sql.functions.python_functions import called_python_functions, register_python_functions
from riacho.pipelines.sql.functions.registry import REGISTRY
from riacho.pipelines.sql.functions.user.loading import load_user_functions
from riacho.pipelines.sql.parsing.parser import parse_expression
from riacho.pipelines.sql.row_json import row_text
from riacho.pipelines.sql.types import Field
from spark.sql.evaluating import Nulls, ksql_session
from unit.pipelines.sql.functions import user_functions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MODULES = (user_functions.__name__,)
CASES = {
    "DOUBLED(21)": 42,
    "DOUBLED(CAST(1.25 AS DECIMAL(6, 2)))": "2.50",
    "DOUBLED(CAST(NULL AS INT))": None,
    "JOINED('a', CAST(NULL AS STRING), UCASE('b'))": "a-?-B",
    "NEXT_DAY(FROM_DAYS(10))": 11,
    "POINT(STRUCT(X := 1, TAGS := MAP('b' := 1, 'a' := 2)))": {"X": 1, "NAMES": ["a", "b"]},
    "FAILING(0)": None,
    "FAILING(5)": None,
    "WORDS('to be')": ["to", "be"],
}


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return ksql_session(spark)


def test_statements_call_them(session: SparkSession) -> None:
    functions = REGISTRY.extended(load_user_functions(MODULES).functions)
    values = []
    for text in CASES:
        compiled = compile_expression(parse_expression(text), Nulls({}), functions=functions)
        assert compiled.type is not None
        values.append((Field(text, compiled.type), compiled.text))
    # Spark's workers have no tests among their modules; those of an operator they import.
    cloudpickle.register_pickle_by_value(user_functions)
    called = called_python_functions(text for _, text in values)
    assert len(called) == 7
    register_python_functions(session, called, MODULES)
    row = session.sql(f"SELECT {row_text(values)}").collect()[0][0]
    assert json.loads(row) == CASES
