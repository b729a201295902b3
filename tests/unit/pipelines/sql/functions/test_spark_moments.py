"""Times that Spark cannot hold are null before it sees them."""

from __future__ import annotations

from riacho.pipelines.sql.functions.scalar.spark_moments import day, moment, months


def test_bounds_stand_before_the_conversion() -> None:
    bound = "IF(`t` BETWEEN -6000000000000000L AND 6000000000000000L, `t`, NULL)"
    assert moment("`t`") == f"timestamp_millis({bound})"
    assert day("`d`") == "date_from_unix_date(IF(`d` BETWEEN -60000000 AND 60000000, `d`, NULL))"


def test_months_do_not_overflow_an_integer() -> None:
    assert months("`n`", 12) == "IF(`n` BETWEEN -83333 AND 83333, `n` * 12, NULL)"
    assert 83_333 * 12 < 2**31


def test_long_values_are_written_once() -> None:
    value = "concat(" + ", ".join(["`A`"] * 40) + ")"
    assert moment(value).count(value) == 1
