"""What a consumer says of the records it holds: the shape of it, checked before any state is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.record_state import AcknowledgeType


class AcknowledgementBatch(Protocol):
    """As ShareFetch and ShareAcknowledge carry it: one type for the whole range, or one for each offset."""

    first_offset: int
    last_offset: int
    acknowledge_types: list[int]


class Acknowledgement(NamedTuple):
    """Neighbouring offsets with one verdict."""

    first: int
    last: int
    type: AcknowledgeType


def check_batches(batches: Sequence[AcknowledgementBatch], *, may_renew: bool) -> None:
    """KafkaError INVALID_REQUEST when the batches make no sense. RENEW needs a request that says it has some."""
    previous_last = -1
    for batch in batches:
        types, count = batch.acknowledge_types, batch.last_offset - batch.first_offset + 1
        if count < 1 or batch.first_offset < previous_last:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        if not types or (len(types) > 1 and len(types) != count):
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        last_type = AcknowledgeType.RENEW if may_renew else AcknowledgeType.REJECT
        if any(not AcknowledgeType.GAP <= each <= last_type for each in types):
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        previous_last = batch.last_offset


def segments(batches: Iterable[AcknowledgementBatch], start_offset: int) -> Iterator[Acknowledgement]:
    """Ranges of one verdict each, without what lies below `start_offset`: that is finished already."""
    for batch in batches:
        if batch.last_offset < start_offset:
            continue
        types = batch.acknowledge_types
        first = max(batch.first_offset, start_offset)
        if len(types) == 1:
            yield Acknowledgement(first, batch.last_offset, AcknowledgeType(types[0]))
            continue
        for offset in range(first, batch.last_offset + 1):
            kind = types[offset - batch.first_offset]
            if offset == batch.last_offset or types[offset + 1 - batch.first_offset] != kind:
                yield Acknowledgement(first, offset, AcknowledgeType(kind))
                first = offset + 1
