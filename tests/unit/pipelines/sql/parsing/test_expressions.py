"""Expressions: what they are read as, and their canonical text."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.parsing.parser import parse_expression
from riacho.pipelines.sql.printer import expression_text
from riacho.pipelines.sql.syntax.expressions import (
    Arithmetic,
    Column,
    CreateMap,
    CreateStruct,
    DecimalLiteral,
    DoubleLiteral,
    Expression,
    FunctionCall,
    IntegerLiteral,
    IntervalUnit,
    LambdaFunction,
    LambdaVariable,
    LongLiteral,
    Sign,
    StringLiteral,
)

# As it is written, and as it is printed.
TEXTS = [
    ("1", "1"),
    ("-1", "-1"),
    ("+1", "1"),
    ("- -1", "1"),
    ("1.", "1."),
    (".5", ".5"),
    ("-1.50", "-1.50"),
    ("1e-3", "1e-3"),
    ("1.332434E+2", "1.332434E+2"),
    ("'You can call me ''Stuart'''", "'You can call me ''Stuart'''"),
    ("'ação 漢字 🙂'", "'ação 漢字 🙂'"),
    ("TRUE", "true"),
    ("False", "false"),
    ("NULL", "null"),
    ("a", "A"),
    ("`a`", "`a`"),
    ('"a"', "`a`"),
    ("`a``b`", "`a``b`"),
    ('"a""b"', '`a"b`'),
    ("`SELECT`", "`SELECT`"),
    ("s.a", "S.A"),
    ("`s`.`a`", "`s`.`a`"),
    ("a + b * c", "(A + (B * C))"),
    ("(a + b) * c", "((A + B) * C)"),
    ("a - b - c", "((A - B) - C)"),
    ("a / b % c", "((A / B) % C)"),
    ("-a", "-A"),
    ("- -a", "- -A"),
    ("+a", "+A"),
    ("a -1", "(A - 1)"),
    ("a - -1", "(A - -1)"),
    ("-a[1]", "-A[1]"),
    ("(-a)[1]", "(-A)[1]"),
    ("a || b || 'c'", "CONCAT(A, B, 'c')"),
    ("a = b", "(A = B)"),
    ("a != b", "(A <> B)"),
    ("a <> b", "(A <> B)"),
    ("a <= b + 1", "(A <= (B + 1))"),
    ("a < b", "(A < B)"),
    ("a > b", "(A > B)"),
    ("a >= b", "(A >= B)"),
    ("a IS NULL", "(A IS NULL)"),
    ("a IS NOT NULL", "(A IS NOT NULL)"),
    ("a IS DISTINCT FROM b", "(A IS DISTINCT FROM B)"),
    ("a IS NOT DISTINCT FROM b", "(A IS NOT DISTINCT FROM B)"),
    ("a AND b OR c", "((A AND B) OR C)"),
    ("a OR b AND c", "(A OR (B AND C))"),
    ("NOT a AND b", "((NOT A) AND B)"),
    ("NOT a = b", "(NOT (A = B))"),
    ("NOT NOT a", "(NOT (NOT A))"),
    ("a BETWEEN 1 AND 2 AND b", "((A BETWEEN 1 AND 2) AND B)"),
    ("a NOT BETWEEN b + 1 AND c", "(NOT (A BETWEEN (B + 1) AND C))"),
    ("a IN (1, 2)", "(A IN (1, 2))"),
    ("a NOT IN ('x')", "(NOT (A IN ('x')))"),
    ("a LIKE '%x'", "(A LIKE '%x')"),
    ("a NOT LIKE b ESCAPE '!'", "(NOT (A LIKE B ESCAPE '!'))"),
    ("CASE WHEN a THEN b END", "(CASE WHEN A THEN B END)"),
    ("CASE WHEN a THEN b WHEN c THEN d ELSE e END", "(CASE WHEN A THEN B WHEN C THEN D ELSE E END)"),
    ("CASE a WHEN 1 THEN 'x' ELSE 'y' END", "(CASE A WHEN 1 THEN 'x' ELSE 'y' END)"),
    ("CAST(a AS VARCHAR)", "CAST(A AS STRING)"),
    ("cast(a as decimal(4,2))", "CAST(A AS DECIMAL(4, 2))"),
    ("cast(a as array<map<string, struct<b int>>>)", "CAST(A AS ARRAY<MAP<STRING, STRUCT<B INTEGER>>>)"),
    ("a[1]", "A[1]"),
    ("a['k'][b + 1]", "A['k'][(B + 1)]"),
    ("a->b->c", "A->B->C"),
    ("s.a->b[1]->`c`", "S.A->B[1]->`c`"),
    ("ARRAY[]", "ARRAY[]"),
    ("ARRAY[1, a, ARRAY[2]]", "ARRAY[1, A, ARRAY[2]]"),
    ("MAP()", "MAP()"),
    ("MAP(k1:=v1, 'k2' := v1*2)", "MAP(K1:=V1, 'k2':=(V1 * 2))"),
    ("STRUCT(f1 := v1, `f2`:=1)", "STRUCT(F1:=V1, `f2`:=1)"),
    ("COUNT(*)", "COUNT()"),
    ("count()", "COUNT()"),
    ("ucase(trim(a))", "UCASE(TRIM(A))"),
    ("`ucase`(a)", "UCASE(A)"),
    ("replace(a, 'x', 'y')", "REPLACE(A, 'x', 'y')"),
    ("unix_timestamp()", "UNIX_TIMESTAMP()"),
    ("transform(a, x => x + 1)", "TRANSFORM(A, (X) => (X + 1))"),
    ("reduce(a, 0, (s, x) => s + x)", "REDUCE(A, 0, (S, X) => (S + X))"),
    ("filter(a, (x) => x > 1 OR x IS NULL)", "FILTER(A, (X) => ((X > 1) OR (X IS NULL)))"),
    ("timestampadd(seconds, 5, ts)", "TIMESTAMPADD(SECONDS, 5, TS)"),
    ("DATESUB(DAY, 5, d)", "DATESUB(DAYS, 5, D)"),
    ("timestampadd(`SECONDS`, 5, ts)", "TIMESTAMPADD(`SECONDS`, 5, TS)"),
    ("sum(days)", "SUM(DAYS)"),
    ("a + /* why not */ b -- because", "(A + B)"),
    ("/*+ a hint */ a", "A"),
    ("'--' + '/*'", "('--' + '/*')"),
    ("(((a)))", "A"),
    ("x@y:z", "`X@Y:Z`"),
    ("1st", "`1ST`"),
    ("map", "`MAP`"),
    ("map + array", "(`MAP` + `ARRAY`)"),
]


@pytest.mark.parametrize(("text", "printed"), TEXTS, ids=[text for text, _ in TEXTS])
def test_the_canonical_text(text: str, printed: str) -> None:
    expression = parse_expression(text)
    assert expression_text(expression) == printed
    assert parse_expression(printed) == expression


VALUES: list[tuple[str, Expression]] = [
    ("2147483647", IntegerLiteral(2147483647)),
    ("2147483648", LongLiteral(2147483648)),
    ("-2147483648", IntegerLiteral(-2147483648)),
    ("-2147483649", LongLiteral(-2147483649)),
    ("-9223372036854775808", LongLiteral(-(2**63))),
    ("10.50", DecimalLiteral("10.50")),
    ("1.5E3", DoubleLiteral("1.5E3")),
    ("-1e3", DoubleLiteral("-1e3")),
    ("''", StringLiteral("")),
    ("-f(a)", Sign("-", FunctionCall("F", (Column("A"),)))),
    ("STRUCT(a := 1)", CreateStruct((("A", IntegerLiteral(1)),))),
    ("MAP('a' := 1)", CreateMap(((StringLiteral("a"), IntegerLiteral(1)),))),
    ("TIMEADD(HOURS, 1, t)", FunctionCall("TIMEADD", (IntervalUnit("HOURS"), IntegerLiteral(1), Column("T")))),
    (
        "f(x => g(y => x + y + z + s.x))",
        FunctionCall(
            "F",
            (
                LambdaFunction(
                    ("X",),
                    FunctionCall(
                        "G",
                        (
                            LambdaFunction(
                                ("Y",),
                                Arithmetic(
                                    "+", (LambdaVariable("X"), LambdaVariable("Y"), Column("Z"), Column("X", "S"))
                                ),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
    ("f(x, x => x)", FunctionCall("F", (Column("X"), LambdaFunction(("X",), LambdaVariable("X"))))),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[text for text, _ in VALUES])
def test_what_an_expression_is(text: str, expected: Expression) -> None:
    assert parse_expression(text) == expected


def test_where_an_expression_stood_counts_for_nothing() -> None:
    first, second = parse_expression("a + 1"), parse_expression("\n\n  a+1")
    assert first == second
    assert hash(first) == hash(second)
    assert (first.at, second.at) == ((1, 1), (3, 3))
