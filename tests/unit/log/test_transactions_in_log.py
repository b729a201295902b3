from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.log import Log
from support.log_files import append, append_marker, open_log


def transactional(log: Log, producer_id: int, sequence: int) -> int:
    return append(
        log, b"t", producer_id=producer_id, producer_epoch=0, base_sequence=sequence, transactional=True
    ).base_offset


def two_aborts(log: Log) -> None:
    transactional(log, 1, 0)  # 0
    transactional(log, 2, 0)  # 1
    append_marker(log, 1, aborted=True)  # 2
    append(log, b"plain")  # 3
    append_marker(log, 2, aborted=True)  # 4
    transactional(log, 3, 0)  # 5
    append_marker(log, 3, aborted=False)  # 6


def test_the_last_stable_offset_waits_for_the_marker(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"plain")
    transactional(log, 1, 0)
    log.high_watermark = 2
    assert log.last_stable_offset == 1
    append_marker(log, 1, aborted=False)
    assert log.last_stable_offset == 1
    log.high_watermark = 3
    assert log.last_stable_offset == 3


def test_aborted_transactions_of_a_range(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    two_aborts(log)
    assert log.aborted_transactions(0, 7) == [(1, 0), (2, 1)]
    assert log.aborted_transactions(3, 7) == [(2, 1)]
    assert log.aborted_transactions(5, 7) == []
    assert [entry.last_stable_offset for entry in log.segments.first.abort_index] == [1, 5]


@pytest.mark.parametrize("clean", [True, False])
def test_transactions_survive_a_restart(tmp_path: Path, clean: bool) -> None:
    log = open_log(tmp_path / "t-0")
    two_aborts(log)
    log.roll(1_000)
    transactional(log, 4, 0)
    log.close(clean=clean)
    (tmp_path / "t-0" / f"{0:020d}.txnindex").rename(tmp_path / "kept") if not clean else None
    log = open_log(tmp_path / "t-0", clean=clean, recovery_point=log.recovery_point)
    assert log.aborted_transactions(0, 8) == [(1, 0), (2, 1)]
    log.high_watermark = 8
    assert log.last_stable_offset == 7
    append_marker(log, 4, aborted=True)
    assert log.aborted_transactions(7, 9) == [(4, 7)]


def test_truncation_reopens_a_transaction(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    two_aborts(log)
    log.truncate_to(4)
    log.high_watermark = 4
    assert log.last_stable_offset == 1
    assert log.aborted_transactions(0, 4) == [(1, 0)]


def test_markers_are_fenced_by_coordinator_and_producer_epoch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_marker(log, 1, aborted=False, epoch=5, coordinator_epoch=2)
    with pytest.raises(KafkaError) as caught:
        append_marker(log, 1, aborted=False, epoch=5, coordinator_epoch=1)
    assert caught.value.code is ErrorCode.TRANSACTION_COORDINATOR_FENCED
    with pytest.raises(KafkaError) as caught:
        append_marker(log, 1, aborted=False, epoch=4, coordinator_epoch=2)
    assert caught.value.code is ErrorCode.INVALID_PRODUCER_EPOCH
    assert log.log_end_offset == 1
