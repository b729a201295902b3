"""Batches of idempotent producers that come before their turn: which of them a connection was refused, and why.

A producer has several batches of a partition on their way at once, and around a change of leaders the second can be
served without the first:
- a broker that does not know yet that it leads refuses the first, learns that it leads, and finds the second;
- librdkafka may send the second to the new leader while it still takes back the first, which the old one refused.

To call the second out of order is true, but librdkafka then begins a new producer epoch and sends everything again that
is not acknowledged, on any partition: also batches that an old leader had stored before it said that it leads no more
(confluentinc/librdkafka#4953). And from a producer that it does not know, a leader would take the second without the
first, and librdkafka would take its success for that of both.

So a batch that comes too early is sent back like one that came to the wrong broker: when its predecessor was refused by
the same connection for a reason that passes, and once in any case where the partition has other replicas, who may have
refused it. Both then come in their order, under their old sequences. A gap that is still there at the second time is
answered as such. What was refused is remembered for as long as its successors can be on their way; that it was made
good since need not be noted, since the log then has what the successor continues.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader, Buffer, read_header

# What a broker says of itself before it appends anything. Refusals that are the batch's own fault are final: their
# producer leaves the sequence out, and must get an error for the next one, which does not fit.
_PASSING = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
    }
)
_REMEMBERED_MS = 60_000
_REMEMBERED_MAX = 256
_SEQUENCE_MASK = 0x7FFFFFFF
_MAGIC, _MAGIC_AT = 2, 16

# Topic (a name or an id, as the client calls it), partition, producer id and epoch, and the sequence that follows.
_Key = tuple[str | bytes, int, int, int, int]


class RefusedBatches:
    __slots__ = ("_refused",)

    def __init__(self) -> None:
        # To the reason and until when it counts, the oldest first.
        self._refused: dict[_Key, tuple[ErrorCode, int]] = {}

    def __len__(self) -> int:
        return len(self._refused)

    def note(self, topic: str | bytes, index: int, records: Buffer | None, error: KafkaError, now_ms: int) -> None:
        """A batch was refused, as it came from the client: it may be anything."""
        if error.code not in _PASSING or records is None or len(records) < HEADER_SIZE_BYTES:
            return
        if records[_MAGIC_AT] != _MAGIC:
            return
        header = read_header(records)
        if header.producer_id < 0 or header.base_sequence < 0:
            return
        key = (topic, index, header.producer_id, header.producer_epoch, _following(header))
        self._refused.pop(key, None)
        self._refused[key] = (error.code, now_ms + _REMEMBERED_MS)
        if len(self._refused) > _REMEMBERED_MAX:
            del self._refused[next(iter(self._refused))]

    def why_wait(
        self, topic: str | bytes, index: int, header: BatchHeader, now_ms: int, *, is_replicated: bool
    ) -> KafkaError | None:
        """The refusal of a batch that the log cannot take as the next of its producer; None when it is no use to wait
        for those before it."""
        producer = (topic, index, header.producer_id, header.producer_epoch)
        code = self._code_of((*producer, header.base_sequence), now_ms)
        if code is None and is_replicated:
            is_again = self._code_of((*producer, _following(header)), now_ms) is not None
            code = None if is_again else ErrorCode.NOT_LEADER_OR_FOLLOWER
        return None if code is None else KafkaError(code, f"sequence {header.base_sequence} comes before its turn")

    def _code_of(self, key: _Key, now_ms: int) -> ErrorCode | None:
        code, until_ms = self._refused.get(key, (None, 0))
        if code is not None and until_ms <= now_ms:
            del self._refused[key]
            return None
        return code


def _following(header: BatchHeader) -> int:
    return (header.last_sequence + 1) & _SEQUENCE_MASK
