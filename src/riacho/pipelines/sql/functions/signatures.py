"""Short forms for signatures that many functions share."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.functions.function import MakeSql, Parameter, Pattern, ResultType, Signature, sql
from riacho.pipelines.sql.types import BIGINT, DOUBLE, INTEGER, SqlType


def signature(
    parameters: Sequence[tuple[str, Pattern]],
    result: ResultType,
    text: str | MakeSql,
    about: str = "",
    *,
    is_variadic: bool = False,
) -> Signature:
    """`text` is a template (`function.sql`) or what makes the text."""
    named = tuple(Parameter(name, kind) for name, kind in parameters)
    make = sql(text) if isinstance(text, str) else text
    return Signature(named, result, make, is_variadic=is_variadic, about=about)


def of_numbers(parameters: Sequence[str], result: SqlType, text: str | MakeSql) -> tuple[Signature, ...]:
    """One signature each for INTEGER, BIGINT and DOUBLE; every parameter is of that type."""
    return tuple(signature([(name, kind) for name in parameters], result, text) for kind in (INTEGER, BIGINT, DOUBLE))
