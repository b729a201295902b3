"""Rows that statements insert: one idempotent producer, each row confirmed by the brokers before it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.web.kafka_client import make_client
from riacho.web.lasting_producer import LastingProducer

_POLL_S = 0.001
_FLUSH_S = 5.0


class Inserter:
    """At most `waiting_max` rows are under way: more are refused."""

    def __init__(self, client: Mapping[str, Any], waiting_max: int = 10_000) -> None:
        settings = {**client, "enable.idempotence": True, "linger.ms": 0}
        self._producer = LastingProducer(lambda: make_client(Producer, settings))
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
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def delivered(error: KafkaError | None, _message: Message) -> None:
            if not done.done():
                _settle(done, None if error is None else self._producer.reason(error))

        more: dict[str, Any] = {} if timestamp_ms is None else {"timestamp": timestamp_ms}
        self._producer.renew()
        try:
            self._producer.current.produce(topic, value=value, key=key, on_delivery=delivered, **more)
        except BufferError as error:
            raise _failure(str(error)) from None
        except KafkaException as error:
            raise _failure(self._producer.refusal(error).str()) from None
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
            await asyncio.sleep(_POLL_S)
            self._producer.take_reports()

    async def close(self) -> None:
        if self._polling is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._polling, _FLUSH_S)
        self._producer.purge()


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
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(_failure(error.str()))


def _failure(reason: str) -> KsqlError:
    return KsqlError(f"Failed to insert values: {reason}.")
