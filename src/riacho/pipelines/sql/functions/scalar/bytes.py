"""Numbers that bytes are: INT_FROM_BYTES, BIGINT_FROM_BYTES and DOUBLE_FROM_BYTES."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.expressions.binding import let, let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function, Signature
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.types import BIGINT, BYTES, DOUBLE, INTEGER, STRING, SqlType

CATEGORY = "CONVERSIONS"


def _digits(data: str, order: str, size: int) -> str:
    """Hexadecimal digits, the highest first; null where the number of bytes or their order is none."""
    digits = f"hex({data})"
    reversed_ = "concat(" + ", ".join(f"substring({digits}, {2 * at + 1}, 2)" for at in reversed(range(size))) + ")"
    ordered = f"CASE {order} WHEN 'BIG_ENDIAN' THEN {digits} WHEN 'LITTLE_ENDIAN' THEN {reversed_} END"
    return f"IF(length({data}) = {size}, {ordered}, NULL)"


def _signatures(result: SqlType, size: int, number: Callable[[str], str]) -> tuple[Signature, ...]:
    def make(arguments: Sequence[Argument]) -> str:
        order = arguments[1].text if len(arguments) > 1 else "'BIG_ENDIAN'"
        return number(let_all((arguments[0].text,), lambda data: _digits(data, order, size)))

    value = ("value", BYTES)
    return (
        signature([value], result, make),
        signature([value, ("byteOrder", STRING)], result, make),
    )


def _int(digits: str) -> str:
    return f"CAST(CAST(conv({digits}, 16, 10) AS BIGINT) AS INT)"


def _bigint(digits: str) -> str:
    return f"CAST(conv({digits}, 16, -10) AS BIGINT)"


def _double(digits: str) -> str:
    """IEEE 754: sign, exponent, fraction. All products are of powers of two, so nothing is rounded."""

    def value(bits: str) -> str:
        sign = f"IF({bits} < 0, -1D, 1D)"
        exponent = f"(shiftrightunsigned({bits}, 52) & 2047L)"
        fraction = f"({bits} & 4503599627370495L)"
        return (
            f"(CASE WHEN {exponent} = 2047 AND {fraction} = 0 THEN {sign} * CAST('Infinity' AS DOUBLE) "
            f"WHEN {exponent} = 2047 THEN CAST('NaN' AS DOUBLE) "
            f"WHEN {exponent} = 0 THEN {sign} * CAST({fraction} AS DOUBLE) * power(2D, -1074D) "
            f"ELSE {sign} * CAST({fraction} + 4503599627370496L AS DOUBLE) "
            f"* power(2D, CAST({exponent} AS DOUBLE) - 1075D) END)"
        )

    return let(_bigint(digits), value)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "INT_FROM_BYTES",
        CATEGORY,
        "The INTEGER that four bytes are.",
        _signatures(INTEGER, 4, _int),
        (
            Example("INT_FROM_BYTES(TO_BYTES('AAAH5Q==', 'base64'))", 2021),
            Example("INT_FROM_BYTES(TO_BYTES('5QcAAA==', 'base64'), 'LITTLE_ENDIAN')", 2021),
            Example("INT_FROM_BYTES(TO_BYTES('FFFFFFFF', 'hex'))", -1),
            Example("INT_FROM_BYTES(TO_BYTES('FF', 'hex'))", None),
            Example("INT_FROM_BYTES(TO_BYTES('AAAH5Q==', 'base64'), 'MIDDLE_ENDIAN')", None),
            Example("INT_FROM_BYTES(CAST(NULL AS BYTES))", None),
        ),
    ),
    Function(
        "BIGINT_FROM_BYTES",
        CATEGORY,
        "The BIGINT that eight bytes are.",
        _signatures(BIGINT, 8, _bigint),
        (
            Example("BIGINT_FROM_BYTES(TO_BYTES('AAAAASoF8gA=', 'base64'), 'BIG_ENDIAN')", 5_000_000_000),
            Example("BIGINT_FROM_BYTES(TO_BYTES('00F2052A01000000', 'hex'), 'LITTLE_ENDIAN')", 5_000_000_000),
            Example("BIGINT_FROM_BYTES(TO_BYTES('FFFFFFFFFFFFFFFE', 'hex'))", -2),
            Example("BIGINT_FROM_BYTES(TO_BYTES('FFFE', 'hex'))", None),
        ),
    ),
    Function(
        "DOUBLE_FROM_BYTES",
        CATEGORY,
        "The DOUBLE that eight bytes are.",
        _signatures(DOUBLE, 8, _double),
        (
            Example("DOUBLE_FROM_BYTES(TO_BYTES('QICm/ZvJ9YI=', 'base64'), 'BIG_ENDIAN')", 532.8738323),
            Example("DOUBLE_FROM_BYTES(TO_BYTES('82F5C99BFDA68040', 'hex'), 'LITTLE_ENDIAN')", 532.8738323),
            Example("DOUBLE_FROM_BYTES(TO_BYTES('BFF8000000000000', 'hex'))", -1.5),
            Example("DOUBLE_FROM_BYTES(TO_BYTES('7FF0000000000000', 'hex'))", "Infinity"),
            Example("DOUBLE_FROM_BYTES(TO_BYTES('0000000000000001', 'hex'))", 5e-324),
            Example("DOUBLE_FROM_BYTES(TO_BYTES('7FF8000000000000', 'hex'))", "NaN"),
            Example("DOUBLE_FROM_BYTES(TO_BYTES('00', 'hex'))", None),
        ),
    ),
)
