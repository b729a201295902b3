from __future__ import annotations

import pytest

from riacho.cli.kafka.flags.jopt import parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.offset_reset import load_plan, parse_datetime, parse_duration

GROUPS = TOOLS["kafka-consumer-groups"]


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:01.500", 1500),
        ("1970-01-01T01:00:00.000+01:00", 0),
        ("1970-01-01T00:00:00Z", 0),
        ("2020-01-01T00:00:00.000", 1_577_836_800_000),
    ],
)
def test_times_are_utc_unless_they_say_otherwise(text: str, milliseconds: int) -> None:
    assert parse_datetime(text) == milliseconds


@pytest.mark.parametrize("text", ["2020-01-01", "yesterday", "2020-13-01T00:00:00.000"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ToolError, match="is not a time"):
        parse_datetime(text)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("PT1S", 1000), ("PT0.5S", 500), ("P1DT2H3M4S", 93_784_000), ("P2D", 172_800_000), ("-PT1M", -60_000)],
)
def test_durations(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize("text", ["", "P", "1H", "PT", "P1H"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ToolError, match="is not a duration"):
        parse_duration(text)


def plan_of(text: str, *groups: str) -> dict[str, dict[tuple[str, int], int]]:
    words = ["--reset-offsets", "--from-file", "plan.csv", *(w for g in groups for w in ("--group", g))]
    return load_plan(parse(GROUPS, words), lambda path: text)


def test_a_plan_of_one_group_leaves_it_out() -> None:
    assert plan_of("t,0,5\nt,1,6\n\n", "g") == {"g": {("t", 0): 5, ("t", 1): 6}}


def test_a_plan_of_several() -> None:
    assert plan_of("a,t,0,5\nb,t,0,7\n", "a", "b") == {"a": {("t", 0): 5}, "b": {("t", 0): 7}}


def test_a_broken_plan_shows_its_line() -> None:
    with pytest.raises(ToolError, match=r"'t,x,5' in plan.csv is not \[group,\]topic,partition,offset"):
        plan_of("t,x,5", "a", "b")
