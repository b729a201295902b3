"""Producer ids (KIP-730): the controller hands out blocks of a thousand, a broker the ids of its block.

A block is on record before its first id is used, and what is left of it is thrown away at a restart, so no id is ever
given twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse
from riacho.wire.messages.producer_ids_record import ProducerIdsRecord

BLOCK_SIZE = 1000
_ID_MAX = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class ProducerIdBlock:
    first: int
    size: int = BLOCK_SIZE


def decide_allocate_producer_ids(
    image: MetadataImage, broker_id: int, broker_epoch: int
) -> Decision[MetadataRecord, ProducerIdBlock]:
    first = image.next_producer_id
    if first > _ID_MAX - BLOCK_SIZE:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "Exhausted all producerIds as the next block's end exceeds it")
    record = ProducerIdsRecord(broker_id=broker_id, broker_epoch=broker_epoch, next_producer_id=first + BLOCK_SIZE)
    return Decision(reply=ProducerIdBlock(first), records=[record])


def decide_producer_ids_request(
    image: MetadataImage, request: AllocateProducerIdsRequest
) -> Decision[MetadataRecord, AllocateProducerIdsResponse]:
    image.check_broker_epoch(request.broker_id, request.broker_epoch)
    decision = decide_allocate_producer_ids(image, request.broker_id, request.broker_epoch)
    reply = AllocateProducerIdsResponse(producer_id_start=decision.reply.first, producer_id_len=decision.reply.size)
    return Decision(reply=reply, records=decision.records)


class ProducerIds:
    """Hands out the ids of one block after another; `new_block` asks the controller."""

    def __init__(self, new_block: Callable[[], ProducerIdBlock]) -> None:
        self._new_block = new_block
        self._next = 0
        self._end = 0

    def take(self) -> int:
        if self._next == self._end:
            block = self._new_block()
            self._next, self._end = block.first, block.first + block.size
        self._next += 1
        return self._next - 1
