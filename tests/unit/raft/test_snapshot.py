from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import FinishSnapshot, HighWatermark, StoreSnapshotChunk
from riacho.raft.log_view import SnapshotId
from riacho.raft.roles import Role
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import VoterSet
from riacho.wire.messages import fetch_response as fetch
from riacho.wire.messages import fetch_snapshot_request as wire
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from support.raft_bench import Bench, of
from support.raft_log import MemoryLog, Snapshot, data_batch
from support.raft_world import CLUSTER_ID, dynamic_voters

LEADER = LeaderInfo(2, 3, "host2", 9093)


def written_snapshot() -> Snapshot:
    log = MemoryLog()
    for offset in range(7):
        log.append(data_batch("x", offset, 2))
    log.write_snapshot(7, VotersAt(4, dynamic_voters(3), 1), is_cutting=True)
    assert log.snapshot is not None
    return log.snapshot


def told_of_a_snapshot(snapshot: Snapshot) -> Bench:
    bench = Bench(VoterSet(), kraft_version=1, snapshot_fetch_size_bytes_max=200)
    bench.follow(2, epoch=3)
    response = answers.fetch_response(LEADER, 0, 9)
    response.responses[0].partitions[0].snapshot_id = fetch.SnapshotId(
        end_offset=snapshot.snapshot_id.end_offset, epoch=snapshot.snapshot_id.epoch
    )
    bench.answer(*bench.fetched(), response)
    return bench


def chunk(snapshot: Snapshot, request: FetchSnapshotRequest) -> Any:
    position = request.topics[0].partitions[0].position
    response = answers.fetch_snapshot_response(LEADER, 0, snapshot.snapshot_id, position)
    partition = response.topics[0].partitions[0]
    partition.size = len(snapshot.data)
    partition.unaligned_records = snapshot.data[position : position + request.max_bytes]
    return response


def test_a_snapshot_comes_in_chunks_and_the_log_starts_over_at_it() -> None:
    snapshot = written_snapshot()
    bench = told_of_a_snapshot(snapshot)
    chunks = []
    while True:
        ((to, request),) = bench.taken(FetchSnapshotRequest)
        effects = bench.answer(to, request, chunk(snapshot, request))
        chunks += of(effects, StoreSnapshotChunk)
        if of(effects, FinishSnapshot):
            break
    assert len(chunks) > 2
    assert [each.position for each in chunks] == [200 * n for n in range(len(chunks))]
    assert of(effects, HighWatermark) == [HighWatermark(7)]
    assert (bench.log.start_offset, bench.log.end_offset, bench.log.latest_epoch) == (7, 7, 2)
    # The voters in it rule: this node has become one.
    assert bench.raft.voters == dynamic_voters(3)
    assert bench.raft.is_voter
    partition = bench.fetched()[1].topics[0].partitions[0]
    assert (partition.fetch_offset, partition.last_fetched_epoch) == (7, 2)


def test_a_snapshot_that_is_gone_is_forgotten() -> None:
    snapshot = written_snapshot()
    bench = told_of_a_snapshot(snapshot)
    ((to, request),) = bench.taken(FetchSnapshotRequest)
    bench.answer(to, request, answers.fetch_snapshot_response(LEADER, ErrorCode.SNAPSHOT_NOT_FOUND))
    bench.wait(30)
    assert bench.taken(FetchSnapshotRequest) == []
    assert len(bench.taken(FetchRequest)) == 1


def test_a_new_leader_ends_the_download() -> None:
    snapshot = written_snapshot()
    bench = told_of_a_snapshot(snapshot)
    ((to, request),) = bench.taken(FetchSnapshotRequest)
    bench.follow(3, epoch=4)
    effects = bench.answer(to, request, chunk(snapshot, request))
    assert of(effects, StoreSnapshotChunk) == []
    assert bench.fetched()[0].node_id == 3


def test_a_chunk_tells_that_the_leader_is_there() -> None:
    snapshot = written_snapshot()
    bench = told_of_a_snapshot(snapshot)
    for _ in range(2):
        bench.wait(1_500)
        ((to, request),) = bench.taken(FetchSnapshotRequest)
        bench.answer(to, request, chunk(snapshot, request))
    assert bench.raft.role is Role.FOLLOWER


def test_a_refused_connection_ends_it_for_an_observer() -> None:
    bench = told_of_a_snapshot(written_snapshot())
    ((to, request),) = bench.taken(FetchSnapshotRequest)
    bench.fail(to, request, is_refused=True)
    assert bench.raft.role is Role.UNATTACHED


def request_of(bench: Bench, snapshot_id: SnapshotId, position: int = 0, epoch: int = 1) -> Any:
    partition = wire.PartitionSnapshot(
        current_leader_epoch=epoch,
        snapshot_id=wire.SnapshotId(end_offset=snapshot_id.end_offset, epoch=snapshot_id.epoch),
        position=position,
    )
    request = FetchSnapshotRequest(
        cluster_id=CLUSTER_ID,
        replica_id=3,
        max_bytes=100,
        topics=[wire.TopicSnapshot(name=answers.TOPIC, partitions=[partition])],
    )
    return bench.ask(request).topics[0].partitions[0]


def test_the_leader_gives_the_part_that_is_asked_for() -> None:
    bench = Bench()
    bench.lead()
    bench.replicate(2)
    assert request_of(bench, SnapshotId(1, 1)).error_code == ErrorCode.SNAPSHOT_NOT_FOUND
    bench.snapshot(bench.host, is_cutting=True)
    snapshot = bench.log.snapshot
    assert snapshot is not None
    found = request_of(bench, snapshot.snapshot_id, position=50)
    assert (found.size, found.position) == (len(snapshot.data), 50)
    assert found.unaligned_records == snapshot.data[50:150]
    assert request_of(bench, SnapshotId(9, 9)).error_code == ErrorCode.SNAPSHOT_NOT_FOUND
    assert request_of(bench, snapshot.snapshot_id, -1).error_code == ErrorCode.POSITION_OUT_OF_RANGE
    assert request_of(bench, snapshot.snapshot_id, epoch=0).error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert request_of(bench, snapshot.snapshot_id, epoch=2).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH


def test_others_do_not() -> None:
    bench = Bench()
    bench.follow(2, epoch=1)
    assert request_of(bench, SnapshotId(1, 1)).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
