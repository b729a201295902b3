"""The first and the last word of a leader: BeginQuorumEpoch v0-1, EndQuorumEpoch v0-1; and hearing of a leader at all.

A leader tells voters of its epoch until they fetch. One that resigns names its successors, best log first: the first
stands at once, the others a little later each (KIP-595).
"""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.raft import answers, claims, observing
from riacho.raft.answers import LeaderInfo
from riacho.raft.core import EPOCH_LAST, Core
from riacho.raft.effects import Destination, Reply
from riacho.raft.events import Requested
from riacho.raft.leader_state import Leader
from riacho.raft.quorum_state import NOBODY
from riacho.raft.roles import Asked, Candidate, Follower, Prospective, Resigned, Unattached
from riacho.raft.voters import Voter
from riacho.wire.messages import begin_quorum_epoch_request as begin
from riacho.wire.messages import end_quorum_epoch_request as end
from riacho.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest
from riacho.wire.messages.end_quorum_epoch_request import EndQuorumEpochRequest
from riacho.wire.schema import Message

SUCCESSOR_STEP_MS = 50
FAREWELL_RESEND_MS = 200


def observe(core: Core, leader: LeaderInfo) -> None:
    """Somebody says who leads which epoch."""
    if leader.epoch > EPOCH_LAST:
        return
    if leader.leader_id == core.key.node_id:
        if leader.epoch > core.epoch:
            # It led, and has lost the memory of it: not a second vote in that epoch.
            core.vote(leader.epoch, core.key)
            core.become_unattached(leader.epoch)
        return
    to = _address(core, leader)
    if leader.epoch < core.epoch:
        if leader.leader_id != NOBODY and to is not None:
            observing.noticed(core, to, leader.epoch)
        return
    if leader.epoch > core.epoch:
        if leader.leader_id != NOBODY and to is not None:
            core.become_follower(leader.epoch, to)
        else:
            core.become_unattached(leader.epoch)
        return
    is_open = isinstance(core.state, Unattached | Prospective | Candidate) and core.leader_id == NOBODY
    if is_open and leader.leader_id != NOBODY and to is not None and leader.epoch == core.epoch:
        core.become_follower(leader.epoch, to)


def _address(core: Core, leader: LeaderInfo) -> Destination | None:
    if leader.host:
        return Destination(leader.leader_id, leader.host, leader.port)
    voter = core.voters.get(leader.leader_id)
    return core.destination(voter) if voter else None


# A leader's first word


def advance_leader(core: Core, state: Leader) -> None:
    for voter in core.voters.others(core.key):
        to = core.destination(voter)
        if to is not None and _notify_at_ms(core, state, voter) <= core.now_ms:
            state.notified_at_ms[voter.node_id] = core.now_ms
            core.send(to, _begin_request(core, voter))


def next_notify_ms(core: Core, state: Leader) -> list[int]:
    return [_notify_at_ms(core, state, voter) for voter in core.voters.others(core.key) if voter.endpoints]


def _notify_at_ms(core: Core, state: Leader, voter: Voter) -> int:
    pause_ms = core.config.fetch_timeout_ms // 2
    notified_at_ms = state.notified_at_ms.get(voter.node_id)
    if notified_at_ms is None:
        return state.since_ms
    return max(notified_at_ms, state.progress_of(voter).fetched_at_ms) + pause_ms


def _begin_request(core: Core, voter: Voter) -> BeginQuorumEpochRequest:
    partition = begin.PartitionData(
        partition_index=answers.PARTITION,
        voter_directory_id=voter.directory_id,
        leader_id=core.key.node_id,
        leader_epoch=core.epoch,
    )
    return BeginQuorumEpochRequest(
        cluster_id=core.cluster_id,
        voter_id=voter.node_id,
        topics=[begin.TopicData(topic_name=answers.TOPIC, partitions=[partition])],
        leader_endpoints=[begin.LeaderEndpoint(name=e.name, host=e.host, port=e.port) for e in core.own_endpoints],
    )


def handle_begin(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, BeginQuorumEpochRequest)
    partition = answers.sole_partition(request)
    code = _refusal(core, request.cluster_id, partition)
    is_own = partition is not None and partition.voter_directory_id in (ZERO_UUID, core.key.directory_id)
    if not code and event.version >= 1 and not (is_own and request.voter_id in (NOBODY, core.key.node_id)):
        code = ErrorCode.INVALID_VOTER_KEY
    if not code and partition is not None:
        endpoint = _named(core, request.leader_endpoints)
        observe(core, LeaderInfo(partition.leader_id, partition.leader_epoch, *endpoint))
        if isinstance(core.state, Prospective) and core.leader is not None:
            # The leader that it was about to replace is alive.
            core.become_follower(core.epoch, core.leader)
    response = answers.begin_response(core.leader_info(), code)
    if code == ErrorCode.INCONSISTENT_CLUSTER_ID:
        response.error_code, response.topics = code, []
    core.emit(Reply(event.request_id, response))


