"""ElectLeaders, v0-2: preferred (v0) or, from v1 on, unclean elections (KIP-460).

A single broker is the preferred leader of all it hosts: an election is needed only where a partition has none, and then
there is no other replica to take it. Without a list of partitions only those that were elected are answered: none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.metadata.topics import NO_LEADER
from riacho.wire.messages.elect_leaders_response import ElectLeadersResponse, PartitionResult, ReplicaElectionResult

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest


def handle(ctx: RequestContext, request: ElectLeadersRequest) -> ElectLeadersResponse:
    return ElectLeadersResponse(
        replica_election_results=[
            ReplicaElectionResult(
                topic=topic.topic, partition_result=[_result(ctx, topic.topic, index) for index in topic.partitions]
            )
            for topic in request.topic_partitions or []
        ]
    )


def _result(ctx: RequestContext, topic: str, index: int) -> PartitionResult:
    state = ctx.broker.metadata.image.partition(topic, index)
    if state is None:
        return PartitionResult(
            partition_id=index,
            error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            error_message=f"there is no partition {topic}-{index}",
        )
    if state.leader == NO_LEADER:
        return PartitionResult(
            partition_id=index,
            error_code=ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
            error_message=f"no replica of {topic}-{index} can lead",
        )
    return PartitionResult(
        partition_id=index,
        error_code=ErrorCode.ELECTION_NOT_NEEDED,
        error_message=f"broker {state.leader} leads {topic}-{index} already",
    )
