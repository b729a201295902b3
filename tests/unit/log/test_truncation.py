"""A log that starts over has no history: an epoch of records that are gone must not stand for those that come."""

from __future__ import annotations

from pathlib import Path

from support.log_files import append, open_log


def test_a_log_that_starts_over_knows_no_epoch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", b"b", epoch=2)
    log.truncate_fully_and_start_at(30)
    assert log.latest_epoch == -1
    assert log.epochs.entries == ()
    log.close(clean=True)
    log = open_log(tmp_path / "t-0")
    assert (log.log_start_offset, log.log_end_offset, log.latest_epoch) == (30, 30, -1)
    append(log, b"c", epoch=5)
    assert log.epochs.entries == ((5, 30),)
    log.close(clean=False)


def test_a_log_that_is_cut_below_its_first_record_knows_no_epoch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    log.truncate_fully_and_start_at(30)
    append(log, b"a", b"b", epoch=2)
    log.truncate_to(20)
    assert (log.log_start_offset, log.log_end_offset, log.epochs.entries) == (20, 20, ())
    log.close(clean=False)
