"""COALESCE, IFNULL and NULLIF: all arguments of one type."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.expressions.comparison import compared
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.functions.function import Any, Argument, Example, Function
from riacho.pipelines.sql.functions.signatures import signature

CATEGORY = "CONDITIONAL"

_T = Any("T")


def _nullif(arguments: Sequence[Argument]) -> str:
    left, right = arguments
    if left.type is None or right.type is None:
        return left.text
    kind = left.type

    def checked(a: str, b: str) -> str:
        return f"IF({compared('=', Compiled(a, kind), Compiled(b, kind)).text}, NULL, {a})"

    return let_all((left.text, right.text), checked)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "COALESCE",
        CATEGORY,
        "The first argument that is not null.",
        (signature([("first", _T), ("others", _T)], _T, "coalesce({*})", is_variadic=True),),
        (
            Example("COALESCE(CAST(NULL AS INT), 2, 3)", 2),
            Example("COALESCE(NULL, 'a')", "a"),
            Example("COALESCE(CAST(NULL AS INT), CAST(NULL AS INT))", None),
            Example("COALESCE(CAST(NULL AS ARRAY<INT>), ARRAY[1])", [1]),
            Example("COALESCE(1)", 1),
        ),
    ),
    Function(
        "IFNULL",
        CATEGORY,
        "The first argument, or the second where that is null.",
        (signature([("expression", _T), ("altValue", _T)], _T, "coalesce({0}, {1})"),),
        (
            Example("IFNULL(CAST(NULL AS STRING), 'n/a')", "n/a"),
            Example("IFNULL(5, 6)", 5),
            Example("IFNULL(1 / 0, 6)", None),
        ),
    ),
    Function(
        "NULLIF",
        CATEGORY,
        "Null where both arguments are equal, else the first.",
        (signature([("expression1", _T), ("expression2", _T)], _T, _nullif),),
        (
            Example("NULLIF(1, 1)", None),
            Example("NULLIF(1, 2)", 1),
            Example("NULLIF('a', NULL)", "a"),
            Example("NULLIF(CAST(NULL AS STRING), 'a')", None),
            Example("NULLIF(MAP('a' := 1), MAP('a' := 1))", None),
        ),
    ),
)
