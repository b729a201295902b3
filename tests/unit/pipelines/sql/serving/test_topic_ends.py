"""Ends of topics: asked once for many, and never before somebody who wants to know came."""

from __future__ import annotations

import asyncio

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.serving.topic_ends import Ends, TopicEnds


class Brokers:
    """Answers a question with its number, once it is let go."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._open: list[asyncio.Future[None]] = []

    async def ask(self, topic: str, partitions: int) -> Ends:
        self.asked.append(topic)
        number = len(self.asked)
        gate = asyncio.get_running_loop().create_future()
        self._open.append(gate)
        await gate
        return dict.fromkeys(range(partitions), number)

    async def asked_times(self, times: int) -> None:
        while len(self.asked) < times:
            await asyncio.sleep(0)

    def answer(self, error: Exception | None = None) -> None:
        gate = self._open.pop(0)
        if error is None:
            gate.set_result(None)
        else:
            gate.set_exception(error)


def test_whoever_comes_while_one_is_on_its_way_shares_the_next() -> None:
    async def scene() -> None:
        brokers = Brokers()
        ends = TopicEnds(brokers.ask)
        first = asyncio.create_task(ends.of("a", 2))
        await brokers.asked_times(1)
        later = [asyncio.create_task(ends.of("a", 2)) for _ in range(5)]
        await asyncio.sleep(0)
        brokers.answer()
        assert await first == {0: 1, 1: 1}
        await brokers.asked_times(2)
        brokers.answer()
        assert await asyncio.gather(*later) == [{0: 2, 1: 2}] * 5
        assert brokers.asked == ["a", "a"]

    asyncio.run(scene())


def test_topics_do_not_wait_for_each_other() -> None:
    async def scene() -> None:
        brokers = Brokers()
        ends = TopicEnds(brokers.ask)
        both = [asyncio.create_task(ends.of(topic, 1)) for topic in ("a", "b")]
        await brokers.asked_times(2)
        brokers.answer()
        brokers.answer()
        assert await asyncio.gather(*both) == [{0: 1}, {0: 2}]

    asyncio.run(scene())


def test_a_failure_is_for_those_who_asked() -> None:
    async def scene() -> None:
        brokers = Brokers()
        ends = TopicEnds(brokers.ask)
        first = asyncio.create_task(ends.of("a", 1))
        await brokers.asked_times(1)
        second = asyncio.create_task(ends.of("a", 1))
        await asyncio.sleep(0)
        brokers.answer(KsqlError("No broker answers."))
        with pytest.raises(KsqlError, match="No broker"):
            await first
        await brokers.asked_times(2)
        brokers.answer()
        assert await second == {0: 2}

    asyncio.run(scene())


def test_one_who_goes_away_leaves_the_answer_to_the_others() -> None:
    async def scene() -> None:
        brokers = Brokers()
        ends = TopicEnds(brokers.ask)
        both = [asyncio.create_task(ends.of("a", 1)) for _ in range(2)]
        await brokers.asked_times(1)
        both[0].cancel()
        brokers.answer()
        assert await both[1] == {0: 1}
        with pytest.raises(asyncio.CancelledError):
            await both[0]

    asyncio.run(scene())