def _named(core: Core, endpoints: list[Any]) -> tuple[str, int]:
    ordered = sorted(endpoints, key=lambda each: each.name != core.config.listener_name)
    return (ordered[0].host, ordered[0].port) if ordered else ("", 0)


def _refusal(core: Core, cluster_id: str | None, partition: Any) -> int:
    if not claims.is_of_cluster(core, cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    if partition is None or partition.leader_id < 0:
        return ErrorCode.INVALID_REQUEST
    if partition.leader_epoch < core.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    return claims.leader_refusal(core, partition.leader_id, partition.leader_epoch)


# A leader's last word


def advance_resigned(core: Core, state: Resigned) -> None:
    for asked in state.unacknowledged.values():
        to = core.destination(asked.voter)
        if to is not None and asked.request is None and asked.send_at_ms <= core.now_ms:
            asked.request = _end_request(core, state)
            core.send(to, asked.request)


def next_farewell_ms(state: Resigned) -> list[int]:
    return [
        asked.send_at_ms for asked in state.unacknowledged.values() if asked.request is None and asked.voter.endpoints
    ]


def farewell(core: Core, leader: Leader) -> None:
    """After `become_resigned`: order the voters that get EndQuorumEpoch by how much of the log they have."""
    assert isinstance(core.state, Resigned)
    voters = core.voters.others(core.key)
    voters.sort(key=lambda voter: (-leader.progress_of(voter).end_offset, voter.node_id))
    core.state.unacknowledged = {voter.node_id: Asked(voter, core.now_ms) for voter in voters}
    core.state.successors = [voter.key for voter in voters]


def _end_request(core: Core, state: Resigned) -> EndQuorumEpochRequest:
    partition = end.PartitionData(
        partition_index=answers.PARTITION,
        leader_id=core.key.node_id,
        leader_epoch=core.epoch,
        preferred_successors=[key.node_id for key in state.successors],
        preferred_candidates=[
            end.ReplicaInfo(candidate_id=key.node_id, candidate_directory_id=key.directory_id)
            for key in state.successors
        ],
    )
    return EndQuorumEpochRequest(
        cluster_id=core.cluster_id,
        topics=[end.TopicData(topic_name=answers.TOPIC, partitions=[partition])],
        leader_endpoints=[end.LeaderEndpoint(name=e.name, host=e.host, port=e.port) for e in core.own_endpoints],
    )


def end_failed(core: Core, request: Message) -> None:
    if isinstance(core.state, Resigned):
        for asked in core.state.unacknowledged.values():
            if asked.request is request:
                asked.request, asked.send_at_ms = None, core.now_ms + FAREWELL_RESEND_MS


def end_answered(core: Core, request: Message) -> None:
    if isinstance(core.state, Resigned):
        acknowledged = [node_id for node_id, asked in core.state.unacknowledged.items() if asked.request is request]
        for node_id in acknowledged:
            del core.state.unacknowledged[node_id]


def handle_end(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, EndQuorumEpochRequest)
    partition = answers.sole_partition(request)
    code = _refusal(core, request.cluster_id, partition)
    if not code and partition is not None:
        endpoint = _named(core, request.leader_endpoints)
        observe(core, LeaderInfo(partition.leader_id, partition.leader_epoch, *endpoint))
        if isinstance(core.state, Follower) and core.leader_id == partition.leader_id:
            _leader_left(core, core.state, partition)
    response = answers.end_response(core.leader_info(), code)
    if code == ErrorCode.INCONSISTENT_CLUSTER_ID:
        response.error_code, response.topics = code, []
    core.emit(Reply(event.request_id, response))


def _leader_left(core: Core, state: Follower, partition: end.PartitionData) -> None:
    successors = [each.candidate_id for each in partition.preferred_candidates] or partition.preferred_successors
    own_id = core.key.node_id
    position = successors.index(own_id) if own_id in successors else len(successors)
    pause_ms = position * SUCCESSOR_STEP_MS + core.rng(SUCCESSOR_STEP_MS) if position else 0
    state.has_contact = False
    election_at_ms = core.now_ms + pause_ms
    state.election_at_ms = min(election_at_ms, state.election_at_ms or election_at_ms)
