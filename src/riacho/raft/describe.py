"""DescribeQuorum, v0-2: the leader's view of voters and observers.

v1: times of the last fetch and of the last time caught up (KIP-836), by the clock of `now_ms`; the leader's own are
now. v2: directory ids and listeners (KIP-853).
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.raft import answers, leadership
from riacho.raft.core import Core
from riacho.raft.effects import Reply
from riacho.raft.events import Requested
from riacho.raft.leader_state import Leader, Progress
from riacho.raft.voters import ReplicaKey, Voter
from riacho.wire.messages import describe_quorum_response as wire
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest


def handle_describe(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, DescribeQuorumRequest)
    response = wire.DescribeQuorumResponse(error_message=None)
    if answers.sole_partition(request) is None:
        response.topics = [_unknown(topic) for topic in request.topics]
    else:
        response.topics = [wire.TopicData(topic_name=answers.TOPIC, partitions=[_partition(core)])]
        response.nodes = [_node(voter) for voter in core.voters if voter.endpoints]
    core.emit(Reply(event.request_id, response))


def _unknown(topic: object) -> wire.TopicData:
    name, partitions = getattr(topic, "topic_name", ""), getattr(topic, "partitions", [])
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return wire.TopicData(
        topic_name=name,
        partitions=[
            wire.PartitionData(partition_index=each.partition_index, error_code=code, error_message=None)
            for each in partitions
        ],
    )


def _partition(core: Core) -> wire.PartitionData:
    found = wire.PartitionData(
        partition_index=answers.PARTITION, error_message=None, leader_id=core.leader_id, leader_epoch=core.epoch
    )
    state = core.state
    if not isinstance(state, Leader):
        found.error_code = ErrorCode.NOT_LEADER_OR_FOLLOWER
        found.high_watermark = -1
        return found
    leadership.forget_absent(core, state)
    found.high_watermark = core.high_watermark
    own = Progress(core.log.end_offset, core.now_ms, core.now_ms)
    found.current_voters = [
        _replica(voter.key, own if voter.fits(core.key) else state.progress_of(voter)) for voter in core.voters
    ]
    found.observers = [_replica(key, progress) for key, progress in state.replicas.items() if not core.voters.has(key)]
    if not core.voters.has(core.key):
        found.observers.append(_replica(core.key, own))
    return found


def _replica(key: ReplicaKey, progress: Progress) -> wire.ReplicaState:
    return wire.ReplicaState(
        replica_id=key.node_id,
        replica_directory_id=key.directory_id,
        log_end_offset=progress.end_offset,
        last_fetch_timestamp=progress.fetched_at_ms,
        last_caught_up_timestamp=progress.caught_up_at_ms,
    )


def _node(voter: Voter) -> wire.Node:
    return wire.Node(
        node_id=voter.node_id,
        listeners=[wire.Listener(name=e.name, host=e.host, port=e.port) for e in voter.endpoints],
    )
