"""The texts: what is written once, what is guarded, what is bounded."""

from __future__ import annotations

import re

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.binding import let, let_all
from riacho.pipelines.sql.expressions.bounds import DEPTH_MAX
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.compiler import compile_expression, known_type
from riacho.pipelines.sql.expressions.like import like
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.parsing.parser import parse_expression, parse_type
from riacho.pipelines.sql.syntax.expressions import (
    Column,
    CustomType,
    Expression,
    FunctionCall,
    IntegerLiteral,
    LambdaFunction,
    LambdaVariable,
    Sign,
)
from riacho.pipelines.sql.types import BOOLEAN, INTEGER, STRING, Array, Field, Map, Struct
from unit.pipelines.sql.expressions.columns import Columns, compiled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I + 1", "(`I` + 1)"),
        ("I / 2", "CAST(`I` div 2 AS INT)"),
        ("I > 1", "coalesce(`I` > 1, false)"),
        ("I = 1", "(`I` <=> 1)"),
        ("1 < 2", "(1 < 2)"),
        ("I = 1 AND B = 2 AND S = 'x'", "((`I` <=> 1) AND (`B` <=> 2) AND (`S` <=> 'x'))"),
        ("T AND I = 1", "IF(`T`, (`I` <=> 1), `T`)"),
        ("T OR I = 1", "IF(NOT `T`, (`I` <=> 1), `T`)"),
        ("NOT (I = 1)", "(NOT (`I` <=> 1))"),
        ("I + 1 > 5", "IF(((`I` + 1) IS NULL), NULL, coalesce((`I` + 1) > 5, false))"),
        ("COALESCE(I, 5)", "coalesce(`I`, 5)"),
        ("R->F", "`R`.`F`"),
        ("A[1]", "element_at(`A`, 1)"),
        ("A[I]", "element_at(`A`, nullif(`I`, 0))"),
        ("-9223372036854775808", "(-9223372036854775807L - 1L)"),
        ("S + 'x'", "concat(coalesce(`S`, 'null'), 'x')"),
        ("UCASE('{0}')", "upper('{0}')"),
    ],
)
def test_texts(text: str, expected: str) -> None:
    assert compiled(text).text == expected


def test_a_lambda_has_names_of_its_own() -> None:
    text = compiled("TRANSFORM(ARRAY[ARRAY[1]], x => TRANSFORM(x, y => y + I))").text
    assert "transform(_l1_0, _l2_0 -> (_l2_0 + `I`))" in text


def test_parameters_of_a_lambda_differ() -> None:
    twice = FunctionCall("REDUCE", (Column("A"), IntegerLiteral(0), LambdaFunction(("X", "X"), LambdaVariable("X"))))
    with pytest.raises(KsqlError, match="Reusing lambda arguments in nested lambda is not allowed"):
        compile_expression(twice, Columns())


def test_a_lambda_stands_in_a_call_only() -> None:
    with pytest.raises(KsqlError, match=re.escape("(X) => X cannot stand here.")):
        compile_expression(LambdaFunction(("X",), LambdaVariable("X")), Columns())


def test_a_long_value_is_written_once() -> None:
    value = "concat(" + ", ".join(["`A`"] * 40) + ")"
    text = let(value, lambda x: f"IF({x} IS NULL, {x}, {x})")
    assert text.count(value) == 1
    assert let("`A`", lambda x: f"IF({x} IS NULL, {x}, {x})") == "IF(`A` IS NULL, `A`, `A`)"
    assert let_all((), lambda: "1") == "1"


def test_what_is_random_is_never_written_twice() -> None:
    assert let("rand()", lambda x: f"{x} + {x}").count("rand()") == 1


def test_depth_is_bounded() -> None:
    expression: Expression = IntegerLiteral(1)
    for _ in range(DEPTH_MAX + 1):
        expression = Sign("-", expression)
    with pytest.raises(KsqlError, match="nested more than 200 levels deep"):
        compile_expression(expression, Columns())


def test_size_is_bounded() -> None:
    bomb = "CASE WHEN " * 30 + "T" + " THEN true ELSE T END" * 30
    with pytest.raises(KsqlError, match="The expression is too large"):
        compiled(bomb)


def test_divisions_do_not_multiply() -> None:
    text = compiled("D / (" * 50 + "D" + ")" * 50).text
    assert len(text) < 10_000


@pytest.mark.parametrize(
    ("pattern", "escape", "expected"),
    [
        ("a%", None, "coalesce(s LIKE 'a%' ESCAPE '\x01', false)"),
        ("a!%!!!b", "!", "coalesce(s LIKE 'a\x01%!b' ESCAPE '\x01', false)"),
        ("\x01%", None, "coalesce(s LIKE '\x01%' ESCAPE '\x02', false)"),
        ("a!", "!", "coalesce(s LIKE 'a' ESCAPE '\x01', false)"),
    ],
)
def test_like(pattern: str, escape: str | None, expected: str) -> None:
    assert like(Compiled("s", STRING), Compiled("p", STRING, literal=pattern), escape).text == expected


def test_like_has_one_escape_character() -> None:
    with pytest.raises(KsqlError, match="only one escape character"):
        like(Compiled("s", STRING), Compiled("p", STRING), "ab")


@pytest.mark.parametrize(
    "text",
    [
        "(A + (B * 2))",
        "CAST(A AS ARRAY<INTEGER>)",
        "(CASE WHEN (A = 1) THEN 'it''s' ELSE null END)",
        "(CASE A WHEN 1 THEN 2 END)",
        "(A BETWEEN 1 AND 2.5)",
        "(A IN (1, 2))",
        "(A LIKE 'x' ESCAPE '!')",
        "(NOT (A IS NULL))",
        "(A IS NOT NULL)",
        "ARRAY[1, true]",
        "MAP('a':=1)",
        "STRUCT(A:=1)",
        "A->B",
        "A[1]",
        "FOO(A, (X) => (X + 1))",
        "TIMESTAMPADD(SECONDS, 1, A)",
        "-A",
    ],
)
def test_expressions_as_errors_name_them(text: str) -> None:
    assert wording(parse_expression(text)) == text


def test_errors_name_only_the_beginning_of_what_is_large() -> None:
    assert len(wording(parse_expression("'" + "x" * 10_000 + "'"))) < 2_100


def test_types_by_name() -> None:
    kind = parse_type("STRUCT<A ARRAY<INT>, B MAP<STRING, BOOLEAN>>")
    assert known_type(kind) == Struct((Field("A", Array(INTEGER)), Field("B", Map(STRING, BOOLEAN))))
    with pytest.raises(KsqlError, match="Cannot resolve unknown type: ADDRESS"):
        known_type(CustomType("ADDRESS"))
