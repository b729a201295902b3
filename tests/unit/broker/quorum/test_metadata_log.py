from __future__ import annotations

import json
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import record_batch
from riacho.raft.log_view import SnapshotId
from riacho.raft.quorum_state import QuorumState
from riacho.wire.messages.no_op_record import NoOpRecord

NOW_MS = 1_000


def open_log(path: Path) -> MetadataLog:
    return MetadataLog(str(path), 1 << 20, 1 << 40, NOW_MS)


def append(log: MetadataLog, epoch: int, count: int = 1) -> int:
    return log.append(record_batch([NoOpRecord()] * count, 0, epoch, NOW_MS), epoch, NOW_MS)


def snapshot_at(log: MetadataLog, end_offset: int) -> SnapshotId:
    return log.write_snapshot(MetadataImage(cluster_id="c", end_offset=end_offset), [], NOW_MS, NOW_MS)


def test_epochs_end_where_the_next_begins(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    assert (log.end_offset, log.latest_epoch, log.latest_snapshot()) == (0, 0, None)
    append(log, 1, 3)
    append(log, 4, 2)
    assert (log.end_offset, log.latest_epoch) == (5, 4)
    assert log.end_offset_for_epoch(4) == (4, 5)
    assert log.end_offset_for_epoch(3) == (1, 3)
    assert [log.epoch_of(offset) for offset in (0, 2, 3)] == [1, 1, 4]


def test_the_epochs_before_the_log_start_are_the_snapshot(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    for epoch in (1, 2, 3):
        append(log, epoch, 10)
        snapshot_at(log, log.end_offset)
    assert log.start_offset == 20
    assert log.latest_snapshot() == SnapshotId(30, 3)
    assert log.end_offset_for_epoch(2) == (2, 20)
    assert log.epoch_of(19) == 2
    log.close()
    assert (open_log(tmp_path).start_offset, open_log(tmp_path).latest_epoch) == (20, 3)


def test_a_follower_takes_batches_as_they_are_and_cuts_them_again(tmp_path: Path) -> None:
    leader, follower = open_log(tmp_path / "a"), open_log(tmp_path / "b")
    append(leader, 1, 3)
    append(leader, 2, 2)
    assert follower.append_fetched(leader.read(0, 1 << 20), NOW_MS) == 5
    assert follower.end_offset_for_epoch(1) == (1, 3)
    follower.truncate_to(3, NOW_MS)
    assert (follower.end_offset, follower.latest_epoch) == (3, 1)
    assert [header.base_offset for _, _, header in follower.batches(0, 3)] == [0]


def test_a_snapshot_arrives_in_pieces_and_takes_the_place_of_the_log(tmp_path: Path) -> None:
    leader, follower = open_log(tmp_path / "a"), open_log(tmp_path / "b")
    append(leader, 1, 10)
    append(follower, 1, 2)
    snapshot = snapshot_at(leader, 10)
    position = 0
    while True:
        data, size_bytes = leader.snapshot_chunk(snapshot, position, 50)
        follower.store_chunk(snapshot, position, data)
        position += len(data)
        if position >= size_bytes:
            break
    follower.finish_snapshot(snapshot, NOW_MS)
    assert (follower.start_offset, follower.end_offset, follower.latest_epoch) == (10, 10, 1)
    assert follower.latest_snapshot() == snapshot
    assert follower.load_snapshot(MetadataImage(cluster_id="c")).end_offset == 10
    assert follower.end_offset_for_epoch(1) == (1, 10)
    assert not list((tmp_path / "b").rglob("*.part"))


def test_half_a_snapshot_is_none(tmp_path: Path) -> None:
    leader, follower = open_log(tmp_path / "a"), open_log(tmp_path / "b")
    append(leader, 1, 10)
    snapshot = snapshot_at(leader, 10)
    data, _ = leader.snapshot_chunk(snapshot, 0, 50)
    follower.store_chunk(snapshot, 0, data)
    with pytest.raises(KafkaError):
        follower.finish_snapshot(snapshot, NOW_MS)
    assert follower.latest_snapshot() is None


def test_a_snapshot_that_is_gone_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(KafkaError) as raised:
        open_log(tmp_path).snapshot_chunk(SnapshotId(5, 1), 0, 10)
    assert raised.value.code is ErrorCode.SNAPSHOT_NOT_FOUND


def test_a_log_that_was_lost_behind_its_snapshot_goes_on_there(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    append(log, 3, 7)
    snapshot_at(log, 7)
    log.close()
    for file in log_files(tmp_path):
        file.unlink()
    again = open_log(tmp_path)
    assert (again.start_offset, again.end_offset, again.latest_epoch) == (7, 7, 3)


def log_files(path: Path) -> list[Path]:
    return [file for file in path.rglob("*") if file.is_file() and file.suffix in (".log", ".index", ".timeindex")]


@pytest.mark.parametrize("kraft_version", [0, 1])
def test_the_vote_is_remembered(tmp_path: Path, kraft_version: int) -> None:
    log = open_log(tmp_path)
    assert log.load_state() is None
    state = QuorumState(leader_id=-1, leader_epoch=9, voted_id=2, voted_directory_id=b"\x07" * 16)
    log.save_state(state, [1, 2, 3], kraft_version)
    told = json.loads((tmp_path / "__cluster_metadata-0/quorum-state").read_text())
    assert told["data_version"] == kraft_version
    assert ("currentVoters" in told) == (kraft_version == 0)
    found = open_log(tmp_path).load_state()
    assert found is not None
    assert (found.leader_epoch, found.voted_id) == (9, 2)
    # A fixed quorum knows its voters by id alone.
    assert found.voted_directory_id == (b"\x07" * 16 if kraft_version else bytes(16))


def test_a_state_file_of_garbage_is_said_to_be_so(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    (tmp_path / "__cluster_metadata-0/quorum-state").write_text("{")
    with pytest.raises(KafkaError, match="quorum-state cannot be read"):
        log.load_state()
    state = {"leaderId": -1, "leaderEpoch": 1 << 31, "votedId": 2}
    (tmp_path / "__cluster_metadata-0/quorum-state").write_text(json.dumps(state))
    with pytest.raises(KafkaError, match="there is no epoch 2147483648"):
        log.load_state()
