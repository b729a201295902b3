"""GREATEST and LEAST. Nulls do not count; numbers are of one type, or doubles where one of them is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.expressions.decimals import decimal_of, wider
from riacho.pipelines.sql.functions.function import AnyDecimal, Argument, Example, Function, Signature
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.types import (
    BIGINT,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Decimal,
    SqlType,
    spark_type,
)

CATEGORY = "MATHEMATICAL"


def _widest(types: Sequence[SqlType | None]) -> Decimal:
    known = [decimal_of(kind) for kind in types if kind is not None]
    result = known[0]
    for kind in known[1:]:
        result = wider(result, kind)
    return result


def _signatures(function: str) -> tuple[Signature, ...]:
    def make(arguments: Sequence[Argument]) -> str:
        texts = [argument.text for argument in arguments]
        return f"{function}({', '.join(texts)})" if len(texts) > 1 else texts[0]

    def of_decimals(arguments: Sequence[Argument]) -> str:
        target = spark_type(_widest([argument.type for argument in arguments]))
        texts = [f"CAST({argument.text} AS {target})" for argument in arguments]
        return f"{function}({', '.join(texts)})" if len(texts) > 1 else texts[0]

    def of(kind: SqlType) -> Signature:
        return signature([("col1", kind), ("colArgs", kind)], kind, make, is_variadic=True)

    decimals: Callable[[Sequence[SqlType | None]], SqlType] = _widest
    return (
        *(of(kind) for kind in (INTEGER, BIGINT, DOUBLE, STRING, BYTES, DATE, TIME, TIMESTAMP)),
        signature([("col1", AnyDecimal()), ("colArgs", AnyDecimal())], decimals, of_decimals, is_variadic=True),
    )


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "GREATEST",
        CATEGORY,
        "The largest of several values.",
        _signatures("greatest"),
        (
            Example("GREATEST(1, 3, 2)", 3),
            Example("GREATEST(1, NULL, 2)", 2),
            Example("GREATEST('apple', 'banana')", "banana"),
            Example("GREATEST(1.5, 2.25)", "2.25"),
            Example("GREATEST(1, 2.5E0)", 2.5),
            Example("GREATEST(CAST(NULL AS INT), CAST(NULL AS INT))", None),
            Example("GREATEST(5)", 5),
        ),
    ),
    Function(
        "LEAST",
        CATEGORY,
        "The smallest of several values.",
        _signatures("least"),
        (
            Example("LEAST(1, 3, 2)", 1),
            Example("LEAST(NULL, 3, 2)", 2),
            Example("LEAST('apple', 'banana')", "apple"),
            Example("LEAST(1.5, 2.25)", "1.50"),
            Example("LEAST(TO_BYTES('b', 'utf8'), TO_BYTES('a', 'utf8'))", "YQ=="),
        ),
    ),
)
