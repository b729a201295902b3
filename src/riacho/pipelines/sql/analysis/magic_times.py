"""Texts that are compared with ROWTIME, WINDOWSTART or WINDOWEND mean times: '2020-02-03T10:15:30+0100', or the
beginning of such a text."""

from __future__ import annotations

import datetime
import re

from riacho.pipelines.sql.analysis.syntax_walk import rewrite
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Between, Column, Comparison, Expression, LongLiteral, StringLiteral

_TIMES = ("ROWTIME", "WINDOWSTART", "WINDOWEND")
_FORM = re.compile(
    r"^(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})"
    r"(?:T(?:(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d{1,9}))?)?)?)?)?)?)?"
    r"(?P<zone>Z|[+-]\d{2}:?\d{2})?$"
)


def with_times(expression: Expression) -> Expression:
    def change(node: Expression) -> Expression | None:
        match node:
            case Comparison(operator, Column(name), StringLiteral(text)) if name in _TIMES:
                return Comparison(operator, node.left, LongLiteral(time_of(text)), at=node.at)
            case Comparison(operator, StringLiteral(text), Column(name)) if name in _TIMES:
                return Comparison(operator, LongLiteral(time_of(text)), node.right, at=node.at)
            case Between(Column(name), low, high) if name in _TIMES:
                return Between(node.operand, _bound(low), _bound(high), at=node.at)
            case _:
                return None

    return rewrite(expression, change)


def _bound(expression: Expression) -> Expression:
    return LongLiteral(time_of(expression.value)) if isinstance(expression, StringLiteral) else expression


def time_of(text: str) -> int:
    """Milliseconds since 1970; what is left out is the beginning of its unit, and without a zone it is UTC."""
    found = _FORM.match(text.strip())
    refusal = KsqlError(
        f"Failed to parse timestamp '{text}': it should have the form yyyy-MM-dd'T'HH:mm:ss.SSS, or a beginning of it, "
        "with or without a zone such as +0100."
    )
    if found is None:
        raise refusal
    try:
        moment = datetime.datetime(
            int(found["year"]),
            int(found["month"] or 1),
            int(found["day"] or 1),
            int(found["hour"] or 0),
            int(found["minute"] or 0),
            int(found["second"] or 0),
            tzinfo=_zone(found["zone"]),
        )
    except ValueError:
        raise refusal from None
    seconds = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(seconds=1)
    return seconds * 1_000 + int((found["fraction"] or "0").ljust(3, "0")[:3])


def _zone(text: str | None) -> datetime.timezone:
    if text in (None, "Z"):
        return datetime.UTC
    digits = str(text).replace(":", "")
    offset = datetime.timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
    return datetime.timezone(-offset if digits[0] == "-" else offset)
