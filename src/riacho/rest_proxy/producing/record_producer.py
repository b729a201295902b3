"""The one librdkafka producer that all calls share.

Delivery reports come out of `poll`, which the event loop calls itself, every millisecond while records are on their
way. A thread of its own would have to take the interpreter's lock for each single report, and wait for it as long as
the loop is busy: at full load that is a report every five milliseconds.

What is on its way is bounded in records and in bytes. Beyond that calls are answered 429 at once, so that memory does
not grow when Kafka is slower than the callers; librdkafka's own queue is larger than the bound and never fills.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from riacho.rest_proxy.producing.record import NOW, Record
from riacho.rest_proxy.producing.sending import Sending
from riacho.web.errors import ApiError
from riacho.web.kafka_client import make_client
from riacho.web.lasting_producer import LastingProducer

_log = logging.getLogger("riacho.rest_proxy.producer")
_POLL_S = 0.001
# With nothing on its way there are still log lines, and tokens to renew.
_IDLE_POLL_S = 1.0
_FLUSH_S = 5.0
_SPARE_MAX = 64
_SLICE_RECORDS = 1_000
_SPARE_REPORTS_MAX = 1_000

DEFAULTS: Mapping[str, Any] = {
    "acks": "all",
    "enable.idempotence": True,
    "linger.ms": 1,
    # The Java producer's, so that a key goes to the same partition whoever writes it.
    "partitioner": "murmur2_random",
}


class RecordProducer:
    def __init__(self, settings: Mapping[str, Any], *, records_max: int, bytes_max: int) -> None:
        self._settings = {
            **DEFAULTS,
            **settings,
            "queue.buffering.max.messages": 2 * records_max,
            "queue.buffering.max.kbytes": min(2 * bytes_max // 1024 + 1024, 2_147_483_647),
        }
        self.records_max = records_max
        self._bytes_max = bytes_max
        self.records_in_flight = 0
        self.bytes_in_flight = 0
        self._producer: LastingProducer
        self._spare: list[Sending] = []
        self._timer: asyncio.TimerHandle | None = None
        self._is_idle = True
        self._room = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop

    def start(self) -> None:
        """On the loop that polls from then on. ConfigError when the settings cannot be used."""
        self._loop = asyncio.get_running_loop()
        self._producer = LastingProducer(self._made)
        self._timer = self._loop.call_later(_IDLE_POLL_S, self._poll)

    async def stop(self) -> None:
        """What is on its way gets a moment to arrive; the rest is reported as not delivered."""
        if self._timer is None:
            return
        deadline = self._loop.time() + _FLUSH_S
        while self.records_in_flight and self._loop.time() < deadline:
            await asyncio.sleep(_POLL_S)
        self._timer.cancel()
        self._timer = None
        self._producer.purge()

    def _made(self) -> Producer:
        return make_client(lambda config: Producer(config, logger=_log), self._settings)

    @property
    def client(self) -> Producer:
        """For questions about the cluster; records go through `send`."""
        return self._producer.current

    # Sending

    def check_room(self, count: int, size_bytes: int) -> None:
        """ApiError 429 when so much may not be sent now, 413 when it never may."""
        if count > self.records_max or size_bytes > self._bytes_max:
            limit = f"{self.records_max} records and {self._bytes_max} bytes"
            raise ApiError(413, 413, f"The request is too large: at most {limit} may be on their way to Kafka.")
        if not self.has_capacity(count, size_bytes):
            message = "Too many records are on their way to Kafka; try again later."
            raise ApiError(429, 429, message, headers={"Retry-After": "1"})

    def has_capacity(self, count: int, size_bytes: int) -> bool:
        return (
            self.records_in_flight + count <= self.records_max and self.bytes_in_flight + size_bytes <= self._bytes_max
        )

    async def room(self, count: int, size_bytes: int) -> None:
        """Wait until so much may be sent; for streams, which slow their sender down instead."""
        while not self.has_capacity(count, size_bytes) and self.records_in_flight:
            self._room.clear()
            await self._room.wait()

    def send(self, topic: str, records: Sequence[Record], size_bytes: int) -> Sending:
        """Records of a partition keep their order. The caller has seen to it that there is room."""
        sending = self._begun(len(records), size_bytes)
        self._give(sending, topic, records, 0)
        return sending

    async def send_many(self, topic: str, records: Sequence[Record], size_bytes: int) -> Sending:
        """The same with pauses, in which the loop serves others: records by the thousand take their time."""
        sending = self._begun(len(records), size_bytes)
        async for start, end in self._slices(sending):
            self._give(sending, topic, records[start:end], start)
        return sending

    def _give(self, sending: Sending, topic: str, records: Sequence[Record], start: int) -> None:
        produce, reports = self._producer.current.produce, sending.reports
        for index, record in enumerate(records, start):
            try:
                if record.headers is None and record.timestamp_ms == NOW:
                    produce(topic, record.value, record.key, record.partition, reports[index])
                else:
                    produce(
                        topic,
                        record.value,
                        record.key,
                        record.partition,
                        reports[index],
                        timestamp=record.timestamp_ms,
                        headers=record.headers,
                    )
            except (BufferError, KafkaException) as error:
                sending.refused(index, self._refusal(error))

    async def send_values(
        self, topic: str, values: Sequence[bytes | None], keys: Sequence[bytes | None], partition: int, size_bytes: int
    ) -> Sending:
        """As `send_many`, for records that have nothing else, as most do: without an object for each."""
        sending = self._begun(len(values), size_bytes)
        async for start, end in self._slices(sending):
            produce = self._producer.current.produce
            index = start - 1
            # Not enumerate: an index for each is a tuple for each, and it is wanted only where something fails.
            for value, key, report in zip(values[start:end], keys[start:end], sending.reports[start:end], strict=True):
                index += 1
                try:
                    produce(topic, value, key, partition, report)
                except (BufferError, KafkaException) as error:
                    sending.refused(index, self._refusal(error))
        return sending

    async def _slices(self, sending: Sending) -> AsyncIterator[tuple[int, int]]:
        count = len(sending.outcomes)
        for start in range(0, count, _SLICE_RECORDS):
            if start:
                try:
                    await asyncio.sleep(0)
                except BaseException:
                    # Nobody will give the rest; it must not count as on its way for ever.
                    for index in range(start, count):
                        sending.refused(index, KafkaError(KafkaError._PURGE_QUEUE))
                    raise
            yield start, min(start + _SLICE_RECORDS, count)

    def _begun(self, count: int, size_bytes: int) -> Sending:
        sending = self._spare.pop() if self._spare else Sending(self._settled)
        sending.begin(count, size_bytes)
        self.records_in_flight += count
        self.bytes_in_flight += size_bytes
        self._producer.renew()
        if self._is_idle:
            self._hurry()
        return sending

    def _refusal(self, error: BufferError | KafkaException) -> KafkaError:
        if isinstance(error, BufferError):
            return KafkaError(KafkaError._QUEUE_FULL, "The producer's queue is full.")
        return self._producer.refusal(error)

    def recycle(self, sending: Sending) -> None:
        """Its outcomes have been reported, and nobody looks at it any more."""
        if sending.is_done and len(sending.reports) <= _SPARE_REPORTS_MAX and len(self._spare) < _SPARE_MAX:
            sending.outcomes = []
            self._spare.append(sending)

    def _settled(self, sending: Sending) -> None:
        if sending.failures and self._producer.ended_by is not None:
            sending.explain(self._producer.reason)
        self.records_in_flight -= len(sending.outcomes)
        self.bytes_in_flight -= sending.size_bytes
        self._room.set()

    # Polling

    def _hurry(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._loop.call_later(_POLL_S, self._poll)
            self._is_idle = False

    def _poll(self) -> None:
        self._producer.take_reports()
        self._is_idle = not self.records_in_flight
        self._timer = self._loop.call_later(_IDLE_POLL_S if self._is_idle else _POLL_S, self._poll)
