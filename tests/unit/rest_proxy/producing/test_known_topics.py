"""What the proxy remembers of topics, against a client that says what it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from riacho.rest_proxy.producing import topics as module
from riacho.rest_proxy.producing.topics import Topics
from riacho.web.errors import ApiError


class Client:
    """Answers with one after the other of its answers: a number of partitions, or an error; the last one for ever."""

    def __init__(self, *answers: int | KafkaError | KafkaException) -> None:
        self.answers = list(answers)
        self.asked = 0

    def list_topics(self, topic: str, timeout: float) -> Any:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, KafkaException):
            raise answer
        error = answer if isinstance(answer, KafkaError) else None
        partitions = {} if isinstance(answer, KafkaError) else dict.fromkeys(range(answer))
        return SimpleNamespace(topics={topic: SimpleNamespace(partitions=partitions, error=error)})


UNKNOWN = KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
COMING = KafkaError(KafkaError.LEADER_NOT_AVAILABLE)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSES_S", (0.0, 0.0))


def run(client: Client, act: Callable[[Topics], Coroutine[Any, Any, Any]]) -> Any:
    async def acting() -> Any:
        topics = Topics(lambda: client, timeout_ms=1_000)
        try:
            return await act(topics)
        finally:
            topics.close()

    return asyncio.run(acting())


def test_what_is_known_is_not_asked_again() -> None:
    client = Client(3)

    async def twice(topics: Topics) -> list[int | None]:
        return [await topics.partition_count("t"), await topics.partition_count("t")]

    assert run(client, twice) == [3, 3]
    assert client.asked == 1


def test_those_who_ask_together_ask_once() -> None:
    client = Client(3)

    async def together(topics: Topics) -> list[int | None]:
        return await asyncio.gather(*(topics.partition_count("t") for _ in range(20)))

    assert run(client, together) == [3] * 20
    assert client.asked == 1


def test_a_partition_that_is_not_known_is_asked_for() -> None:
    client = Client(1, 4)

    async def grown(topics: Topics) -> list[int | None]:
        return [await topics.partition_count("t"), await topics.partition_count("t", at_least=4)]

    assert run(client, grown) == [1, 4]


def test_a_topic_that_was_forgotten_is_asked_for() -> None:
    client = Client(1, UNKNOWN)

    async def gone(topics: Topics) -> list[int | None]:
        first = await topics.partition_count("t")
        topics.forget("t")
        return [first, await topics.partition_count("t")]

    assert run(client, gone) == [1, None]


@pytest.mark.parametrize("first", [UNKNOWN, COMING])
def test_a_topic_that_a_broker_creates_is_waited_for(first: KafkaError) -> None:
    client = Client(first, first, 1)
    assert run(client, lambda topics: topics.partition_count("t")) == 1
    assert client.asked == 3


def test_a_topic_that_is_not_there_is_not_remembered() -> None:
    client = Client(UNKNOWN, UNKNOWN, UNKNOWN, 2)

    async def twice(topics: Topics) -> list[int | None]:
        return [await topics.partition_count("t"), await topics.partition_count("t")]

    assert run(client, twice) == [None, 2]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED), 40301),
        (KafkaException(KafkaError(KafkaError._TRANSPORT)), 50302),
        (COMING, 40404),
    ],
)
def test_trouble_is_told(answer: KafkaError | KafkaException, code: int) -> None:
    with pytest.raises(ApiError) as told:
        run(Client(answer), lambda topics: topics.partition_count("t"))
    assert told.value.error_code == code


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b", "ção", "x" * 250, "a b", "a\n"])
def test_what_cannot_be_a_topic_is_not_asked_for(name: str) -> None:
    client = Client(1)
    with pytest.raises(ApiError) as told:
        run(client, lambda topics: topics.partition_count(name))
    assert (told.value.status, told.value.error_code) == (400, 40002)
    assert client.asked == 0


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOPICS_MAX", 3)

    client = Client(1)

    async def many(topics: Topics) -> tuple[int, int, int]:
        asked = []
        for numbers in (range(10), range(7, 10), range(1)):
            for number in numbers:
                await topics.partition_count(f"t{number}")
            asked.append(client.asked)
        return asked[0], asked[1], asked[2]

    assert run(client, many) == (10, 10, 11)
