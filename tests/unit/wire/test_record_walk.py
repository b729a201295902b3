from __future__ import annotations

import pytest

from riacho.wire.batch import HEADER_SIZE_BYTES, read_header
from riacho.wire.record_walk import RecordWalk
from riacho.wire.record_windows import Slices
from riacho.wire.records import Record, encode_records
from support.unreadable_batches import GOOD, MALFORMED, record


def walked(data: bytes, count: int, *limits: int, needs_keys: bool = False, step: int = 1 << 20) -> RecordWalk:
    walk = RecordWalk(data, count, *limits, needs_keys=needs_keys)
    while not walk.step(step):
        pass
    return walk


def section(*deltas: int, keyless: tuple[int, ...] = ()) -> bytes:
    return encode_records(
        [Record(at, delta, None if at in keyless else b"k", b"v" * at * 9) for at, delta in enumerate(deltas)]
    )


@pytest.mark.parametrize("made", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_a_record_ends_the_walk(made: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        walked(made[HEADER_SIZE_BYTES:], read_header(made).record_count)


def test_every_cut_and_every_longer_one_is_noticed() -> None:
    data = section(0, 300, 5, 1 << 40)
    for end in range(len(data)):
        with pytest.raises((ValueError, IndexError)):
            walked(data[:end], 4)
    with pytest.raises(ValueError, match="left"):
        walked(data + bytes(8), 4)


@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_in_steps_it_sees_what_it_sees_at_once(step: int) -> None:
    data = section(7, -3, 1 << 62, 5, keyless=(3,))
    walk = walked(data, 4, needs_keys=True, step=step)
    assert walk.timestamp_delta_max == 1 << 62
    assert walk.suspect == 3


def test_negative_timestamps_only() -> None:
    assert walked(section(-9, -3, -(1 << 63)), 3).timestamp_delta_max == -3


def test_the_first_suspect_is_told() -> None:
    data = section(0, 1, 50, 2, 60)
    assert walked(data, 5, -10, 40).suspect == 2
    walk = RecordWalk(data, 5)
    assert not walk.step(2)
    assert not walk.step(1)
    assert (walk.offset_delta, walk.timestamp_delta, walk.has_key) == (2, 50, True)
    assert not walk.step(1)
    assert (walk.offset_delta, walk.timestamp_delta) == (3, 2)


def test_no_timestamp_is_never_out_of_range() -> None:
    assert walked(section(0, -700, 1), 3, -10, 40, -700).suspect == -1
    assert walked(section(0, -699, 1), 3, -10, 40, -700).suspect == 1


def test_records_out_of_their_places_are_suspect() -> None:
    assert walked(GOOD, 3).suspect == -1
    assert walked(record(0) + record(2) + record(1), 3).suspect == 1
    assert walked(record(1) + record(0), 2).suspect == 0


def test_headers_are_walked_over() -> None:
    headers: list[tuple[str, bytes | None]] = [("a", b"1"), ("", None), ("long" * 50, b"x" * 300)]
    data = encode_records([Record(0, 0, None, None, headers), Record(1, 0, b"", b"", [])])
    assert walked(data, 2).suspect == -1


def walked_in_windows(data: bytes, count: int, size: int, *limits: int, step: int = 100) -> RecordWalk:
    windows = Slices(memoryview(data), size)
    walk = RecordWalk(windows.after(0), count, *limits, is_last=windows.is_last)
    while not walk.step(step):
        if walk.is_short:
            walk.go_on_in(windows.after(walk.kept_size_bytes, walk.size_bytes_min), windows.is_last)
    return walk


@pytest.mark.parametrize("step", [1, 2, 100])
def test_in_windows_of_any_size_it_sees_what_it_sees_at_once(step: int) -> None:
    data = section(7, -3, 1 << 62, 5, 6, *range(20), keyless=(3,))
    whole = walked(data, 25, -10, 40)
    for size in (*range(1, 70), 500, len(data) - 1, len(data), len(data) + 1):
        walk = walked_in_windows(data, 25, size, -10, 40, step=step)
        assert (walk.suspect, walk.timestamp_delta_max) == (whole.suspect, whole.timestamp_delta_max)
        assert (walk.offset_delta, walk.timestamp_delta, walk.has_key) == (24, 19, True)


@pytest.mark.parametrize("made", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_a_record_ends_the_walk_in_windows_too(made: bytes) -> None:
    data, count = made[HEADER_SIZE_BYTES:], read_header(made).record_count
    for size in range(1, len(data) + 1):
        with pytest.raises((ValueError, IndexError)):
            walked_in_windows(data, count, size)


def test_what_is_left_after_the_last_record_is_noticed_in_a_later_window() -> None:
    data = section(0, 1, 2)
    for size in range(1, len(data) + 9):
        with pytest.raises(ValueError, match="left"):
            walked_in_windows(data + bytes(8), 3, size)


def test_a_window_holds_what_was_kept_and_what_is_wanted() -> None:
    data = bytes(range(100))
    windows = Slices(memoryview(data), 10)
    assert (windows.after(0), windows.is_last) == (data[:10], False)
    assert (windows.after(3), windows.is_last) == (data[7:20], False)
    assert (windows.after(3, 40), windows.is_last) == (data[17:57], False)
    assert (windows.after(1, 1 << 31), windows.is_last) == (data[56:], True)
