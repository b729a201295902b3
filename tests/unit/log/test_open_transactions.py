"""What deletion and compaction leave alone while a transaction is open, and where readers stand meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riacho.log.compaction import cleanable
from riacho.log.log import Log
from support.log_files import append, append_marker, open_log


def with_open_transaction(directory: Path, **config: Any) -> Log:
    """Offsets 0 and 1 plain, 2 in a transaction, 3 plain, each in a segment of its own; the high watermark at 4."""
    log = open_log(directory, **config)
    for offset in range(4):
        fields = {"producer_id": 9, "producer_epoch": 0, "base_sequence": 0, "transactional": True}
        append(log, b"value", **(fields if offset == 2 else {}))
        log.roll(1_000)
    log.commit_all()
    assert log.last_stable_offset == 2
    return log


def test_compaction_stops_at_an_open_transaction(tmp_path: Path) -> None:
    log = with_open_transaction(tmp_path, cleanup_policy=frozenset({"compact"}))
    found = cleanable(log, None, 2_000)
    assert found.first_uncleanable_offset == 2
    append_marker(log, 9, aborted=False)
    log.roll(1_000)
    log.commit_all()
    assert cleanable(log, None, 2_000).first_uncleanable_offset == 5


def test_a_marker_above_the_high_watermark_does_not_free_anything(tmp_path: Path) -> None:
    log = with_open_transaction(tmp_path, cleanup_policy=frozenset({"compact"}))
    append_marker(log, 9, aborted=False)
    log.roll(1_000)
    assert log.last_stable_offset == 2
    assert cleanable(log, None, 2_000).first_uncleanable_offset == 2


def test_deleted_records_of_an_open_transaction_do_not_hold_readers_below_the_log_start(tmp_path: Path) -> None:
    log = with_open_transaction(tmp_path)
    log.delete_records(3, 2_000)
    assert (log.log_start_offset, log.last_stable_offset) == (3, 3)
    append_marker(log, 9, aborted=True)
    log.commit_all()
    assert log.last_stable_offset == 5


def test_retention_forgets_segments_but_not_the_transaction(tmp_path: Path) -> None:
    log = with_open_transaction(tmp_path, retention_ms=10)
    log.enforce_retention(100_000)
    assert log.log_start_offset == 4
    assert log.last_stable_offset == 4
    producer = log.producer_state.producers.get(9)
    assert producer is not None
    assert producer.transaction_first_offset == 2


def test_the_producer_of_an_open_transaction_does_not_expire(tmp_path: Path) -> None:
    log = with_open_transaction(tmp_path)
    far = 10**12
    assert log.producer_state.producers.expire(far, 1) == []
    append_marker(log, 9, aborted=True)
    assert log.producer_state.producers.expire(far, 1) == [9]
