"""Arithmetic of decimals with more digits than Spark has, on their texts; as Java's BigDecimal, exact or not at all."""

from __future__ import annotations

import decimal
from collections.abc import Callable

DIGITS_MAX = 1_000
_OPERATIONS: dict[str, Callable[[decimal.Context, decimal.Decimal, decimal.Decimal], decimal.Decimal]] = {
    "+": decimal.Context.add,
    "-": decimal.Context.subtract,
    "*": decimal.Context.multiply,
    "/": decimal.Context.divide,
    "%": decimal.Context.remainder,
}
_WIDEST = decimal.Context(prec=4 * DIGITS_MAX, rounding=decimal.ROUND_HALF_UP, traps=[decimal.InvalidOperation])


def computed(operator: str, left: str, right: str, precision: int, scale: int) -> str | None:
    """Null where the result has more digits than its type, or no end."""
    exact = decimal.Context(
        prec=_bounded(precision),
        traps=[decimal.Inexact, decimal.DivisionByZero, decimal.InvalidOperation, decimal.Overflow],
    )
    # The remainder's quotient may have more digits than the remainder.
    context = _WIDEST if operator == "%" else exact
    value = _OPERATIONS[operator](context, _read(left), _read(right))
    return _plain(exact.quantize(value, decimal.Decimal(1).scaleb(-scale)))


def fitted(text: str, precision: int, scale: int) -> str | None:
    """Rounded half up to the scale; null where it has too many digits before the point."""
    value = _WIDEST.quantize(_read(text), decimal.Decimal(1).scaleb(-scale))
    return _plain(value) if len(value.as_tuple().digits) <= _bounded(precision) else None


def compared(left: str, right: str) -> int:
    one, other = _read(left), _read(right)
    return (one > other) - (one < other)


def _read(text: str) -> decimal.Decimal:
    """ValueError for what is no number of a bounded length."""
    value = decimal.Decimal(text)
    if not value.is_finite() or len(text) > 2 * DIGITS_MAX or abs(value.adjusted()) > DIGITS_MAX:
        raise ValueError("The number has too many digits")
    return value


def _bounded(precision: int) -> int:
    return min(precision, DIGITS_MAX)


def _plain(value: decimal.Decimal) -> str:
    """Java's zero has no sign."""
    return f"{abs(value) if value.is_zero() else value:f}"
