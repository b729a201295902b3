"""ReadShareGroupStateSummary, v0-1 (KIP-932): where share-partitions stand, for whoever describes a group's offsets.

v1: how many records past the start are finished (KIP-1226).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.shares.share_state_answers import answer_each
from riacho.wire.messages.read_share_group_state_summary_response import (
    PartitionResult,
    ReadShareGroupStateSummaryResponse,
    ReadStateSummaryResult,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.shares.state_records import ShareKey
    from riacho.wire.messages.read_share_group_state_summary_request import (
        PartitionData,
        ReadShareGroupStateSummaryRequest,
    )


async def handle(
    ctx: BrokerRequestContext, request: ReadShareGroupStateSummaryRequest
) -> ReadShareGroupStateSummaryResponse:
    coordinator = ctx.coordinators.share_coordinator

    async def read(key: ShareKey, asked: PartitionData) -> PartitionResult:
        found = await coordinator.read_summary(key)
        return PartitionResult(
            partition=key.partition,
            state_epoch=found.state_epoch,
            leader_epoch=found.leader_epoch,
            start_offset=found.start_offset,
            delivery_complete_count=found.delivery_complete_count,
        )

    return ReadShareGroupStateSummaryResponse(
        results=await answer_each(ctx, request, read, PartitionResult, ReadStateSummaryResult)
    )
