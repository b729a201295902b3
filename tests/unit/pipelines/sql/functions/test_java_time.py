"""Dates and times by patterns, as Java has them.

`java_time_cases.tsv` was computed by Java 17's java.time, from random moments and texts: what is asked (fts, fd, ft:
format a timestamp, date, time; pts, pd, pt: parse), the value, the pattern, a zone, and what came of it; ! for what it
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riacho.pipelines.sql.functions import java_time
from riacho.pipelines.sql.functions.java_time import PatternError, calendar, pattern_of
from riacho.pipelines.sql.functions.java_time.pattern import PATTERN_LENGTH_MAX
from riacho.pipelines.sql.functions.java_time.zones import ZoneError, zone_of

CASES = [line.split("\t") for line in (Path(__file__).parent / "java_time_cases.tsv").read_text().splitlines()]
ASKED: dict[str, Callable[[str, str, str], object]] = {
    "fts": lambda value, pattern, zone: java_time.timestamp_text(int(value), pattern, zone),
    "fd": lambda value, pattern, _: java_time.days_text(int(value), pattern),
    "ft": lambda value, pattern, _: java_time.time_text(int(value), pattern),
    "pts": lambda value, pattern, zone: java_time.parse_timestamp(value, pattern, zone),
    "pd": lambda value, pattern, _: java_time.parse_whole_date(value, pattern),
    "pt": lambda value, pattern, _: java_time.parse_time(value, pattern),
}


@pytest.mark.parametrize("asked", ASKED)
def test_java_has_the_same(asked: str) -> None:
    found = {}
    for kind, value, pattern, zone, result in CASES:
        if kind == asked:
            found[value, pattern, zone] = (answer(asked, value, pattern, zone), result)
    assert len(found) > 10
    assert {case: pair for case, pair in found.items() if pair[0] != pair[1]} == {}


def answer(asked: str, value: str, pattern: str, zone: str) -> str:
    try:
        return str(ASKED[asked](value, pattern, zone))
    except ValueError:
        return "!"


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("foo", "Unknown pattern letter: f"),
        ("yyyy'T", "Pattern ends with an incomplete string literal: yyyy'T"),
        ("HHH", "Too many pattern letters: H"),
        ("yyyy]", "Pattern invalid as it contains ] without previous ["),
        ("{", "Pattern includes reserved character: '{'"),
        ("VVV", "Pattern letter count must be 2: V"),
        ("p", "Pad letter 'p' must be followed by valid pad pattern"),
        ("cc", 'Invalid pattern "cc"'),
        ("y" * (PATTERN_LENGTH_MAX + 1), "Pattern is too long"),
        ("[" * 60, "Pattern is nested too deeply"),
    ],
)
def test_patterns_that_java_refuses(pattern: str, sentence: str) -> None:
    with pytest.raises(PatternError) as refusal:
        pattern_of(pattern)
    assert str(refusal.value) == sentence


@given(st.integers(-(10**9), 10**9))
def test_days_and_dates(days: int) -> None:
    year, month, day = calendar.date_of(days)
    assert calendar.days_of(year, month, day) == days
    assert 1 <= day <= calendar.month_length(year, month)
    assert 1 <= calendar.day_of_year(days) <= calendar.year_length(year)


@given(st.integers(-(10**12), 10**13), st.sampled_from(["UTC", "Asia/Kolkata", "+05:30", "Z"]))
def test_what_is_written_is_read(millis: int, zone: str) -> None:
    pattern = "uuuu-MM-dd'T'HH:mm:ss.SSSXXX"
    assert java_time.parse_timestamp(java_time.timestamp_text(millis, pattern, zone), pattern, "UTC") == millis


@given(st.text(max_size=20), st.text("yMdHmsSaEXz'[]-: ", max_size=12))
def test_whatever_comes_is_read_or_refused(text: str, pattern: str) -> None:
    for parse in (java_time.parse_timestamp, java_time.parse_date, java_time.parse_time):
        try:
            parse(text, pattern)
        except ValueError:
            continue


def test_partial_dates() -> None:
    assert java_time.parse_date("2021-05", "yyyy-MM") == calendar.days_of(2021, 5, 1)
    assert java_time.parse_date("2021", "yyyy") == calendar.days_of(2021, 1, 1)
    for text, pattern in (("05", "MM"), ("2021 05", "yyyy dd"), ("2021-05-06 10", "yyyy-MM-dd HH")):
        with pytest.raises(ValueError, match=r"DATE|Date"):
            java_time.parse_date(text, pattern)
    with pytest.raises(ValueError, match="contains date field"):
        java_time.parse_time("2021 10", "yyyy HH")


@pytest.mark.parametrize(
    ("text", "id", "seconds"),
    [
        ("Z", "Z", 0),
        ("+1", "+01:00", 3_600),
        ("-0130", "-01:30", -5_400),
        ("UTC+01:00", "UTC+01:00", 3_600),
        ("GMT", "GMT", 0),
        ("UT-2", "UT-02:00", -7_200),
        ("+18:00", "+18:00", 64_800),
    ],
)
def test_zones_of_offsets(text: str, id: str, seconds: int) -> None:
    zone = zone_of(text)
    assert (zone.id, zone.offset_at(0)) == (id, seconds)


@pytest.mark.parametrize(
    "text", ["", "PDT", "EST", "+19:00", "+01:60", "Nowhere/Land", "europe/berlin", "../etc", "+", "UTCx"]
)
def test_zones_that_are_none(text: str) -> None:
    with pytest.raises(ZoneError):
        zone_of(text)


def test_clocks_that_are_set_back_and_forward() -> None:
    pattern = "yyyy-MM-dd HH:mm"
    # Twice: the hour of standard time. Never: as if the clocks had not been set yet.
    assert java_time.parse_timestamp("2021-10-31 02:30", pattern, "Europe/Berlin") == 1_635_643_800_000
    assert java_time.parse_timestamp("2021-03-28 02:30", pattern, "Europe/Berlin") == 1_616_895_000_000


def test_times_in_zones_of_far_years() -> None:
    assert java_time.timestamp_text(300_000_000_000_000, "uuuu", "Europe/Berlin") == "+11476"
    assert java_time.timestamp_text(-100_000_000_000_000, "uuuu", "Europe/Berlin") == "-1199"
