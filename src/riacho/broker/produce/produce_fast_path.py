"""The fast path of a producer that writes to the same partitions again.

Most produce requests of a connection differ from earlier ones only in their correlation id and their records. After a
request with one topic and one partition was served the usual way (`dispatch.py`), its connection keeps a fast path: the
bytes before the records, the partition they lead to, and the bytes of the answer with room for the offsets. A request
that matches skips the header, the decoding of the body and the building of an answer; it is appended by the same code
(`append_produced.py`). Anything unusual (other bytes, a refusal, a partition that lost its leader) takes the usual way.
An answer that must wait for the high watermark (acks=all) waits in the connection's `produce_pipeline.py`.

The fast path asks no authorizer and charges no quota: it holds for the epoch in which it was offered, and a change of
what it does not ask about begins another (`fast_path_epoch.py`).
"""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.produce.append_checks import NeedsUsualWayError
from riacho.broker.produce.append_produced import append_produced
from riacho.partition.refused_records import TakesLongError
from riacho.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse, TopicProduceResponse

if TYPE_CHECKING:
    from riacho.broker.counters.client_counts import ClientCounts
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.produce.fast_path_epoch import FastPathEpoch
    from riacho.broker.produce.produce_pipeline import ProducePipeline
    from riacho.broker.produce.produce_refusals import ProduceRefusals
    from riacho.wire.batch import BatchHeader

_OFFSET = struct.Struct(">q")
_LENGTH = struct.Struct(">i")
# Values that stand in for the offsets while the answer's layout is found; no answer holds them by chance.
BASE_OFFSET_MARK = 0x1A2B3C4D5E6F7081
LOG_START_MARK = 0x19283746556473A1
FLEXIBLE_VERSION = 9
# Of the partition, the topic and the request: no tagged fields.
EMPTY_TAGS = bytes(3)
# Key and version; then the correlation id, which differs each time; then what must be equal.
_CORRELATION_AT, _FIXED_AT = 4, 8
_FAST_PATHS_MAX = 256
_OUT_SIZE_BYTES_MAX = 64 * 1024
_ALL = -1
# What `ProduceFastPath.serve` says where there is no offset to wait for.
_ANSWERED = -1
_NOT_SERVED = -2
# Not this time, since its records take long to check.
_NOT_NOW = -3


class ProduceFastPaths:
    """A connection's fast paths: one for each partition it writes to, as long as their requests have one layout."""

    __slots__ = ("_by_prefix", "_epoch", "_head", "_offered_in", "_prefix_end")

    def __init__(self, epoch: FastPathEpoch) -> None:
        self._epoch = epoch
        self._offered_in = epoch.value
        self._head = b""
        self._prefix_end = 0
        self._by_prefix: dict[bytes, ProduceFastPath] = {}

    def serve(
        self,
        queue: deque[bytearray],
        now_ms: int,
        out: bytearray,
        pipeline: ProducePipeline | None = None,
        now_ns: int = 0,
    ) -> tuple[int, int]:
        """Serve the requests at the head of the queue that have a fast path; their answers go to `out`, or to the
        pipeline when they have to wait, or others before them do.

        Returns how many were answered and their size in bytes. A producer sends many at once: what is the same for all
        of them is worked out once.
        """
        if self._offered_in != self._epoch.value:
            return 0, 0
        head, prefix_end, by_prefix = self._head, self._prefix_end, self._by_prefix
        count = size_bytes = 0
        while queue:
            frame = queue[0]
            if frame[:_CORRELATION_AT] != head:
                break
            prefix = bytes(frame[_FIXED_AT:prefix_end])
            fast_path = by_prefix.get(prefix)
            if fast_path is None:
                break
            at = len(out)
            awaited_offset = fast_path.serve(frame, now_ms, out)
            if awaited_offset <= _NOT_SERVED:
                if awaited_offset != _NOT_NOW:
                    del by_prefix[prefix]
                break
            queue.popleft()
            if pipeline is not None and (awaited_offset >= 0 or pipeline):
                answer = out[at:]
                del out[at:]
                if awaited_offset >= 0:
                    pipeline.add_appended(fast_path, answer, len(frame), awaited_offset, now_ns)
                else:
                    pipeline.add_ready(answer, len(frame), now_ns)
                if pipeline.is_full:
                    break
                continue
            count += 1
            size_bytes += len(frame)
            if len(out) > _OUT_SIZE_BYTES_MAX:
                break
        return count, size_bytes

    def add(self, fast_path: ProduceFastPath) -> None:
        offered = fast_path.head, fast_path.prefix_end, self._epoch.value
        if offered != (self._head, self._prefix_end, self._offered_in) or len(self._by_prefix) >= _FAST_PATHS_MAX:
            self._by_prefix.clear()
            self._head, self._prefix_end, self._offered_in = offered
        self._by_prefix[fast_path.prefix] = fast_path


