"""The leader: answering fetches, committing, and knowing when it leads nobody any more.

A record is committed when a majority of the voters has it and it is of the leader's own epoch; older ones are committed
along with it (Raft, section 5.4.2). The record that opens the epoch sees to that without waiting for a client.

A fetch that finds nothing waits for data, for a high watermark that its sender does not know (KIP-1166), for its time,
or for the end of this leadership.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.raft import answers, begin_epoch, claims
from riacho.raft.core import Core
from riacho.raft.effects import Reply, ReplyFetch
from riacho.raft.events import Requested
from riacho.raft.leader_state import Leader, ParkedFetch
from riacho.raft.voters import ReplicaKey
from riacho.wire.messages import fetch_request as wire
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_response import EpochEndOffset, FetchResponse, SnapshotId

PARKED_MAX = 10_000
OBSERVER_SESSION_MS = 300_000


def handle_fetch(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, FetchRequest)
    replica_id = request.replica_state.replica_id if event.version >= 15 else request.replica_id
    if not claims.is_of_cluster(core, request.cluster_id, replica_id):
        response = answers.fetch_response(core.leader_info(), 0)
        response.error_code, response.responses = ErrorCode.INCONSISTENT_CLUSTER_ID, []
        core.emit(Reply(event.request_id, response))
        return
    partition = answers.sole_partition(request)
    code = _refusal(core, partition)
    if code or partition is None:
        core.emit(Reply(event.request_id, answers.fetch_response(core.leader_info(), code)))
        return
    assert isinstance(core.state, Leader)
    replica = ReplicaKey(replica_id, partition.replica_directory_id)
    otherwise = _elsewhere(core, partition)
    if otherwise is not None:
        _touch(core, core.state, replica)
        core.emit(Reply(event.request_id, otherwise))
        return
    _fetched(core, core.state, replica, partition.fetch_offset)
    size_bytes_max = min(partition.partition_max_bytes or request.max_bytes, request.max_bytes)
    deadline_ms = core.now_ms + max(0, request.max_wait_ms)
    _park(
        core,
        core.state,
        ParkedFetch(
            event.request_id, replica, partition.fetch_offset, partition.high_watermark, size_bytes_max, deadline_ms
        ),
    )


def _refusal(core: Core, partition: wire.FetchPartition | None) -> int:
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if code := claims.serving_refusal(core, partition.current_leader_epoch):
        return code
    if partition.fetch_offset < 0 or partition.last_fetched_epoch < 0:
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


def _elsewhere(core: Core, partition: wire.FetchPartition) -> FetchResponse | None:
    """What to tell a replica whose log is not a beginning of this one: where they part, or which snapshot to load."""
    offset, epoch = partition.fetch_offset, partition.last_fetched_epoch
    log, snapshot = core.log, core.log.latest_snapshot()
    if offset == 0 and log.start_offset == 0:
        return None
    own_epoch, own_end = log.end_offset_for_epoch(epoch)
    if own_epoch == epoch and log.start_offset <= offset <= own_end:
        return None
    response = answers.fetch_response(core.leader_info(), 0, core.high_watermark, log.start_offset)
    found = response.responses[0].partitions[0]
    if log.start_offset > 0 and snapshot is not None and (offset < log.start_offset or own_epoch < 0):
        found.snapshot_id = SnapshotId(end_offset=snapshot.end_offset, epoch=snapshot.epoch)
    else:
        found.diverging_epoch = EpochEndOffset(epoch=max(own_epoch, 0), end_offset=max(own_end, 0))
    return response


def _touch(core: Core, state: Leader, replica: ReplicaKey) -> None:
    """In touch, though its log says nothing yet."""
    if replica.node_id >= 0:
        state.replica(replica).fetched_at_ms = core.now_ms


def _fetched(core: Core, state: Leader, replica: ReplicaKey, offset: int) -> None:
    if replica.node_id < 0 or replica == core.key:
        return
    if replica not in state.replicas:
        forget_absent(core, state)
    state.replica(replica).fetched(offset, core.log.end_offset, core.now_ms)
    commit(core, state)


def forget_absent(core: Core, state: Leader) -> None:
    """An observer that has not fetched for long is no observer any more."""
    oldest_ms = core.now_ms - OBSERVER_SESSION_MS
    for key in [key for key, progress in state.replicas.items() if progress.fetched_at_ms < oldest_ms]:
        state.forget(key)


def _park(core: Core, state: Leader, fetch: ParkedFetch) -> None:
    if _is_served(core, fetch) or len(state.parked) >= PARKED_MAX:
        _serve(core, fetch)
    else:
        state.parked[fetch.request_id] = fetch


def _is_served(core: Core, fetch: ParkedFetch) -> bool:
    return (
        fetch.offset < core.log.end_offset
        or fetch.high_watermark < core.high_watermark
        or fetch.deadline_ms <= core.now_ms
    )


def _serve(core: Core, fetch: ParkedFetch) -> None:
    response = answers.fetch_response(core.leader_info(), 0, core.high_watermark, core.log.start_offset)
    core.emit(ReplyFetch(fetch.request_id, response, fetch.offset, fetch.size_bytes_max))


def appended(core: Core, state: Leader) -> None:
    state.own_end_offset = core.log.end_offset
    commit(core, state)


def commit(core: Core, state: Leader) -> None:
    offset = min(state.commit_offset(core.voters, core.key), state.own_end_offset)
    if offset > state.epoch_start_offset:
        core.raise_high_watermark(offset)


def advance(core: Core, state: Leader) -> None:
    if _quorum_deadline_ms(core, state) <= core.now_ms:
        resign(core, state)
        return
    served = [fetch for fetch in state.parked.values() if _is_served(core, fetch)]
    for fetch in served:
        del state.parked[fetch.request_id]
        _serve(core, fetch)
    begin_epoch.advance_leader(core, state)


def resign(core: Core, state: Leader) -> None:
    core.become_resigned()
    begin_epoch.farewell(core, state)


def ended(core: Core, state: Leader) -> None:
    """This leadership is over: nobody may go on waiting for it."""
    for fetch in state.parked.values():
        response = answers.fetch_response(core.leader_info(), ErrorCode.NOT_LEADER_OR_FOLLOWER)
        core.emit(Reply(fetch.request_id, response))
    state.parked.clear()


def next_deadline_ms(core: Core, state: Leader) -> int | None:
    deadlines = [fetch.deadline_ms for fetch in state.parked.values()]
    deadlines += begin_epoch.next_notify_ms(core, state)
    if core.voters.others(core.key):
        deadlines.append(_quorum_deadline_ms(core, state))
    return min(deadlines, default=None)


def _quorum_deadline_ms(core: Core, state: Leader) -> int:
    last_contact_ms = state.majority_last_contact_ms(core.voters, core.key, core.now_ms)
    return last_contact_ms + core.config.check_quorum_timeout_ms
