"""All consumer instances of this proxy: bounded in number, closed when nobody has used them for long.

Also here, since it too happens from time to time: subscriptions by pattern are compared with the topics that there are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from riacho.client.tasks import Tasks
from riacho.rest_proxy.config import ProxyConfig
from riacho.rest_proxy.consumers.errors import already_exists, instance_not_found, too_many
from riacho.rest_proxy.consumers.instance import ConsumerInstance, now_ms
from riacho.rest_proxy.consumers.instance_config import CreateConsumer, InstanceConfig, instance_config
from riacho.web.errors import ApiError

logger = logging.getLogger(__name__)

_SWEEP_S = 1.0
_PATTERNS_EVERY_SWEEPS = 5
_STOP_S = 10.0

Key = tuple[str, str]


class ConsumerInstances:
    """`topic_names` tells what topics there are. `clock_ms` is given by tests."""

    def __init__(
        self,
        config: ProxyConfig,
        topic_names: Callable[[], Awaitable[list[str]]],
        *,
        clock_ms: Callable[[], int] = now_ms,
    ) -> None:
        self._config = config
        self._topic_names = topic_names
        self._clock_ms = clock_ms
        # None: the name is taken, the consumer is being made.
        self._instances: dict[Key, ConsumerInstance | None] = {}
        self._sweeper: asyncio.Task[None] | None = None
        self._closing: Tasks[None] = Tasks()

    async def start(self) -> None:
        self._sweeper = asyncio.create_task(self._sweep_for_ever())

    async def stop(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        instances = [instance for instance in self._instances.values() if instance is not None]
        self._instances.clear()
        await asyncio.gather(*(instance.close(_STOP_S) for instance in instances), *self._closing)

    def __len__(self) -> int:
        return len(self._instances)

    def wanted(self, group: str, body: CreateConsumer) -> InstanceConfig:
        """The call's body checked."""
        return instance_config(group, body, self._config)

    async def create(self, config: InstanceConfig) -> ConsumerInstance:
        key = (config.group, config.name)
        if key in self._instances:
            raise already_exists()
        if len(self._instances) >= self._config.consumers_max:
            raise too_many("consumer instances", self._config.consumers_max)
        self._instances[key] = None
        try:
            instance = ConsumerInstance(config, call_timeout_s=min(self._config.api_timeout_ms / 1000, 30.0))
            instance.used_ms = self._clock_ms()
            # librdkafka starts threads and reads certificates: a little slow for the loop.
            await asyncio.to_thread(instance.open)
        except BaseException:
            del self._instances[key]
            raise
        self._instances[key] = instance
        logger.info("consumer instance created group=%s instance=%s", config.group, config.name)
        return instance

    def has(self, group: str, name: str) -> bool:
        return (group, name) in self._instances

    @asynccontextmanager
    async def use(self, group: str, name: str) -> AsyncIterator[ConsumerInstance]:
        """The instance; it does not expire meanwhile. 40403 when there is none."""
        instance = self._instances.get((group, name))
        if instance is None:
            raise instance_not_found()
        instance.calls_in_flight += 1
        try:
            yield instance
        finally:
            instance.calls_in_flight -= 1
            instance.used_ms = self._clock_ms()

    async def delete(self, group: str, name: str) -> None:
        instance = self._instances.get((group, name))
        if instance is None:
            raise instance_not_found()
        del self._instances[group, name]
        await instance.close()
        logger.info("consumer instance deleted group=%s instance=%s", group, name)

    # From time to time

    def expire(self) -> list[Key]:
        """Those idle too long are gone when this returns; they close in the background."""
        oldest_ms = self._clock_ms() - self._config.consumer_instance_timeout_ms
        due = {
            key: instance
            for key, instance in self._instances.items()
            if instance is not None and not instance.calls_in_flight and instance.used_ms <= oldest_ms
        }
        for key, instance in due.items():
            del self._instances[key]
            self._closing.start(instance.close())
            logger.info("consumer instance expired group=%s instance=%s", *key)
        return list(due)

    async def refresh_patterns(self) -> None:
        by_pattern = [each for each in self._instances.values() if each is not None and each.is_by_pattern]
        if not by_pattern:
            return
        names = await self._topic_names()
        for instance in by_pattern:
            with suppress(ApiError):
                # Deleted in this moment, or Kafka does not answer: the next round sees.
                if instance.is_by_pattern:
                    await instance.refresh_pattern(names)

    async def _sweep_for_ever(self) -> None:
        sweeps = 0
        while True:
            await asyncio.sleep(_SWEEP_S)
            sweeps += 1
            self.expire()
            if sweeps % _PATTERNS_EVERY_SWEEPS == 0:
                try:
                    await self.refresh_patterns()
                except ApiError as error:
                    logger.warning("topics for subscriptions by pattern are not known: %s", error.message)
