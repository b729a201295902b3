"""GENERATE_SERIES: arrays of numbers with a step between them."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function, Parameter, Signature
from riacho.pipelines.sql.types import BIGINT, INTEGER, Array, SqlType

# A row that asks for more gets null, as one whose step has the wrong sign does: it would take the memory of the others.
SERIES_LENGTH_MAX = 1_000_000


def _series(arguments: Sequence[Argument]) -> str:
    start, end = arguments[0].text, arguments[1].text
    kind = "BIGINT" if arguments[0].type == BIGINT else "INT"
    step = f"CAST({arguments[2].text} AS {kind})" if len(arguments) > 2 else ""

    def body(first: str, last: str, given: str = "") -> str:
        by = given or f"CAST(IF({last} > {first}, 1, -1) AS {kind})"
        wrong = f"{by} = 0 OR ({last} > {first} AND {by} < 0) OR ({last} < {first} AND {by} > 0)"
        long = f"abs(CAST({last} AS DOUBLE) - {first}) >= abs(CAST({by} AS DOUBLE)) * {SERIES_LENGTH_MAX}"
        return f"sequence({first}, {last}, IF({wrong} OR {long}, NULL, {by}))"

    return let_all((start, end, step) if step else (start, end), body)


def _signatures(kind: SqlType) -> tuple[Signature, Signature]:
    bounds = (Parameter("start", kind), Parameter("end", kind))
    return (
        Signature(bounds, Array(kind), _series),
        Signature((*bounds, Parameter("step", INTEGER)), Array(kind), _series),
    )


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "GENERATE_SERIES",
        "ARRAY",
        "The numbers from a start to an end, both included, with a step between them.",
        _signatures(INTEGER) + _signatures(BIGINT),
        (
            Example("GENERATE_SERIES(1, 4)", [1, 2, 3, 4]),
            Example("GENERATE_SERIES(3, 1)", [3, 2, 1]),
            Example("GENERATE_SERIES(0, 7, 3)", [0, 3, 6]),
            Example("GENERATE_SERIES(CAST(5 AS BIGINT), CAST(1 AS BIGINT), -2)", [5, 3, 1]),
            Example("GENERATE_SERIES(2, 2)", [2]),
            Example("GENERATE_SERIES(1, 4, -1)", None),
            Example("GENERATE_SERIES(1, 4, 0)", None),
            Example("GENERATE_SERIES(1, 2000000000)", None),
        ),
    ),
)
