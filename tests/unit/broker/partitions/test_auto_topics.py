"""Topics made because somebody asked for them, by a controller that may be elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.partitions import auto_topics
from riacho.broker.partitions.auto_topics import AutoTopics
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse
from riacho.wire.messages.topic_record import TopicRecord

OFFSETS = "__consumer_offsets"


class World:
    """The controller's answer and its image come apart, in the order that the test wants."""

    def __init__(self, answer: Callable[[CreateTopicsRequest], Any], **properties: str) -> None:
        config = BrokerConfig({name.replace("_", "."): value for name, value in properties.items()})
        self.metadata = MetadataCache(config, MetadataImage(cluster_id="c"))
        self.asked: list[CreateTopicsRequest] = []
        self._answer = answer
        me: Any = self
        self.topics = AutoTopics(self.metadata, me)

    async def ask(self, request: CreateTopicsRequest, **_: Any) -> Any:
        self.asked.append(request)
        answer = self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def commit(self, *names: str) -> None:
        image = self.metadata.image
        records = [TopicRecord(name=name, topic_id=name.encode()[:16].ljust(16, b"-")) for name in names]
        self.metadata.publish(image.apply(records, image.end_offset + 1))


def made(request: CreateTopicsRequest) -> CreateTopicsResponse:
    return CreateTopicsResponse(topics=[CreatableTopicResult(name=topic.name) for topic in request.topics])


def refused(code: ErrorCode) -> Callable[[CreateTopicsRequest], CreateTopicsResponse]:
    def answer(request: CreateTopicsRequest) -> CreateTopicsResponse:
        told = [CreatableTopicResult(name=t.name, error_code=code, error_message="because") for t in request.topics]
        return CreateTopicsResponse(topics=told)

    return answer


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


async def turn() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_whoever_asked_waits_until_this_node_knows_the_topic() -> None:
    world = World(made)

    async def scenario() -> None:
        task = asyncio.ensure_future(world.topics.create(["a", "b"]))
        await turn()
        world.commit("a")
        await turn()
        assert not task.done()
        world.commit("b")
        assert [(told.name, told.error_code) for told in await task] == [("a", 0), ("b", 0)]

    run(scenario())
    (request,) = world.asked
    assert [(topic.name, topic.num_partitions) for topic in request.topics] == [("a", -1), ("b", -1)], (
        "the controller knows the defaults"
    )


def test_what_was_refused_is_not_waited_for() -> None:
    world = World(refused(ErrorCode.INVALID_TOPIC_EXCEPTION))
    (told,) = run(world.topics.create(["a b"]))
    assert told.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_a_node_that_lags_does_not_keep_the_client_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_topics, "_IMAGE_WAIT_MS", 5)
    world = World(made)
    (told,) = run(world.topics.create(["a"]))
    assert told.error_code == 0, "the client asks for its metadata again"
    with pytest.raises(KafkaError) as raised:
        run(world.topics.ensure_offsets_topic())
    assert raised.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE


@pytest.mark.parametrize("answer", [made, refused(ErrorCode.TOPIC_ALREADY_EXISTS)])
def test_the_offsets_topic_may_be_made_by_another_broker_at_the_same_time(answer: Any) -> None:
    world = World(answer, offsets_topic_num_partitions="3")

    async def scenario() -> None:
        task = asyncio.ensure_future(world.topics.ensure_offsets_topic())
        await turn()
        assert OFFSETS not in world.topics.image.topics
        world.commit(OFFSETS)
        await task
        assert OFFSETS in world.topics.image.topics
        await world.topics.ensure_offsets_topic()

    run(scenario())
    (request,) = world.asked
    assert [(topic.name, topic.num_partitions) for topic in request.topics] == [(OFFSETS, 3)]


@pytest.mark.parametrize(
    "answer", [refused(ErrorCode.INVALID_REPLICATION_FACTOR), lambda _: KafkaError(ErrorCode.NOT_CONTROLLER, "because")]
)
def test_without_the_offsets_topic_there_is_no_coordinator(answer: Any) -> None:
    world = World(answer)
    with pytest.raises(KafkaError, match="because") as raised:
        run(world.topics.ensure_offsets_topic())
    assert raised.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert raised.value.code.retriable
