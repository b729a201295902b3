"""InitProducerId, v0-5: an id for an idempotent producer (KIP-98), from a block that the controller put on record.

v3: the producer's present id and epoch (KIP-360); without a transactional id there is nothing to keep, so a new id is
given.

Transactions are not served yet. With a transactional id the answer is COORDINATOR_NOT_AVAILABLE: there is no
coordinator for it, nothing was started, and a client may ask again until its own timeout. transaction.version is not
finalized either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext

_NONE = -1


async def handle(ctx: RequestContext, request: InitProducerIdRequest) -> InitProducerIdResponse:
    has_id, has_epoch = request.producer_id != _NONE, request.producer_epoch != _NONE
    if request.transactional_id == "" or has_id != has_epoch:
        return _refused(ErrorCode.INVALID_REQUEST)
    if request.transactional_id is not None:
        return _refused(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    try:
        producer_id = await ctx.broker.producer_ids.take()
    except KafkaError as error:
        return _refused(error.code)
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


def _refused(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=_NONE, producer_epoch=_NONE)
