"""AddOffsetsToTxn, v0-4: a transaction is going to commit offsets of a group (KIP-98).

v2: PRODUCER_FENCED may be answered. With transaction version 2 clients leave it out: TxnOffsetCommit does it (KIP-890).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import settled
from riacho.security.operations import AclOperation, AclResourceType
from riacho.transactions.partitions import ADD_OFFSETS

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
    from riacho.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse


async def handle(ctx: BrokerRequestContext, request: AddOffsetsToTxnRequest) -> AddOffsetsToTxnResponse:
    if not ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return ADD_OFFSETS.refused(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return ADD_OFFSETS.refused(request, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    version, groups = ctx.version, ctx.coordinators.groups
    try:
        offsets_partition = await groups.partition_of(request.group_id)
    except KafkaError as error:
        return ADD_OFFSETS.refused(request, error.code)
    return await settled(ctx.coordinators.transactions.ask(ADD_OFFSETS, request, offsets_partition, version))
