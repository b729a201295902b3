"""Which topics there are and how many partitions they have, remembered for a while.

So a call for a topic that does not exist is answered at once. librdkafka alone would wait, as a topic may be on its
way; asking for it by name creates it where the brokers are set to, and then it is there when asked again.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin._metadata import ClusterMetadata

from riacho.base.lru_cache import LruCache
from riacho.rest_proxy.kafka_errors import api_error
from riacho.web.errors import ApiError

_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_KEPT_S = 30.0
_TOPICS_MAX = 10_000
_THREADS_MAX = 4
# A broker that creates the topic says unknown first; then these are the pauses before it is asked again.
_PAUSES_S = (0.1, 0.3, 0.6)
_ABSENT = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)
_COMING = (*_ABSENT, KafkaError.LEADER_NOT_AVAILABLE)


class Lister(Protocol):
    """What of a Kafka client is needed here."""

    def list_topics(self, topic: str, timeout: float) -> ClusterMetadata: ...


class Topics:
    def __init__(self, client: Callable[[], Lister], timeout_ms: int) -> None:
        self._client = client
        self._timeout_s = timeout_ms / 1000
        self._counts: LruCache[str, tuple[int, float]] = LruCache(_TOPICS_MAX)
        self._asking: dict[str, asyncio.Task[int | None]] = {}
        self._threads = ThreadPoolExecutor(_THREADS_MAX, thread_name_prefix="topics")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def partition_count(self, name: str, *, at_least: int = 0) -> int | None:
        """None when there is no such topic. Asks anew where fewer partitions are known than `at_least`."""
        known = self._counts.get(name)
        now = time.monotonic()
        if known is not None and known[1] > now and known[0] >= at_least:
            return known[0]
        check_name(name)
        task = self._asking.get(name)
        if task is None:
            task = self._asking[name] = asyncio.ensure_future(self._ask(name))
        return await asyncio.shield(task)

    def forget(self, name: str) -> None:
        self._counts.pop(name)

    async def _ask(self, name: str) -> int | None:
        try:
            count = await self._patiently(name)
        finally:
            del self._asking[name]
        if count is None:
            self._counts.pop(name)
            return None
        self._counts.put(name, (count, time.monotonic() + _KEPT_S))
        return count

    async def _patiently(self, name: str) -> int | None:
        for pause_s in (*_PAUSES_S, None):
            count, error = await self._once(name)
            if error is None:
                return count
            if error.code() not in _COMING or (pause_s is None and error.code() not in _ABSENT):
                raise api_error(error)
            if pause_s is not None:
                await asyncio.sleep(pause_s)
        return None

    async def _once(self, name: str) -> tuple[int, KafkaError | None]:
        loop = asyncio.get_running_loop()
        ask = self._client().list_topics
        try:
            found = await loop.run_in_executor(self._threads, ask, name, self._timeout_s)
        except KafkaException as error:
            raise api_error(error) from None
        topic = found.topics[name]
        return len(topic.partitions), topic.error


def check_name(name: str) -> None:
    """Before it reaches C, where a name ends at its first NUL."""
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise ApiError(400, 40002, "The request attempted to perform an operation on an invalid topic.")
