"""DeleteShareGroupState, v0 (KIP-932): a group or its offsets are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.shares.share_state_answers import answer_each
from riacho.wire.messages.delete_share_group_state_response import (
    DeleteShareGroupStateResponse,
    DeleteStateResult,
    PartitionResult,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.shares.state_records import ShareKey
    from riacho.wire.messages.delete_share_group_state_request import DeleteShareGroupStateRequest, PartitionData


async def handle(ctx: BrokerRequestContext, request: DeleteShareGroupStateRequest) -> DeleteShareGroupStateResponse:
    coordinator = ctx.coordinators.share_coordinator

    async def delete(key: ShareKey, asked: PartitionData) -> PartitionResult:
        await coordinator.delete(key)
        return PartitionResult(partition=key.partition)

    return DeleteShareGroupStateResponse(
        results=await answer_each(ctx, request, delete, PartitionResult, DeleteStateResult)
    )