class ProduceFastPath:
    __slots__ = (
        "_answer",
        "_base_offset_at",
        "_is_flexible",
        "_is_for_all",
        "_is_transactional",
        "_log_start_at",
        "_refusals",
        "client",
        "head",
        "partition",
        "prefix",
        "prefix_end",
        "timeout_ms",
        "version",
    )

    def __init__(
        self,
        partition: HostedPartition,
        frame: bytearray,
        prefix_end: int,
        version: int,
        answer: bytes,
        acks: int,
        timeout_ms: int,
        is_transactional: bool,
        refusals: ProduceRefusals,
        client: ClientCounts,
    ) -> None:
        self.partition = partition
        self.version = version
        self.timeout_ms = timeout_ms
        self._is_for_all = acks == _ALL
        self._is_transactional = is_transactional
        self._refusals = refusals
        self.client = client
        self._is_flexible = version >= FLEXIBLE_VERSION
        self.head = bytes(frame[:_CORRELATION_AT])
        self.prefix = bytes(frame[_FIXED_AT:prefix_end])
        self.prefix_end = prefix_end
        self._answer = answer
        self._base_offset_at = answer.index(_OFFSET.pack(BASE_OFFSET_MARK))
        self._log_start_at = answer.find(_OFFSET.pack(LOG_START_MARK))

    def serve(self, frame: bytearray, now_ms: int, out: bytearray) -> int:
        """Serve a request whose first bytes are this fast path's. Its answer goes to `out`; the offset that must be
        committed before it may leave, or a sign that it may leave now or that it must take the usual way."""
        start, stop = self.records_range(frame)
        if start < 0:
            return _NOT_SERVED
        partition = self.partition
        is_for_all = self._is_for_all
        try:
            records = memoryview(frame)[start:stop]
            appended = append_produced(partition, records, None, is_for_all, self.version, now_ms, self)
        except (KafkaError, NeedsUsualWayError, TakesLongError) as error:
            # The usual way counts it again and, where it is refused, says so.
            partition.counts.produce_requests -= 1
            return _NOT_NOW if type(error) is TakesLongError else _NOT_SERVED
        client = self.client
        client.bytes += stop - start
        client.messages += appended.last_offset - appended.base_offset + 1
        log = partition.log
        at = len(out)
        out += self._answer
        out[at + 4 : at + 8] = frame[_CORRELATION_AT:_FIXED_AT]
        _OFFSET.pack_into(out, at + self._base_offset_at, appended.base_offset)
        if self._log_start_at >= 0:
            _OFFSET.pack_into(out, at + self._log_start_at, log.log_start_offset)
        if is_for_all and not partition.is_alone and appended.last_offset >= log.high_watermark:
            return appended.last_offset
        return _ANSWERED

    # What is left to the usual way (`append_checks.py`)

    def check_internal_topic(self, partition: HostedPartition) -> None:
        raise NeedsUsualWayError

    def check_transaction(self, partition: HostedPartition, header: BatchHeader) -> None:
        """The first batch of a transaction is put before its coordinator."""
        producers = partition.log.producer_state.producers
        if not (self._is_transactional and producers.has_transaction(header.producer_id, header.producer_epoch)):
            raise NeedsUsualWayError

    def check_turn(self, partition: HostedPartition, header: BatchHeader) -> None:
        raise NeedsUsualWayError

    def refusal(self, listener_name: str, code: ErrorCode) -> ProduceResponse:
        """What to say when a request of this fast path was written and not committed."""
        partition = self.partition
        answer = self._refusals.refusal(self.version, partition.topic, partition.index, KafkaError(code))
        response = response_of(partition.topic, partition.topic_id, answer)
        self._refusals.add_new_leaders(self.version, listener_name, response)
        return response

    def records_range(self, frame: bytearray) -> tuple[int, int]:
        """Where the records are; (-1, -1) when they do not fill the rest of the frame."""
        position, size = self.prefix_end, len(frame)
        if not self._is_flexible:
            if size < position + 4:
                return -1, -1
            return (position + 4, size) if _LENGTH.unpack_from(frame, position)[0] == size - position - 4 else (-1, -1)
        stop = size - 3
        # `read_unsigned_varint`, in place: this is done for each request, and one cut short goes the usual way.
        length = shift = 0
        while position < stop:
            byte = frame[position]
            position += 1
            length |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 28:
                return -1, -1
        # Compact lengths count one more.
        if length - 1 != stop - position or frame[stop:] != EMPTY_TAGS:
            return -1, -1
        return position, stop


def response_of(name: str, topic_id: bytes, answer: PartitionProduceResponse) -> ProduceResponse:
    topic = TopicProduceResponse(name=name, topic_id=topic_id, partition_responses=[answer])
    return ProduceResponse(responses=[topic])
