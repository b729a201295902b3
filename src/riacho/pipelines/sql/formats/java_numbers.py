"""Numbers as Java reads and prints them: what ksqlDB's formats make of texts, to the last leniency.

Each reader raises ValueError, with nothing worth telling in it: the format that asked says what was wrong.
"""

from __future__ import annotations

import decimal
import re
from decimal import Decimal

from riacho.base.config import java_double_text

INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1
LONG_MIN, LONG_MAX = -(1 << 63), (1 << 63) - 1
MILLIS_OF_DAY = 86_400_000

_DIGITS_MAX = 20
_NUMBER_LENGTH_MAX = 1_000
_EXPONENT_MAX = 10_000
_SPACES = "".join(map(chr, range(33)))
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DOUBLE = re.compile(r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_EXACT = decimal.Context(prec=2 * _NUMBER_LENGTH_MAX, traps=[decimal.Inexact, decimal.InvalidOperation])


def parse_int(text: str) -> int:
    """`Integer.parseInt`."""
    number = _integer(text)
    if not INT_MIN <= number <= INT_MAX:
        raise ValueError(text)
    return number


def parse_long(text: str) -> int:
    """`Long.parseLong`."""
    number = _integer(text)
    if not LONG_MIN <= number <= LONG_MAX:
        raise ValueError(text)
    return number


def _integer(text: str) -> int:
    if len(text) < _DIGITS_MAX and text.isdigit() and text.isascii():
        return int(text)
    if _INTEGER.fullmatch(text) is None or len(text.lstrip("+-0")) > _DIGITS_MAX:
        raise ValueError(text)
    return int(text)


def parse_double(text: str) -> float:
    """`Double.parseDouble`: space around is allowed, and an `f` or `d` behind."""
    text = text.strip(_SPACES)
    if _DOUBLE.fullmatch(text) is None:
        raise ValueError(text)
    return float(text.rstrip("fFdD") if text[-1] in "fFdD" else text)


def parse_decimal(text: str) -> Decimal:
    """`new BigDecimal(text)`, of a length and an exponent that cost no more than the text did."""
    if len(text) > _NUMBER_LENGTH_MAX or _DECIMAL.fullmatch(text) is None:
        raise ValueError(text)
    number = Decimal(text)
    if abs(number.as_tuple().exponent) > _EXPONENT_MAX:  # type: ignore[arg-type]
        raise ValueError(text)
    return number


def wrapped_int(number: int) -> int:
    """As a cast to int leaves it."""
    return ((number - INT_MIN) & 0xFFFF_FFFF) + INT_MIN


def wrapped_long(number: int) -> int:
    return ((number - LONG_MIN) & 0xFFFF_FFFF_FFFF_FFFF) + LONG_MIN


def fitted(number: Decimal, precision: int, scale: int) -> str:
    """The plain text of a number that a DECIMAL(precision, scale) holds as it is. ValueError, with ksqlDB's sentence,
    where it would overflow or have to be rounded."""
    digits = precision - scale
    if number and number.adjusted() >= digits:
        raise ValueError(
            f"Numeric field overflow: A field with precision {precision} and scale {scale} must round to an absolute "
            f"value less than 10^{digits}. Got {number:f}"
        )
    try:
        exact = number.quantize(Decimal((0, (1,), -scale)), context=_EXACT)
    except decimal.DecimalException:
        shape = number.as_tuple()
        required = f"{len(shape.digits)},{-int(shape.exponent)}"
        raise ValueError(
            f"Cannot fit decimal '{number:f}' into DECIMAL({precision}, {scale}) without rounding. "
            f"(Requires {required})"
        ) from None
    return f"{exact:f}" if exact else f"{exact.copy_abs():f}"


def double_text(number: float) -> str:
    """`Double.toString`."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return java_double_text(number)


def plain_decimal(text: str) -> str:
    """A decimal's text without an exponent, which Spark writes for many zeros."""
    return f"{Decimal(text):f}" if "E" in text else text


def decimal_text(text: str) -> str:
    """`BigDecimal.toString` of a number's text: with an exponent where the scale is negative or six zeros lead."""
    number = Decimal(text)
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "finite"
    if exponent <= 0 and exponent + len(digits) - 1 >= -6:
        plain = f"{number.copy_abs():f}"
    else:
        whole = "".join(map(str, digits))
        power = exponent + len(whole) - 1
        plain = (f"{whole[0]}.{whole[1:]}" if len(whole) > 1 else whole) + (f"E{power:+d}" if power else "")
    return f"-{plain}" if sign and number else plain
