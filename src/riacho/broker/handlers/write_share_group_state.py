"""WriteShareGroupState, v0-1 (KIP-932): a partition's leader stores what became of records.

v1: how many records past the start are finished (KIP-1226).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.shares.share_state_answers import answer_each
from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import StoredState
from riacho.wire.messages.write_share_group_state_response import (
    PartitionResult,
    WriteShareGroupStateResponse,
    WriteStateResult,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.shares.state_records import ShareKey
    from riacho.wire.messages.write_share_group_state_request import PartitionData, WriteShareGroupStateRequest


async def handle(ctx: BrokerRequestContext, request: WriteShareGroupStateRequest) -> WriteShareGroupStateResponse:
    coordinator = ctx.coordinators.share_coordinator

    async def write(key: ShareKey, asked: PartitionData) -> PartitionResult:
        batches = tuple(
            StateBatch(batch.first_offset, batch.last_offset, batch.delivery_state, batch.delivery_count)
            for batch in asked.state_batches
        )
        change = StoredState(
            snapshot_epoch=0,
            state_epoch=asked.state_epoch,
            leader_epoch=asked.leader_epoch,
            start_offset=asked.start_offset,
            delivery_complete_count=asked.delivery_complete_count,
            state_batches=batches,
        )
        await coordinator.write(key, change)
        return PartitionResult(partition=key.partition)

    return WriteShareGroupStateResponse(
        results=await answer_each(ctx, request, write, PartitionResult, WriteStateResult)
    )
