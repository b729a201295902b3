from __future__ import annotations

import pytest

from riacho.wire.batch import HEADER_SIZE_BYTES, read_header
from riacho.wire.record_walk import RecordWalk
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


def test_the_first_suspect_is_told_and_can_be_gone_back_to() -> None:
    walk = walked(section(0, 1, 50, 2, 60), 5, -10, 40)
    assert walk.suspect == 2
    walk.go_on_from(walk.suspect, walk.suspect_position)
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
