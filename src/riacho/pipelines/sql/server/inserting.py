"""Rows that statements insert: one idempotent producer, each row confirmed by the brokers before it is answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from riacho.base.config import ConfigError
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.web.kafka_client import make_client

_log = logging.getLogger("riacho.ksql")
_POLL_S = 0.05


class Inserter:
    """`start` begins to hear what became of rows. At most `waiting_max` are under way: more are refused."""

    def __init__(self, client: Mapping[str, Any], waiting_max: int = 10_000) -> None:
        self._settings = {**client, "enable.idempotence": True, "linger.ms": 0}
        self._producer = make_client(Producer, self._settings)
        # Those that a fatal error has ended still owe it what became of rows that they had taken.
        self._ended: list[Producer] = []
        self._waiting_max = waiting_max
        self._waiting = 0
        self._polling: asyncio.Task[None] | None = None

    async def insert(self, topic: str, key: bytes | None, value: bytes | None, timestamp_ms: int | None) -> None:
        """KsqlError where the brokers do not take it. Rows are in the topic in the order of the calls."""
        await self.begun(topic, key, value, timestamp_ms)

    def begun(
        self, topic: str, key: bytes | None, value: bytes | None, timestamp_ms: int | None
    ) -> asyncio.Future[None]:
        """Under way; the future tells when the brokers have it. KsqlError where it cannot be."""
        if self._waiting >= self._waiting_max:
            raise KsqlError("Too many rows are being inserted already; try again later.")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def delivered(error: KafkaError | None, _message: Message) -> None:
            loop.call_soon_threadsafe(_settle, done, error)

        more: dict[str, Any] = {} if timestamp_ms is None else {"timestamp": timestamp_ms}
        try:
            try:
                self._producer.produce(topic, value=value, key=key, on_delivery=delivered, **more)
            except KafkaException as error:
                if not self._replaced(self._producer, error):
                    raise
                self._producer.produce(topic, value=value, key=key, on_delivery=delivered, **more)
        except (KafkaException, BufferError) as error:
            raise KsqlError(f"Failed to insert values: {error}.") from None
        self._waiting += 1
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll(), name="ksql-insert-poll")
        done.add_done_callback(self._over)
        return done

    def _over(self, done: asyncio.Future[None]) -> None:
        self._waiting -= 1
        if not done.cancelled():
            # Heard here as well: whoever inserted it may have gone.
            done.exception()

    async def _poll(self) -> None:
        """While rows are under way."""
        while self._waiting:
            for producer in (*self._ended, self._producer):
                try:
                    await asyncio.to_thread(producer.poll, _POLL_S)
                except KafkaException as error:
                    self._replaced(producer, error)
            self._ended = [each for each in self._ended if len(each)]

    def _replaced(self, producer: Producer, error: KafkaException) -> bool:
        """After a fatal error an idempotent producer takes nothing more, whatever becomes of the error's cause."""
        reason = error.args[0]
        if producer is not self._producer or not (reason.fatal() or reason.code() == KafkaError._FATAL):
            return False
        try:
            fresh = make_client(Producer, self._settings)
        except ConfigError as refusal:
            _log.error("producer cannot be replaced reason=%s", refusal)
            return False
        _log.warning("producer is replaced after a fatal error reason=%s", reason.str())
        self._producer = fresh
        producer.purge(blocking=False)
        self._ended.append(producer)
        return True

    async def close(self) -> None:
        with suppress(KafkaException):
            await asyncio.to_thread(self._producer.flush, 5.0)


def encoded_row(
    source: DataSource, key: Mapping[str, Any] | None, value: Mapping[str, Any] | None, registry: RegistryAccess | None
) -> tuple[bytes | None, bytes | None]:
    """As a record; may ask the registry, and blocks. KsqlError."""
    try:
        keys, values = open_codec(key_codec(source, {}), registry), open_codec(value_codec(source, {}), registry)
        return (
            keys.encode(None if key is None else dict(key)),
            values.encode(None if value is None else dict(value)),
        )
    except (CodecError, RegistryRefusal, RegistryError) as error:
        raise KsqlError(f"Failed to insert values into '{source.name}'. {error}") from None


def _settle(done: asyncio.Future[None], error: KafkaError | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(KsqlError(f"Failed to insert values: {error.str()}."))
