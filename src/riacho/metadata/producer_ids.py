"""Producer ids (KIP-730): the controller hands out blocks of a thousand, a broker the ids of its block.

A block is on record before its first id is used, and what is left of it is thrown away at a restart, so no id is ever
given twice.
"""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse
from riacho.wire.messages.producer_ids_record import ProducerIdsRecord

BLOCK_SIZE = 1000
_ID_MAX = (1 << 63) - 1


def decide_allocate_producer_ids(
    image: MetadataImage, request: AllocateProducerIdsRequest
) -> Decision[MetadataRecord, AllocateProducerIdsResponse]:
    image.check_broker_epoch(request.broker_id, request.broker_epoch)
    first = image.next_producer_id
    if first > _ID_MAX - BLOCK_SIZE:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "Exhausted all producerIds as the next block's end exceeds it")
    record = ProducerIdsRecord(
        broker_id=request.broker_id, broker_epoch=request.broker_epoch, next_producer_id=first + BLOCK_SIZE
    )
    return Decision(
        reply=AllocateProducerIdsResponse(producer_id_start=first, producer_id_len=BLOCK_SIZE), records=[record]
    )
