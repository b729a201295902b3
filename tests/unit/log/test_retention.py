from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.config import LogConfig
from riacho.log.log import Log
from support.log_files import append, open_log, read_records


def log_of_segments(path: Path, **config: object) -> Log:
    """Five segments of two batches; segment n has times n000 to n100."""
    log = open_log(path / "t-0", **config)
    for number in range(5):
        append(log, b"x" * 100, timestamp=1_000 * number)
        append(log, b"x" * 100, timestamp=1_000 * number + 100)
        if number < 4:
            log.roll(0)
    log.high_watermark = log.log_end_offset
    return log


def test_by_time_goes_by_the_greatest_timestamp(tmp_path: Path) -> None:
    log = log_of_segments(tmp_path, retention_ms=1_000)
    assert log.enforce_retention(1_100) == []
    assert log.enforce_retention(2_100) == [0]
    assert log.enforce_retention(2_101) == [2]
    assert log.log_start_offset == 4
    assert [offset for offset, _, _ in read_records(log)] == [4, 5, 6, 7, 8, 9]


def test_an_expired_active_segment_is_rolled_away(tmp_path: Path) -> None:
    log = log_of_segments(tmp_path, retention_ms=1_000)
    assert log.enforce_retention(99_000) == [0, 2, 4, 6, 8]
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (10, 10, 0)
    assert log.enforce_retention(999_000) == []
    assert append(log, b"on").base_offset == 10


def test_by_size_keeps_at_least_the_limit(tmp_path: Path) -> None:
    log = log_of_segments(tmp_path)
    segment = log.segments.first.size_bytes
    log.apply_config(LogConfig(retention_size_bytes=2 * segment + 1, retention_ms=-1))
    assert log.enforce_retention(0) == [0, 2]
    log.apply_config(LogConfig(retention_size_bytes=0, retention_ms=-1))
    assert log.enforce_retention(0) == [4, 6, 8]


def test_nothing_above_the_high_watermark_goes(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", retention_ms=0, retention_size_bytes=0)
    for _ in range(3):
        append(log, b"x", timestamp=10)
        log.roll(0)
    log.high_watermark = 1
    assert log.enforce_retention(99_000) == [0]


@pytest.mark.parametrize("policy", [frozenset(), frozenset({"compact"})])
def test_only_policy_delete_deletes(tmp_path: Path, policy: frozenset[str]) -> None:
    log = log_of_segments(tmp_path, retention_ms=0, retention_size_bytes=0, cleanup_policy=policy)
    assert log.enforce_retention(99_000) == []
    log.delete_records(5)
    assert log.log_start_offset == 5
    assert [segment.base_offset for segment in log.segments] == [4, 6, 8]


def test_delete_records_moves_the_start_and_drops_whole_segments(tmp_path: Path) -> None:
    log = log_of_segments(tmp_path)
    assert log.delete_records(3) == 3
    assert [segment.base_offset for segment in log.segments] == [2, 4, 6, 8]
    assert log.delete_records(1) == 3
    assert log.delete_records(-1) == 10
    assert [segment.base_offset for segment in log.segments] == [8]
    with pytest.raises(KafkaError) as caught:
        log.delete_records(11)
    assert caught.value.code is ErrorCode.OFFSET_OUT_OF_RANGE
    with pytest.raises(KafkaError):
        log.read(9, 100, end_offset=10, at_least_one=True)


def test_deleted_files_wait_for_their_delay(tmp_path: Path) -> None:
    log = log_of_segments(tmp_path, retention_ms=1_000, file_delete_delay_ms=60_000)
    log.enforce_retention(2_101)
    doomed = tmp_path / "t-0" / f"{0:020d}.log.deleted"
    assert doomed.exists()
    log.enforce_retention(62_100)
    assert doomed.exists()
    log.enforce_retention(62_101)
    assert not doomed.exists()


def test_epochs_follow_the_start(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=1)
    append(log, b"b", b"c", epoch=2)
    log.high_watermark = 3
    log.delete_records(2)
    assert log.epochs.entries == ((2, 2),)


def test_producers_survive_the_deletion_of_their_records(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", retention_ms=0, file_delete_delay_ms=0)
    append(log, b"a", producer_id=1, producer_epoch=0, base_sequence=0, timestamp=10)
    log.high_watermark = 1
    assert log.enforce_retention(99_000) == [0]
    log.close(clean=True)
    log = open_log(tmp_path / "t-0", clean=True, recovery_point=1, now_ms=99_000)
    assert append(log, b"a", producer_id=1, producer_epoch=0, base_sequence=0) == (0, 0, True)
