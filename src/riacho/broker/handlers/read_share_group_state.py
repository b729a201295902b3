"""ReadShareGroupState, v0 (KIP-932): a partition's new leader takes over its share-partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.shares.share_state_answers import answer_each
from riacho.wire.messages.read_share_group_state_response import (
    PartitionResult,
    ReadShareGroupStateResponse,
    ReadStateResult,
    StateBatch,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.shares.state_records import ShareKey
    from riacho.wire.messages.read_share_group_state_request import PartitionData, ReadShareGroupStateRequest


async def handle(ctx: BrokerRequestContext, request: ReadShareGroupStateRequest) -> ReadShareGroupStateResponse:
    coordinator = ctx.coordinators.share_coordinator

    async def read(key: ShareKey, asked: PartitionData) -> PartitionResult:
        found = await coordinator.read(key, asked.leader_epoch)
        return PartitionResult(
            partition=key.partition,
            state_epoch=found.state_epoch,
            start_offset=found.start_offset,
            state_batches=[StateBatch(*batch) for batch in found.state_batches],
        )

    return ReadShareGroupStateResponse(results=await answer_each(ctx, request, read, PartitionResult, ReadStateResult))
