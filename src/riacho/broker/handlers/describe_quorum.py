"""DescribeQuorum, v0-2 (KIP-595): who leads the metadata quorum and how far its members are.

v1: fetch times (KIP-836). v2: directory ids and where nodes listen (KIP-853). Brokers bring it to the leader. The
quorum measures in time that nobody can set; the answer has the time of day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.later import settled
from riacho.broker.requests.version_fit import fitted
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest
from riacho.wire.messages.describe_quorum_response import DescribeQuorumResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext


async def handle(ctx: QuorumRequestContext, request: DescribeQuorumRequest) -> DescribeQuorumResponse:
    ctx.check_cluster(AclOperation.DESCRIBE)
    response = await settled(ctx.quorum.raft.ask(request, ctx.version, DescribeQuorumResponse))
    shift_ms = ctx.node.clock.now_ms() - ctx.node.clock.monotonic_ms()
    for topic in response.topics:
        for partition in topic.partitions:
            for replica in (*partition.current_voters, *partition.observers):
                if replica.last_fetch_timestamp >= 0:
                    replica.last_fetch_timestamp += shift_ms
                if replica.last_caught_up_timestamp >= 0:
                    replica.last_caught_up_timestamp += shift_ms
    fitted(response, ctx.version)
    return response
