"""Snapshots over the wire: FetchSnapshot v0-1, both sides (KIP-630).

A follower whose log ends before the leader's starts pulls the leader's latest snapshot in chunks, each at the position
where the last one ended, and starts its log over at its end. A new leader means a new snapshot: the download is
dropped.
"""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.raft import answers, claims, observing
from riacho.raft.core import Core
from riacho.raft.effects import FinishSnapshot, Reply, ReplySnapshot, StoreSnapshotChunk
from riacho.raft.events import Requested
from riacho.raft.leader_state import Leader
from riacho.raft.log_view import SnapshotId
from riacho.raft.roles import Download, Follower, Observed
from riacho.raft.voters import ReplicaKey
from riacho.wire.messages import fetch_snapshot_request as wire
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest


def start(source: Follower | Observed, snapshot_id: SnapshotId) -> None:
    source.fetching.download = Download(snapshot_id)


def request(core: Core, download: Download) -> FetchSnapshotRequest:
    end_offset, epoch = download.snapshot_id
    partition = wire.PartitionSnapshot(
        partition=answers.PARTITION,
        current_leader_epoch=observing.fetch_epoch(core),
        snapshot_id=wire.SnapshotId(end_offset=end_offset, epoch=epoch),
        position=download.position,
        replica_directory_id=core.key.directory_id,
    )
    return FetchSnapshotRequest(
        cluster_id=core.cluster_id,
        replica_id=observing.fetch_id(core),
        max_bytes=core.config.snapshot_fetch_size_bytes_max,
        topics=[wire.TopicSnapshot(name=answers.TOPIC, partitions=[partition])],
    )


def answered(core: Core, request: FetchSnapshotRequest, response: Any) -> bool:
    """True when the leader was heard from."""
    source = core.source
    if source is None or source.fetching.request is not request or source.fetching.download is None:
        return False
    fetching, download = source.fetching, source.fetching.download
    fetching.request = None
    partition = response.topics[0].partitions[0] if response.topics and response.topics[0].partitions else None
    if response.error_code or partition is None or partition.error_code:
        # The leader has a later one by now, or is none any more: ask for the log again.
        fetching.download = None
        fetching.retry_at_ms = core.now_ms + core.config.retry_backoff_ms
        return False
    answered_id = SnapshotId(partition.snapshot_id.end_offset, partition.snapshot_id.epoch)
    data = partition.unaligned_records or b""
    is_next = answered_id == download.snapshot_id and partition.position == download.position
    if not is_next or (len(data) == 0 and download.position < partition.size):
        fetching.download = None
        fetching.retry_at_ms = core.now_ms + core.config.retry_backoff_ms
        return True
    core.emit(StoreSnapshotChunk(download.snapshot_id, download.position, data))
    download.position += len(data)
    if download.position >= partition.size:
        fetching.download = None
        core.emit(FinishSnapshot(download.snapshot_id))
        core.is_log_pending = True
    return True


def handle_fetch_snapshot(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, FetchSnapshotRequest)
    partition = answers.sole_partition(request)
    if not claims.is_of_cluster(core, request.cluster_id, request.replica_id):
        response = answers.fetch_snapshot_response(core.leader_info(), 0)
        response.error_code, response.topics = ErrorCode.INCONSISTENT_CLUSTER_ID, []
        core.emit(Reply(event.request_id, response))
        return
    code = _refusal(core, partition)
    if code or partition is None:
        core.emit(Reply(event.request_id, answers.fetch_snapshot_response(core.leader_info(), code)))
        return
    assert isinstance(core.state, Leader)
    replica = ReplicaKey(request.replica_id, partition.replica_directory_id)
    progress = core.state.replicas.get(replica)
    if progress is not None:
        progress.fetched_at_ms = core.now_ms
    snapshot_id = SnapshotId(partition.snapshot_id.end_offset, partition.snapshot_id.epoch)
    response = answers.fetch_snapshot_response(core.leader_info(), 0, snapshot_id, partition.position)
    size_bytes_max = max(1, min(request.max_bytes, core.config.snapshot_fetch_size_bytes_max))
    core.emit(ReplySnapshot(event.request_id, response, snapshot_id, partition.position, size_bytes_max))


def _refusal(core: Core, partition: wire.PartitionSnapshot | None) -> int:
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if code := claims.serving_refusal(core, partition.current_leader_epoch):
        return code
    if partition.position < 0:
        return ErrorCode.POSITION_OUT_OF_RANGE
    if partition.snapshot_id.end_offset < 0 or core.log.latest_snapshot() is None:
        return ErrorCode.SNAPSHOT_NOT_FOUND
    return ErrorCode.NONE
