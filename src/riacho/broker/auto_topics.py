"""Topics that come into being by being asked for: those of clients, where that is allowed, and the brokers' own.

The request goes to the controller like any other. This node's image may lag behind the answer, so whoever asked waits
until it shows the topic, for a moment; a client that comes too early asks again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.internal_topics import auto_created, offsets_topic
from riacho.metadata.topic_names import CONSUMER_OFFSETS
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse

if TYPE_CHECKING:
    from riacho.broker.controller_channel import ControllerChannel
    from riacho.broker.metadata_cache import MetadataCache
    from riacho.metadata.image import MetadataImage

_IMAGE_WAIT_MS = 1_000


class AutoTopics:
    def __init__(self, metadata: MetadataCache, channel: ControllerChannel) -> None:
        self._metadata = metadata
        self._channel = channel

    @property
    def image(self) -> MetadataImage:
        return self._metadata.image

    async def create(self, names: Iterable[str]) -> list[CreatableTopicResult]:
        count = len(self.image.active_brokers())
        topics = [auto_created(name, self._metadata.values, count) for name in names]
        response: CreateTopicsResponse = await self._channel.ask(CreateTopicsRequest(topics=topics, timeout_ms=30_000))
        made = [topic.name for topic in response.topics if topic.error_code == ErrorCode.NONE]
        await self._metadata.until(lambda image: all(name in image.topics for name in made), _IMAGE_WAIT_MS)
        return response.topics

    def offsets_topic_ready(self) -> bool:
        return CONSUMER_OFFSETS in self.image.topics

    async def ensure_offsets_topic(self) -> None:
        """KafkaError COORDINATOR_NOT_AVAILABLE when it cannot be made (too few brokers for a factor that was set)."""
        if self.offsets_topic_ready():
            return
        topic = offsets_topic(self._metadata.values, len(self.image.active_brokers()))
        try:
            response: CreateTopicsResponse = await self._channel.ask(
                CreateTopicsRequest(topics=[topic], timeout_ms=30_000)
            )
        except KafkaError as error:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, error.detail) from error
        result = response.topics[0]
        if result.error_code not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, result.error_message or "")
        if not await self._metadata.until(lambda image: CONSUMER_OFFSETS in image.topics, _IMAGE_WAIT_MS):
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the offsets topic is not here yet")
