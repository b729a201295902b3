"""Topics that come into being by being asked for: those of clients, where that is allowed, and the brokers' own.

The request goes to the controller like any other. This node's image may lag behind the answer, so whoever asked waits
until it shows the topic, for a moment; a client that comes too early asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.topic_names import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from riacho.metadata.partitions.internal_topics import auto_created, offsets_topic, share_state_topic, transaction_topic
from riacho.metadata.partitions.topic_creation import PARTITIONS_MAX_PER_REQUEST, partitions_asked_for
from riacho.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse

if TYPE_CHECKING:
    from riacho.broker.quorum.controller_channel import ControllerChannel
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.metadata.image.image import MetadataImage

_IMAGE_WAIT_MS = 1_000
# One request may name thousands: the loop goes round in between.
_TOPICS_AT_ONCE = 250


class AutoTopics:
    def __init__(self, metadata: MetadataCache, channel: ControllerChannel) -> None:
        self._metadata = metadata
        self._channel = channel

    @property
    def image(self) -> MetadataImage:
        return self._metadata.image

    async def create(self, names: Iterable[str]) -> list[CreatableTopicResult]:
        count = len(self.image.active_brokers())
        values = self._metadata.values
        topics = [auto_created(name, values, count) for name in names]
        whole = CreateTopicsRequest(topics=topics, timeout_ms=30_000)
        if partitions_asked_for(whole, values) > PARTITIONS_MAX_PER_REQUEST:
            raise KafkaError(ErrorCode.POLICY_VIOLATION, "Excessively large number of partitions per request.")
        results: list[CreatableTopicResult] = []
        for start in range(0, len(topics), _TOPICS_AT_ONCE):
            whole.topics = topics[start : start + _TOPICS_AT_ONCE]
            response: CreateTopicsResponse = await self._channel.ask(whole)
            results += response.topics
            await asyncio.sleep(0)
        made = [topic.name for topic in results if topic.error_code == ErrorCode.NONE]
        await self._metadata.until(lambda image: all(name in image.topics for name in made), _IMAGE_WAIT_MS)
        return results

    async def ensure_offsets_topic(self) -> None:
        """KafkaError COORDINATOR_NOT_AVAILABLE when it cannot be made (too few brokers for a factor that was set)."""
        await self._ensure(CONSUMER_OFFSETS, offsets_topic(self._metadata.values, len(self.image.active_brokers())))

    async def ensure_transaction_topic(self) -> None:
        """As `ensure_offsets_topic`."""
        topic = transaction_topic(self._metadata.values, len(self.image.active_brokers()))
        await self._ensure(TRANSACTION_STATE, topic)

    async def ensure_share_state_topic(self) -> None:
        """As `ensure_offsets_topic`."""
        topic = share_state_topic(self._metadata.values, len(self.image.active_brokers()))
        await self._ensure(SHARE_GROUP_STATE, topic)

    async def _ensure(self, name: str, topic: CreatableTopic) -> None:
        if name in self.image.topics:
            return
        try:
            response: CreateTopicsResponse = await self._channel.ask(
                CreateTopicsRequest(topics=[topic], timeout_ms=30_000)
            )
        except KafkaError as error:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, error.detail) from error
        result = response.topics[0]
        if result.error_code not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, result.error_message or "")
        if not await self._metadata.until(lambda image: name in image.topics, _IMAGE_WAIT_MS):
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{name} is not here yet")
