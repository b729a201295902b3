"""A cut that was never synced: a power failure may bring back what was cut off, and nobody may see it."""

from __future__ import annotations

import errno
from pathlib import Path
from random import Random
from typing import Any

from riacho.base.errors import KafkaError
from riacho.log.config import LogConfig
from riacho.log.log import Log
from support.log_files import TOPIC_ID, append, append_marker, open_log, read_records
from support.simulated_files import SimulatedFiles


def values(log: Log) -> list[bytes | None]:
    return [value for _, _, value in read_records(log)]


def opened(files: SimulatedFiles, recovery_point: int = 0) -> Log:
    return Log.open(
        "/disk/t-0",
        LogConfig(),
        topic_id=TOPIC_ID,
        now_ms=0,
        clean_shutdown=False,
        recovery_point=recovery_point,
        files=files,
    )


def test_what_a_flush_promised_is_what_is_found() -> None:
    for seed in range(40):
        files = SimulatedFiles(Random(seed))
        log = opened(files)
        append(log, b"a", epoch=1)
        append(log, b"old", epoch=1)
        log.flush()
        log.truncate_to(1)
        log.roll(0)
        append(log, b"new", epoch=2)
        log.flush()
        promised = log.recovery_point
        files.lose_power()
        log = opened(files, promised)
        assert (values(log), log.log_end_offset) == ([b"a", b"new"], 2), f"seed {seed}"
        assert log.epochs.entries == ((1, 0), (2, 1))


def test_what_was_cut_off_ends_where_the_next_segment_begins(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    for value in (b"a", b"b", b"old", b"older"):
        append(log, value, epoch=1)
    log.flush()
    first = tmp_path / "t-0" / "00000000000000000000.log"
    before = first.read_bytes()
    log.truncate_to(2)
    log.roll(0)
    append(log, b"new", epoch=2)
    lowered = log.recovery_point
    log.close(clean=False)
    first.write_bytes(before)
    log = open_log(tmp_path / "t-0", recovery_point=lowered)
    assert (values(log), log.log_end_offset) == ([b"a", b"b", b"new"], 3)
    assert log.epochs.entries == ((1, 0), (2, 2))
    assert len(first.read_bytes()) < len(before)
    log.close(clean=False)


class OnceFailing(SimulatedFiles):
    """The call that is `due`, counted from now, fails for want of a descriptor."""

    due: int | None = None

    def _count(self) -> None:
        if self.due is not None:
            self.due -= 1
            if self.due < 0:
                self.due = None
                raise OSError(errno.EMFILE, "Too many open files")

    def open(self, *given: Any) -> int:
        self._count()
        return super().open(*given)

    def ftruncate(self, *given: Any) -> None:
        self._count()
        super().ftruncate(*given)

    def truncate(self, *given: Any) -> None:
        self._count()
        super().truncate(*given)

    def unlink(self, *given: Any) -> None:
        self._count()
        super().unlink(*given)


def test_a_cut_that_fails_anywhere_can_be_made_again() -> None:
    failed = 0
    for due in range(30):
        files = OnceFailing(Random(1))
        log = opened(files)
        for number, value in enumerate((b"a", b"b", b"c")):
            append(log, value, epoch=1, producer_id=7, producer_epoch=0, base_sequence=number, transactional=True)
            append_marker(log, 7, aborted=True)
            log.roll(0) if number == 0 else None
        log.flush()
        for segment in log.segments:
            segment.release()
        files.due = due
        try:
            log.truncate_to(3)
        except KafkaError:
            failed += 1
            assert log.log_end_offset == 6
            log.truncate_to(3)
        files.due = None
        assert (values(log), log.log_end_offset, log.producer_state.end_offset) == ([b"a", b"b"], 3, 3), due
        assert log.producers()[0].last_sequence == 1
        assert log.aborted_transactions(0, 6) == [(7, 0)]
    assert failed >= 2
