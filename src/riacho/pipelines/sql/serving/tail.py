"""Records of a topic as a push query sees them: decoded in the server, from a position on, until it is closed.

One consumer a tail, in a thread; rows wait in a bounded queue, and while that is full nothing more is fetched.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from riacho.client.librdkafka.receiving import received
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.catalogue.sources import Column
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.serving.reading import reading_consumer
from riacho.pipelines.sql.serving.served_row import ServedRow

_log = logging.getLogger("riacho.ksql")
_POLL_S = 0.1
_BATCH = 500
_WAITING_MAX = 20
_QUEUED_KIB_MAX = 8_192
_row = msgspec.json.Decoder(dict).decode
T = TypeVar("T")


class TailError(Exception):
    """The topic cannot be read any more; one sentence."""


class Tail(Generic[T]):
    """`rows` gives lists of what `take` makes of records, which leaves one out by None. It reads from `starts`, or from
    the beginning; with `ends` it stops there by itself: a bounded read."""

    def __init__(
        self,
        client: Mapping[str, Any],
        topic: str,
        partitions: int,
        take: Callable[[Message], T | None],
        *,
        starts: Mapping[int, int] | None,
        ends: Mapping[int, int] | None = None,
    ) -> None:
        self._client = dict(client)
        self._topic = topic
        self._partitions = partitions
        self._take = take
        self._starts = starts
        self._ends = None if ends is None else {part: end for part, end in ends.items() if end > 0}
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[list[T] | TailError | None] = asyncio.Queue(_WAITING_MAX)
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"ksql-tail-{topic}", daemon=True)
        self._thread.start()

    async def rows(self) -> AsyncIterator[list[T]]:
        while True:
            found = await self._waiting.get()
            if found is None:
                return
            if isinstance(found, TailError):
                raise found
            yield found

    async def close(self) -> None:
        """Ends the waiting of those who wait for rows: there are no more."""
        self._is_closing.set()
        # A thread that waits for room finds it.
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put_nowait(None)
        await asyncio.to_thread(self._thread.join, 5.0)

    def _run(self) -> None:
        end: TailError | None = None
        try:
            consumer = reading_consumer(
                self._client, "riacho-ksql-tail", **{"queued.max.messages.kbytes": _QUEUED_KIB_MAX}
            )
            try:
                self._read(consumer)
            finally:
                consumer.close()
        except KafkaException as error:
            end = TailError(f"The topic {self._topic} cannot be read: {error.args[0].str()}.")
        except KsqlError as error:
            end = TailError(error.message)
        except RegistryError as error:
            end = TailError(f"The schema registry cannot be asked: {error}")
        except Exception:
            # Rows that just stop coming would look like a topic that is quiet.
            _log.exception("tail failed topic=%s", self._topic)
            end = TailError(f"The topic {self._topic} cannot be read: internal error.")
        self._put(end)

    def _read(self, consumer: Consumer) -> None:
        starts = self._starts
        consumer.assign(
            [
                TopicPartition(self._topic, part, OFFSET_BEGINNING if starts is None else starts.get(part, 0))
                for part in range(self._partitions)
            ]
        )
        reached: set[int] = set()
        while not self._is_closing.is_set() and not self._is_over(reached):
            rows = self._taken(received(consumer, _BATCH, _POLL_S), reached)
            if rows:
                self._put(rows)

    def _is_over(self, reached: set[int]) -> bool:
        return self._ends is not None and reached >= self._ends.keys()

    def _taken(self, messages: list[Message], reached: set[int]) -> list[T]:
        rows: list[T] = []
        for message in messages:
            error, part, offset = message.error(), message.partition() or 0, message.offset() or 0
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    reached.add(part)
                elif message.topic() is not None or error.fatal():
                    raise KafkaException(error)
                # Else a broker is away, which the client looks for again.
                continue
            if self._ends is not None and offset >= self._ends.get(part, 0):
                reached.add(part)
                continue
            row = self._take(message)
            if row is not None:
                rows.append(row)
            if self._ends is not None and offset + 1 >= self._ends.get(part, 0):
                reached.add(part)
        return rows

    def _put(self, found: list[T] | TailError | None) -> None:
        """Waits for room: whoever reads slowly is fetched for slowly."""
        while not self._is_closing.is_set():
            with suppress(RuntimeError):
                putting = asyncio.run_coroutine_threadsafe(self._waiting.put(found), self._loop)
                while not self._is_closing.is_set():
                    with suppress(TimeoutError):
                        putting.result(_POLL_S)
                        return
                putting.cancel()
            return


def served_row(decoder: RecordDecoder, headers: tuple[Column, ...], message: Message) -> ServedRow | None:
    """None for a record that cannot be decoded: there is nobody to show it to but the log. `headers` are the source's
    columns of headers."""
    topic, part, offset = message.topic(), message.partition() or 0, message.offset() or 0
    try:
        record = decoder.decode(message.key(), message.value(), message.timestamp()[1])
    except CodecError as error:
        _log.debug("record left out topic=%s partition=%d offset=%d: %s", topic, part, offset, error)
        return None
    value = None if record.value is None else _row(record.value)
    if headers and value is not None:
        value |= header_values(headers, _headers(message))
    return ServedRow(
        None if record.key is None else _row(record.key),
        value,
        record.timestamp_ms,
        part,
        offset,
        record.window_start,
        record.window_end,
    )


def header_values(columns: tuple[Column, ...], headers: Sequence[tuple[str, bytes | str | None]]) -> dict[str, Any]:
    """All headers as an array, or of one key the last value."""
    given = [(name, _base64(value)) for name, value in headers]
    latest = dict(given)
    return {
        column.name: [{"KEY": name, "VALUE": value} for name, value in given]
        if column.header_key is None
        else latest.get(column.header_key)
        for column in columns
    }


def _headers(message: Message) -> list[tuple[str, bytes | str | None]]:
    found = message.headers() or []
    return list(found.items()) if isinstance(found, dict) else found


def _base64(value: bytes | str | None) -> str | None:
    if value is None:
        return None
    return b64encode(value.encode() if isinstance(value, str) else value).decode()
