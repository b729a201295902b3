from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.log import Log
from riacho.log.lookup import LongLookupError, Opened
from riacho.partition.record_checks import LOOP_RECORDS_MAX, LOOP_UNPACKED_SIZE_BYTES_MAX
from riacho.wire.batch import read_header
from riacho.wire.compression import Codec
from riacho.wire.records import Record, build_batch
from support.log_files import append, open_log, read_times


def append_times(log: Log, *times: int, codec: int = 0, timestamp_type: int = 0, epoch: int = 0) -> None:
    records = [Record(i, time - times[0], b"k", b"v") for i, time in enumerate(times)]
    batch = build_batch(records, base_timestamp=times[0], codec=codec, timestamp_type=timestamp_type)
    log.append(batch, read_header(batch), epoch, 0)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
def test_the_first_record_not_earlier(tmp_path: Path, codec: int) -> None:
    log = open_log(tmp_path / "t-0")
    append_times(log, 100, 200, 150, codec=codec, epoch=1)
    append_times(log, 300, 120, codec=codec, epoch=2)
    assert log.lookup_timestamp(0) == (100, 0, 1)
    assert log.lookup_timestamp(101) == (200, 1, 1)
    assert log.lookup_timestamp(200) == (200, 1, 1)
    assert log.lookup_timestamp(201) == (300, 3, 2)
    assert log.lookup_timestamp(301) is None


def test_lookup_agrees_with_a_walk(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", index_interval_bytes=100, segment_size_bytes_max=1_500)
    times = [1_000 + (number * 37) % 400 + number * 3 for number in range(120)]
    for number in range(0, 120, 3):
        append_times(log, *times[number : number + 3])
    log.high_watermark = log.log_end_offset
    for start in (0, 31, 77):
        log.move_log_start(start)
        known = [(time, offset) for offset, time in read_times(log) if offset >= start]
        for target in range(900, 2_000, 7):
            expected = next(((time, offset, 0) for time, offset in known if time >= target), None)
            assert log.lookup_timestamp(target) == expected


def test_greatest_timestamp(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_size_bytes_max=200)
    assert log.max_timestamp() is None
    append_times(log, 100, 500, 200)
    append_times(log, 400, 500)
    append_times(log, 300, epoch=3)
    assert log.max_timestamp() == (500, 1, 0)
    append_times(log, 501, epoch=3)
    assert log.max_timestamp() == (501, 6, 3)
    log.close(clean=True)
    assert open_log(tmp_path / "t-0", clean=True).max_timestamp() == (501, 6, 3)


def test_append_time_counts_for_all_records_of_a_batch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_times(log, 100, 50, timestamp_type=1)
    assert log.lookup_timestamp(60) == (100, 0, 0)
    assert log.max_timestamp() == (100, 0, 0)


def test_a_log_without_timestamps(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", timestamp=-1)
    assert log.lookup_timestamp(0) is None
    assert log.max_timestamp() is None


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_a_batch_of_many_records_is_opened_elsewhere(tmp_path: Path, codec: int) -> None:
    log = open_log(tmp_path / "t-0")
    append_times(log, 10)
    append_times(log, *range(100, 100 + LOOP_RECORDS_MAX + 1), codec=codec)
    opened: Opened = {}
    assert log.lookup_timestamp(10, opened) == (10, 0, 0)
    last = 100 + LOOP_RECORDS_MAX
    for look_up in (lambda: log.lookup_timestamp(last, opened), lambda: log.max_timestamp(opened)):
        opened.clear()
        with pytest.raises(LongLookupError) as caught:
            look_up()
        sought = caught.value.sought
        opened[sought.header.base_offset] = sought.find()
        assert look_up() == (last, LOOP_RECORDS_MAX + 1, 0)
    assert log.lookup_timestamp(last) == (last, LOOP_RECORDS_MAX + 1, 0)


def test_a_batch_that_unpacks_to_much_is_opened_elsewhere(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    records = [Record(0, 0, None, bytes(LOOP_UNPACKED_SIZE_BYTES_MAX)), Record(1, 7, None, b"")]
    batch = build_batch(records, base_timestamp=100, codec=Codec.ZSTD)
    log.append(batch, read_header(batch), 0, 0)
    with pytest.raises(LongLookupError) as caught:
        log.lookup_timestamp(101, {})
    assert caught.value.sought.find() == (107, 1)


def test_a_batch_of_which_nothing_is_left_is_passed_over(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_times(log, 500, 100)
    append_times(log, 300)
    log.high_watermark = 3
    log.move_log_start(1)
    assert log.lookup_timestamp(200) == (300, 2, 0)


def test_what_is_no_record_is_corrupt(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    batch = build_batch([Record(0, 0, None, b"value")], base_timestamp=100)
    batch[-6:] = b"\xff" * 6
    log.append(batch, read_header(batch), 0, 0)
    with pytest.raises(KafkaError) as caught:
        log.lookup_timestamp(0)
    assert caught.value.code is ErrorCode.CORRUPT_MESSAGE
