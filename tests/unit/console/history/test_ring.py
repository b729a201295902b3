"""The ring of figures: bounded, gaps are gaps, and what was torn or is another's is not there."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from riacho.console.history.ring import Level, Ring

FINE, COARSE = Level(10, 12), Level(60, 24)


def open_ring(path: Path, series_max: int = 4) -> Ring:
    return Ring(path, series_max=series_max, fine=FINE, coarse=COARSE)


def points(ring: Ring, name: str, from_ms: int, to_ms: int, step_ms: int = 10) -> list[tuple[int, float | None]]:
    return ring.read([name], from_ms, to_ms, step_ms).get(name, [])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ring"


def test_what_was_written_is_read_and_what_was_not_is_a_gap(path: Path) -> None:
    ring = open_ring(path)
    for at_ms in (1_000, 1_010, 1_030):
        ring.add(at_ms, {"a": at_ms / 10, "b": None if at_ms == 1_010 else 1.0})
    assert points(ring, "a", 1_000, 1_030) == [(1_000, 100.0), (1_010, 101.0), (1_020, None), (1_030, 103.0)]
    assert points(ring, "b", 1_000, 1_030) == [(1_000, 1.0), (1_010, None), (1_020, None), (1_030, 1.0)]
    assert points(ring, "unheard", 0, 10_000) == []


def test_means_are_of_what_is_known(path: Path) -> None:
    ring = open_ring(path)
    for at_ms, value in ((1_200, 1.0), (1_210, 3.0), (1_270, 9.0)):
        ring.add(at_ms, {"a": value})
    assert points(ring, "a", 1_200, 1_270, 20) == [(1_200, 2.0), (1_220, None), (1_240, None), (1_260, 9.0)]


def test_a_minutes_mean_outlives_its_rows(path: Path) -> None:
    ring = open_ring(path)
    for at_ms in range(6_000, 6_600, 10):
        ring.add(at_ms, {"a": float(at_ms // 60)})
    assert points(ring, "a", 6_000, 6_590, 60)[:9] == [(at_ms, float(at_ms // 60)) for at_ms in range(6_000, 6_540, 60)]
    assert points(ring, "a", 6_580, 6_590) == [(6_580, 109.0), (6_590, 109.0)]


def test_the_file_never_grows_and_old_rows_go(path: Path) -> None:
    ring = open_ring(path)
    size = path.stat().st_size
    for at_ms in range(10_000, 20_000, 10):
        ring.add(at_ms, {"a": 1.0})
    assert path.stat().st_size == size == ring.size_bytes
    day = points(ring, "a", 0, 19_990, 60)
    assert len(day) <= COARSE.rows + 2
    known = [at_ms for at_ms, value in points(ring, "a", 19_990 - COARSE.span_ms, 19_990, 60) if value is not None]
    assert COARSE.rows - 1 <= len(known) <= COARSE.rows


def test_a_restart_keeps_it_and_the_time_between_is_a_gap(path: Path) -> None:
    ring = open_ring(path)
    ring.add(6_000, {"a": 1.0})
    ring.add(6_010, {"a": 3.0})
    ring.close()
    ring = open_ring(path)
    ring.add(6_100, {"a": 5.0})
    found = points(ring, "a", 6_000, 6_100)
    assert [value for _, value in found] == [1.0, 3.0] + [None] * 8 + [5.0]
    assert points(ring, "a", 6_000, 6_050, 60) == [(6_000, 2.0)]


def test_minutes_that_ended_with_the_process_are_made_up_for(path: Path) -> None:
    ring = open_ring(path)
    for at_ms in (6_000, 6_060, 6_070):
        ring.add(at_ms, {"a": 1.0})
    # As if it had ended before the mean was written.
    os.pwrite(ring._descriptor, b"\0" * ring._row_bytes, ring._starts[1] + 100 % COARSE.rows * ring._row_bytes)
    ring.close()
    assert points(open_ring(path), "a", 6_000, 6_000, 60) == [(6_000, 1.0)]


def test_a_torn_row_is_a_gap(path: Path) -> None:
    ring = open_ring(path)
    for at_ms in (1_000, 1_010, 1_020):
        ring.add(at_ms, {"a": 1.0})
    row = (1_010 // 10) % FINE.rows
    os.pwrite(ring._descriptor, b"\x7f", ring._starts[0] + row * ring._row_bytes + 20)
    ring.close()
    assert [value for _, value in points(open_ring(path), "a", 1_000, 1_020)] == [1.0, None, 1.0]


def test_whatever_is_in_the_file_it_opens_and_invents_nothing(path: Path) -> None:
    chance = random.Random(7)
    for _ in range(60):
        ring = open_ring(path)
        start_ms = 1_000 + chance.randrange(1_000) * 10
        for at_ms in range(start_ms, start_ms + 200, 10):
            ring.add(at_ms, {"a": 1.0, "b": 2.0})
        ring.close()
        content = bytearray(path.read_bytes())
        for _ in range(30):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content[: chance.choice([len(content), chance.randrange(len(content))])])
        ring = open_ring(path)
        for name, expected in (("a", 1.0), ("b", 2.0)):
            for step_ms in (10, 60):
                assert {value for _, value in points(ring, name, 0, 20_000, step_ms)} <= {None, expected}
        ring.close()


def test_a_series_that_takes_anothers_column_has_none_of_its_past(path: Path) -> None:
    ring = open_ring(path, series_max=2)
    ring.add(1_000, {"a": 1.0, "b": 2.0})
    ring.add(1_010, {"b": 2.0})
    ring.add(1_020, {"b": 2.0, "c": 3.0})
    assert sorted(ring.names()) == ["b", "c"]
    for _ in range(2):
        assert points(ring, "c", 1_000, 1_020) == [(1_000, None), (1_010, None), (1_020, 3.0)]
        assert points(ring, "b", 1_000, 1_020) == [(1_000, 2.0), (1_010, 2.0), (1_020, 2.0)]
        assert points(ring, "a", 1_000, 1_020) == []
        ring.close()
        ring = open_ring(path, series_max=2)


def test_more_series_than_columns_and_names_too_long_are_left_out(path: Path) -> None:
    ring = open_ring(path, series_max=2)
    ring.add(1_000, {"a": 1.0, "b": 2.0, "c": 3.0, "x" * 600: 4.0})
    assert sorted(ring.names()) == ["a", "b"]
    ring.add(1_010, {"a": 1.0, "b": 2.0, "c": 3.0})
    assert sorted(ring.names()) == ["a", "b"], "those that are in use stay"


def test_a_clock_that_is_set_back_makes_no_mess(path: Path) -> None:
    ring = open_ring(path)
    ring.add(9_000, {"a": 9.0})
    ring.add(1_000, {"a": 1.0})
    ring.add(1_010, {"a": 2.0})
    assert points(ring, "a", 1_000, 1_010) == [(1_000, 1.0), (1_010, 2.0)]
    assert len(points(ring, "a", 0, 1 << 60)) < 100


def test_the_size_of_the_real_one(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "real")
    assert ring.size_bytes < 20 * 1024 * 1024
