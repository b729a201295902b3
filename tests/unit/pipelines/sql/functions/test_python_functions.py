"""Python functions that texts of Spark SQL call."""

from __future__ import annotations

import re

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiler import compile_expression
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.functions.function import Argument
from riacho.pipelines.sql.functions.python_functions import PREFIX, PYTHON_FUNCTIONS, called_python_functions
from riacho.pipelines.sql.functions.registry import REGISTRY
from riacho.pipelines.sql.functions.scalar import date_calls
from riacho.pipelines.sql.parsing.parser import parse_expression
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.types import STRING


def test_calls_are_found_in_texts() -> None:
    texts = ["upper(riacho_format_date(`a`, 'x'))", "riacho_json_items(riacho_json_items(`b`))", "coalesce(`c`, 'y')"]
    assert called_python_functions(texts) == ("riacho_format_date", "riacho_json_items")


def test_nulls_and_failures_give_null() -> None:
    parse = PYTHON_FUNCTIONS["riacho_parse_timestamp"]
    assert parse("1970", "yyyy", "UTC") == 0
    assert parse("x", "yyyy", "UTC") is None
    assert parse("1970", "foo", "UTC") is None
    assert parse("1970", "yyyy", "Nowhere") is None
    assert parse(None, "yyyy", "UTC") is None
    assert PYTHON_FUNCTIONS["riacho_json_items"]("[" * 100_000) is None


def test_all_have_the_prefix_by_which_they_are_found() -> None:
    assert all(re.fullmatch(PREFIX + "[a-z_]+", name) for name in PYTHON_FUNCTIONS)


@pytest.mark.parametrize(
    "pattern",
    [
        "yyyy-MM-dd[ HH:mm]",
        "yyyy-MM-dd z",
        "YYYY-ww",
        "yyyyM",
        "EEE dd MM yyyy",
        "hh:mm",
        "dMM",
        "yyyy yyyy",
        "no pattern",
    ],
)
def test_what_spark_would_parse_otherwise_is_left_to_python(pattern: str) -> None:
    argument = Argument("'p'", STRING, pattern)
    assert date_calls.parse_date("`x`", argument).startswith("riacho_parse_date(")
    assert date_calls.parse_timestamp("`x`", argument, Argument("'UTC'", STRING, "UTC")).startswith("riacho_parse")


def test_patterns_of_columns_are_left_to_python() -> None:
    column, utc = Argument("`p`", STRING), Argument("'UTC'", STRING, "UTC")
    assert date_calls.format_timestamp("`x`", column, utc) == "riacho_format_timestamp(`x`, `p`, 'UTC')"
    assert date_calls.format_date("`x`", column) == "riacho_format_date(`x`, `p`)"
    assert date_calls.format_time("`x`", column) == "riacho_format_time(`x`, `p`)"
    assert date_calls.parse_time("`x`", column) == "riacho_parse_time(`x`, `p`)"
    assert date_calls.parse_whole_date("`x`", column) == "riacho_parse_whole_date(`x`, `p`)"
    assert date_calls.convert_zone("`x`", column, utc) == "riacho_convert_tz(`x`, `p`, 'UTC')"


def test_literals_stay_literals() -> None:
    pattern = "yyyy'\\ it''s %'"
    text = date_calls.format_date("`x`", Argument("'p'", STRING, pattern))
    assert text.endswith(r", 'yyyy\'\\ it\'\'s %\'')")


class Nothing:
    def resolve(self, column: Column) -> Resolved:
        raise KsqlError(f"Column '{column.name}' cannot be resolved.")


def test_lambdas_have_none_of_them() -> None:
    with pytest.raises(KsqlError, match="computed in Python cannot be called in a lambda: PARSE_DATE"):
        compile_expression(parse_expression("TRANSFORM(ARRAY['1'], x => PARSE_DATE(x, 'EEE'))"), Nothing())
    native = compile_expression(parse_expression("TRANSFORM(ARRAY['1'], x => PARSE_DATE(x, 'd MMM yyyy'))"), Nothing())
    assert called_python_functions([native.text]) == ()


def test_what_they_compute_is_computed_before_a_lambda() -> None:
    text = compile_expression(
        parse_expression("ARRAY_CONTAINS(JSON_ITEMS('[1]'), JSON_CONCAT('1', '2'))"), Nothing()
    ).text
    before, _, inside = text.partition("->")
    assert len(called_python_functions([before])) == 2
    assert called_python_functions([inside]) == ()


def test_every_function_has_examples() -> None:
    """Two at least; what they give is checked by Spark."""
    assert [function.name for function in REGISTRY if len(function.examples) < 2 and function.name != "RANDOM"] == []
    assert [function.name for function in REGISTRY if not function.about.endswith(".")] == []
