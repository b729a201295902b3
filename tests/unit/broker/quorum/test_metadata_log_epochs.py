"""A node that comes back with records of an epoch that the leader never had: it must not be taken for a prefix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.broker.quorum.raft_driver import RaftDriver
from riacho.client.client_security import ClientSecurity
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import record_batch
from riacho.raft.config import RaftConfig
from riacho.raft.node import RaftNode
from riacho.raft.quorum_state import QuorumState
from riacho.raft.voters import Endpoint, Voter, VoterSet
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from riacho.wire.messages.fetch_response import FetchResponse
from riacho.wire.messages.no_op_record import NoOpRecord
from support.broker_fakes import SetClock, recorded_logs
from support.idle_raft import deaf_listener

NOW_MS = 1_000


def log_that_starts_late(path: Path) -> MetadataLog:
    """Epoch 2 wrote 0 to 9, epoch 3 10 to 19, epoch 4 20 to 29; a snapshot took the place of what is below 20."""
    log = MetadataLog(str(path), 1 << 20, 1 << 40, NOW_MS)
    for epoch in (2, 3, 4):
        log.append(record_batch([NoOpRecord()] * 10, 0, epoch, NOW_MS), epoch, NOW_MS)
        log.write_snapshot(MetadataImage(cluster_id="c", end_offset=log.end_offset), [], NOW_MS, NOW_MS)
    assert log.start_offset == 20
    return log


def test_an_epoch_below_all_that_is_known_is_not_claimed(tmp_path: Path) -> None:
    log = log_that_starts_late(tmp_path)
    assert log.end_offset_for_epoch(1) == (-1, -1)
    assert log.end_offset_for_epoch(2) == (-1, -1), "of epoch 2 nothing is left but what later snapshots hold"
    assert log.end_offset_for_epoch(3) == (3, 20)
    assert log.end_offset_for_epoch(4) == (4, 30)
    assert log.end_offset_for_epoch(9) == (4, 30)


def test_a_follower_that_ends_at_the_log_start_in_another_epoch_is_sent_the_snapshot(tmp_path: Path) -> None:
    """It has 0 to 19 as well, but the last of them are of epoch 2, by a leader that never committed them."""
    log = log_that_starts_late(tmp_path)
    endpoint = Endpoint("CONTROLLER", "h", 9093)
    voters = VoterSet([Voter(1, endpoints=(endpoint,))])
    state = QuorumState(leader_epoch=4)
    node = RaftNode(1, b"d" * 16, "c", RaftConfig(), log, state, voters, 0, own_endpoints=(endpoint,))
    logs, _, _ = recorded_logs()
    nothing: Any = None
    driver = RaftDriver(node, log, nothing, SetClock(), logs, "raft-1", ClientSecurity(), deaf_listener())
    driver.start(None)
    assert node.is_leader
    asked = FetchPartition(
        partition=0, current_leader_epoch=node.epoch, fetch_offset=20, last_fetched_epoch=2, partition_max_bytes=1 << 20
    )
    request = FetchRequest(
        cluster_id="c",
        replica_state=ReplicaState(replica_id=2),
        max_bytes=1 << 20,
        topics=[FetchTopic(topic="__cluster_metadata", topic_id=bytes(15) + b"\x01", partitions=[asked])],
    )
    (answer,) = driver.ask(request, 17, FetchResponse).responses[0].partitions
    assert (answer.snapshot_id.end_offset, answer.snapshot_id.epoch) == (30, 4)
    assert not answer.records


def test_a_crash_before_a_fetched_snapshot_took_the_place_of_the_log_is_made_good(tmp_path: Path) -> None:
    leader = log_that_starts_late(tmp_path / "leader")
    log = MetadataLog(str(tmp_path / "follower"), 1 << 20, 1 << 40, NOW_MS)
    log.append(record_batch([NoOpRecord()] * 35, 0, 2, NOW_MS), 2, NOW_MS)
    log.close()
    newest = leader.latest_snapshot()
    assert newest is not None
    name = Path(leader._snapshot_path(newest)).name
    (tmp_path / "follower" / "__cluster_metadata-0" / name).write_bytes(leader.snapshot_bytes(newest))
    log = MetadataLog(str(tmp_path / "follower"), 1 << 20, 1 << 40, NOW_MS)
    assert (log.start_offset, log.end_offset, log.latest_epoch) == (30, 30, 4)
    log.close()


def test_a_fetched_snapshot_brings_its_epoch(tmp_path: Path) -> None:
    """With the epoch of the log that it replaces, the node would vote for less, and never match the leader again."""
    leader = log_that_starts_late(tmp_path / "leader")
    log = MetadataLog(str(tmp_path / "follower"), 1 << 20, 1 << 40, NOW_MS)
    log.append(record_batch([NoOpRecord()] * 5, 0, 2, NOW_MS), 2, NOW_MS)
    newest = leader.latest_snapshot()
    assert newest is not None
    log.store_chunk(newest, 0, leader.snapshot_bytes(newest))
    log.finish_snapshot(newest, NOW_MS)
    assert (log.start_offset, log.end_offset, log.latest_epoch) == (30, 30, 4)
    assert log.end_offset_for_epoch(4) == (4, 30)
    log.close()
    log = MetadataLog(str(tmp_path / "follower"), 1 << 20, 1 << 40, NOW_MS)
    assert (log.start_offset, log.end_offset, log.latest_epoch) == (30, 30, 4)
    log.close()
