"""The metadata log of a process that has no descriptor left."""

from __future__ import annotations

import errno
from random import Random
from typing import Any

import pytest

from riacho.base.errors import KafkaError
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.raft.control_records import build_control_batch, kraft_version_record
from support.simulated_files import SimulatedFiles


class Failing(SimulatedFiles):
    is_out_of_descriptors = False

    def ftruncate(self, *given: Any) -> None:
        self._refuse()
        super().ftruncate(*given)

    def fdatasync(self, *given: Any) -> None:
        self._refuse()
        super().fdatasync(*given)

    def _refuse(self) -> None:
        if self.is_out_of_descriptors:
            raise OSError(errno.EMFILE, "Too many open files")


def batch(offset: int, level: int, epoch: int = 1) -> bytearray:
    return build_control_batch([kraft_version_record(level)], base_offset=offset, leader_epoch=epoch, timestamp_ms=0)


def test_what_could_not_be_taken_is_seen_by_nobody_and_something_else_may_take_its_place() -> None:
    files = Failing(Random(1))
    log = MetadataLog("/disk", 1 << 20, 1 << 40, 0, files)
    for offset in range(3):
        log.append_fetched(batch(offset, 1), 0)
    files.is_out_of_descriptors = True
    with pytest.raises(KafkaError, match="Too many open files"):
        log.append_fetched(batch(3, 2), 0)
    assert log.end_offset == 3
    assert log.read(3, 1 << 20) == b""
    files.is_out_of_descriptors = False
    assert log.append_fetched(batch(3, 1, epoch=2), 0) == 4
    assert (log.latest_epoch, log.epoch_of(3)) == (2, 2)
    again = batch(3, 1, epoch=2)
    assert log.read(3, 1 << 20) == bytes(again)
