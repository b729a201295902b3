"""InitializeShareGroupState, v0 (KIP-932): the group coordinator starts share-partitions, or starts them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.shares.share_state_answers import answer_each
from riacho.wire.messages.initialize_share_group_state_response import (
    InitializeShareGroupStateResponse,
    InitializeStateResult,
    PartitionResult,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.shares.state_records import ShareKey
    from riacho.wire.messages.initialize_share_group_state_request import (
        InitializeShareGroupStateRequest,
        PartitionData,
    )


async def handle(
    ctx: BrokerRequestContext, request: InitializeShareGroupStateRequest
) -> InitializeShareGroupStateResponse:
    coordinator = ctx.coordinators.share_coordinator

    async def initialize(key: ShareKey, asked: PartitionData) -> PartitionResult:
        await coordinator.initialize(key, asked.state_epoch, asked.start_offset)
        return PartitionResult(partition=key.partition)

    return InitializeShareGroupStateResponse(
        results=await answer_each(ctx, request, initialize, PartitionResult, InitializeStateResult)
    )
