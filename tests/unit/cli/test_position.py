"""Places in a topic as people write them, and the offsets that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import click
import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.position import Kind, Position, parse_position, parse_span_ms, resolve
from riacho.client.offsets import EARLIEST, LATEST, FoundOffset

NOW_MS = 1_800_000_000_000
PLACES = [("orders", 0), ("orders", 1)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("start", Position(Kind.START)),
        ("beginning", Position(Kind.START)),
        ("END", Position(Kind.END)),
        ("0", Position(Kind.OFFSET, 0)),
        ("42", Position(Kind.OFFSET, 42)),
        ("-10", Position(Kind.BACK, 10)),
        ("@1767261600000", Position(Kind.TIME, 1_767_261_600_000)),
        ("5m ago", Position(Kind.TIME, NOW_MS - 300_000)),
        ("5m", Position(Kind.TIME, NOW_MS - 300_000)),
        ("1h30m ago", Position(Kind.TIME, NOW_MS - 5_400_000)),
        ("999999w ago", Position(Kind.TIME, 0)),
    ],
)
def test_what_may_be_written(text: str, meant: Position) -> None:
    assert parse_position(text, NOW_MS) == meant


def test_a_time_with_a_zone_is_that_moment() -> None:
    expected = int(datetime(2026, 1, 31, 10, 0, tzinfo=UTC).timestamp() * 1000)
    assert parse_position("@2026-01-31T10:00Z", NOW_MS).number == expected
    assert parse_position("@2026-01-31T12:00+02:00", NOW_MS).number == expected


def test_a_time_without_a_zone_is_local() -> None:
    expected = int(datetime(2026, 1, 31, 10, 0).timestamp() * 1000)
    assert parse_position("@2026-01-31T10:00", NOW_MS).number == expected


@pytest.mark.parametrize("text", ["", "wat", "5 parsecs ago", "@yesterday", "--5", "1.5", "9" * 30, "ago"])
def test_anything_else_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(click.ClickException, match="write"):
        parse_position(text, NOW_MS)


def test_spans() -> None:
    assert parse_span_ms("250ms") == 250
    assert parse_span_ms("2d 3h") == 2 * 86_400_000 + 3 * 3_600_000
    assert parse_span_ms("2x") is None


@pytest.fixture
def log_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each partition has offsets 5 to 14; partition 0's record 8 is the first that is young enough."""

    def answer(cluster: Any, times: Mapping[tuple[str, int], int]) -> dict[tuple[str, int], FoundOffset]:
        offsets = {EARLIEST: 5, LATEST: 15}
        return {p: FoundOffset(offsets.get(t, 8 if p[1] == 0 else -1), -1, -1) for p, t in times.items()}

    monkeypatch.setattr("riacho.client.offsets.list_offsets", answer)


@pytest.mark.usefixtures("log_of_ten")
@pytest.mark.parametrize(
    ("position", "offsets"),
    [
        (Position(Kind.START), [5, 5]),
        (Position(Kind.END), [15, 15]),
        (Position(Kind.BACK, 3), [12, 12]),
        (Position(Kind.BACK, 100), [5, 5]),
        (Position(Kind.OFFSET, 7), [7, 7]),
        (Position(Kind.OFFSET, 2), [5, 5]),
        (Position(Kind.OFFSET, 99), [15, 15]),
        # Where no record is young enough, what comes next will be.
        (Position(Kind.TIME, 1_000), [8, 15]),
    ],
)
def test_resolved_offsets_stay_within_the_log(position: Position, offsets: list[int]) -> None:
    cluster: Any = None
    assert list(resolve(cluster, position, PLACES).values()) == offsets


def test_a_partition_that_cannot_be_asked_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(cluster: Any, times: Mapping[tuple[str, int], int]) -> dict[tuple[str, int], FoundOffset]:
        return {p: FoundOffset(-1, -1, -1, ErrorCode.LEADER_NOT_AVAILABLE) for p in times}

    monkeypatch.setattr("riacho.client.offsets.list_offsets", answer)
    cluster: Any = None
    with pytest.raises(KafkaError, match="orders-0"):
        resolve(cluster, Position(Kind.START), PLACES)
