"""InitProducerId, v0-5: an id for an idempotent producer, or a start for a transactional one (KIP-98).

v3: the producer's present id and epoch (KIP-360). v4: PRODUCER_FENCED may be answered. Without a transactional id there
is nothing to keep, so a new id is given, from a block that the controller put on record. With one its coordinator
answers, and whoever used it before is fenced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import settled
from riacho.security.operations import AclOperation, AclResourceType
from riacho.transactions.init_producer_id import INIT_PRODUCER_ID
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext

_NONE = -1


async def handle(ctx: BrokerRequestContext, request: InitProducerIdRequest) -> InitProducerIdResponse:
    transactional_id = request.transactional_id
    if transactional_id is None:
        # Whoever may write to any topic may do so without duplicates (KIP-679).
        if not (
            ctx.allows_any(AclOperation.WRITE, AclResourceType.TOPIC)
            or ctx.allows_cluster(AclOperation.IDEMPOTENT_WRITE)
        ):
            return INIT_PRODUCER_ID.refused(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    elif not ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, transactional_id):
        return INIT_PRODUCER_ID.refused(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    has_id, has_epoch = request.producer_id != _NONE, request.producer_epoch != _NONE
    if transactional_id == "" or has_id != has_epoch:
        return INIT_PRODUCER_ID.refused(request, ErrorCode.INVALID_REQUEST)
    if transactional_id is not None:
        return await settled(ctx.coordinators.transactions.ask_with_producer_id(INIT_PRODUCER_ID, request, ctx.version))
    try:
        producer_id = await ctx.hosting.producer_ids.take()
    except KafkaError as error:
        return INIT_PRODUCER_ID.refused(request, error.code)
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)
