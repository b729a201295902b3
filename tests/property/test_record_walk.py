"""The walk over records agrees with their decoder, on whatever bytes: taken by both, or by neither."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.errors import KafkaError
from riacho.wire.record_walk import RecordWalk
from riacho.wire.record_windows import Slices
from riacho.wire.records import Record, decode_records, encode_records

HEADERS = st.lists(st.tuples(st.text(max_size=3), st.none() | st.binary(max_size=3)), max_size=2)
RECORDS = st.lists(
    st.builds(
        Record,
        st.integers(0, 300),
        st.integers(-(1 << 63), (1 << 63) - 1),
        st.none() | st.binary(max_size=100),
        st.none() | st.binary(max_size=300),
        HEADERS,
    ),
    min_size=1,
    max_size=6,
)


def walked(data: bytes, count: int) -> RecordWalk | None:
    try:
        walk = RecordWalk(data, count)
        while not walk.step(2):
            pass
    except (ValueError, IndexError):
        return None
    return walk


def walked_in_windows(data: bytes, count: int, size: int) -> RecordWalk | None:
    windows = Slices(memoryview(data), size)
    try:
        walk = RecordWalk(windows.after(0), count, is_last=windows.is_last)
        while not walk.step(2):
            if walk.is_short:
                walk.go_on_in(windows.after(walk.kept_size_bytes, walk.size_bytes_min), windows.is_last)
    except (ValueError, IndexError):
        return None
    return walk


def decoded(data: bytes, count: int) -> list[Record] | None:
    try:
        return decode_records(data, count)
    except KafkaError:
        return None


@settings(max_examples=300, deadline=None)
@given(RECORDS)
def test_what_was_encoded_is_walked_over(records: list[Record]) -> None:
    walk = walked(encode_records(records), len(records))
    assert walk is not None
    assert walk.timestamp_delta_max == max(record.timestamp_delta for record in records)
    misplaced = [at for at, record in enumerate(records) if record.offset_delta != at]
    assert walk.suspect == (misplaced[0] if misplaced else -1)


@settings(max_examples=600, deadline=None)
@given(RECORDS, st.data())
def test_damaged_records_are_taken_by_both_or_neither(records: list[Record], data: st.DataObject) -> None:
    section = bytearray(encode_records(records))
    for _ in range(data.draw(st.integers(1, 3))):
        section[data.draw(st.integers(0, len(section) - 1))] = data.draw(st.integers(0, 255))
    count = data.draw(st.sampled_from([len(records), len(records), len(records) + 1, len(records) - 1]))
    is_refused = decoded(bytes(section), count) is None
    assert (walked(bytes(section), count) is None) == is_refused
    assert (walked_in_windows(bytes(section), count, data.draw(st.integers(1, 80))) is None) == is_refused
