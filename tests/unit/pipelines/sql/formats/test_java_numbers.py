"""Numbers as Java reads and prints them."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from riacho.pipelines.sql.formats import java_numbers


@pytest.mark.parametrize(("text", "number"), [("10", 10), ("+10", 10), ("-2147483648", -(2**31)), ("007", 7)])
def test_ints_are_read(text: str, number: int) -> None:
    assert java_numbers.parse_int(text) == number


@pytest.mark.parametrize("text", ["", " 1", "1.0", "2147483648", "1_0", "٣", "-", "9" * 5_000])
def test_what_is_no_int_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        java_numbers.parse_int(text)


def test_longs_have_a_range_of_their_own() -> None:
    assert java_numbers.parse_long("9223372036854775807") == 2**63 - 1
    with pytest.raises(ValueError, match="9223372036854775808"):
        java_numbers.parse_long("9223372036854775808")


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1.0), (" 1.5 ", 1.5), ("1e3", 1000.0), ("-.5", -0.5), ("2d", 2.0), ("1.5f", 1.5)]
)
def test_doubles_are_read(text: str, number: float) -> None:
    assert java_numbers.parse_double(text) == number


@pytest.mark.parametrize("text", ["", "1,5", "nan", "inf", "1__0", "0x"])
def test_what_is_no_double_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        java_numbers.parse_double(text)


@pytest.mark.parametrize("text", ["", "1e", "NaN", "1E20000", "1" * 1_001, " 1"])
def test_what_is_no_decimal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        java_numbers.parse_decimal(text)


@pytest.mark.parametrize(
    ("number", "text"),
    [("1", "1.00"), ("1.5", "1.50"), ("-1.50000", "-1.50"), ("0", "0.00"), ("-0.0", "0.00"), ("1E+1", "10.00")],
)
def test_decimals_are_padded_to_their_scale(number: str, text: str) -> None:
    assert java_numbers.fitted(Decimal(number), 4, 2) == text


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("100", "Numeric field overflow: A field with precision 4 and scale 2 must round to an absolute value less "
                "than 10^2. Got 100"),
        ("1.005", "Cannot fit decimal '1.005' into DECIMAL(4, 2) without rounding. (Requires 4,3)"),
        ("1E+9000", "Numeric field overflow"),
    ],
)  # fmt: skip
def test_a_decimal_that_does_not_fit_is_refused(number: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        java_numbers.fitted(Decimal(number), 4, 2)


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.0, "1.0"), (1e10, "1.0E10"), (0.0001, "1.0E-4"), (-0.0, "-0.0"), (123456.789, "123456.789"), (1e7, "1.0E7")],
)
def test_doubles_are_printed(number: float, text: str) -> None:
    assert java_numbers.double_text(number) == text
    assert java_numbers.double_text(float("nan")) == "NaN"
    assert java_numbers.double_text(float("-inf")) == "-Infinity"


@pytest.mark.parametrize(
    ("given", "printed"),
    [("1.0", "1.0"), ("1E5", "1E+5"), ("1.50E5", "1.50E+5"), ("0.000001", "0.000001"), ("0.0000001", "1E-7"),
     ("-1.20", "-1.20"), ("123456789012345678901234567890.1", "123456789012345678901234567890.1")],
)  # fmt: skip
def test_decimals_are_printed_as_java_does(given: str, printed: str) -> None:
    assert java_numbers.decimal_text(given) == printed


def test_casts_wrap() -> None:
    assert java_numbers.wrapped_int(2**31) == -(2**31)
    assert java_numbers.wrapped_int(3_000_000_000) == -1_294_967_296
    assert java_numbers.wrapped_long(2**63) == -(2**63)
    assert java_numbers.wrapped_long(-5) == -5


def test_decimals_lose_their_exponent() -> None:
    assert java_numbers.plain_decimal("0E-10") == "0.0000000000"
    assert java_numbers.plain_decimal("1.5") == "1.5"
