"""The metadata log and the vote on a file system without a free block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.raft.control_records import build_control_batch, kraft_version_record
from riacho.raft.quorum_state import QuorumState
from support.small_disk import SmallDisk, small_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 2 << 20) as made:
        yield made


def opened(disk: SmallDisk) -> MetadataLog:
    return MetadataLog(str(disk.path), 1 << 20, 1 << 40, 0)


def append(log: MetadataLog, epoch: int) -> int:
    batch = build_control_batch([kraft_version_record(1)], base_offset=0, leader_epoch=epoch, timestamp_ms=0)
    return log.append(batch, epoch, 0)


def vote(log: MetadataLog, epoch: int) -> None:
    log.save_state(QuorumState(-1, epoch, 2), [1, 2, 3], 0)


def test_votes_and_records_find_their_room(disk: SmallDisk) -> None:
    log = opened(disk)
    vote(log, 0)
    disk.fill()
    for epoch in range(1, 200):
        vote(log, epoch)
        assert append(log, epoch) == epoch
    state = log.load_state()
    assert state is not None
    assert state.leader_epoch == 199
    # As after a kill.
    again = opened(disk)
    state = again.load_state()
    assert state is not None
    assert state.leader_epoch == 199
    assert (again.end_offset, again.latest_epoch) == (199, 199)
    vote(again, 200)
    assert append(again, 200) == 200


def test_a_log_that_has_used_up_its_room_says_so_and_goes_on_when_there_is_some(disk: SmallDisk) -> None:
    log = opened(disk)
    vote(log, 1)
    disk.fill()
    end = 0
    with pytest.raises(KafkaError, match="No space left") as refused:  # noqa: PT012
        while True:
            end = append(log, 1)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert end > 1000
    assert (log.end_offset, log.is_broken) == (end, False)
    assert not log.has_free_space
    vote(log, 2)
    disk.free()
    assert log.has_free_space
    assert append(log, 2) == end + 1
    disk.fill()
    for number in range(1000):
        assert append(log, 2) == end + 2 + number
