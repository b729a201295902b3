"""Who shares an answer with whom."""

from __future__ import annotations

import asyncio
import gc

import pytest

from riacho.single_writer.errors import LogTimeout
from riacho.single_writer.shared_answer import SharedAnswer


def test_those_who_come_while_a_question_is_under_way_share_the_next() -> None:
    async def scenario() -> None:
        gates = [asyncio.Event(), asyncio.Event()]
        sent = 0

        async def question() -> int:
            nonlocal sent
            sent += 1
            number = sent
            await gates[number - 1].wait()
            return number

        shared = SharedAnswer(question)
        early = asyncio.create_task(shared.ask())
        while sent == 0:
            await asyncio.sleep(0)
        late = [asyncio.create_task(shared.ask()) for _ in range(5)]
        gates[0].set()
        assert await early == 1
        gates[1].set()
        assert await asyncio.gather(*late) == [2] * 5
        assert sent == 2

    asyncio.run(scenario())


def test_a_failure_is_shared_and_the_next_question_is_a_new_one() -> None:
    async def scenario() -> None:
        answers: list[int] = []

        async def question() -> int:
            if not answers:
                raise LogTimeout("not now")
            return answers[0]

        shared = SharedAnswer(question)
        with pytest.raises(LogTimeout):
            await shared.ask()
        answers.append(7)
        assert await shared.ask() == 7

    asyncio.run(scenario())


def test_a_failure_that_nobody_waits_for_any_more_is_not_complained_about() -> None:
    complaints: list[object] = []

    async def scenario() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        gate = asyncio.Event()

        async def question() -> int:
            await gate.wait()
            raise LogTimeout("not now")

        asker = asyncio.create_task(SharedAnswer(question).ask())
        await asyncio.sleep(0)
        asker.cancel()
        await asyncio.gather(asker, return_exceptions=True)
        gate.set()
        for _ in range(5):
            await asyncio.sleep(0)
        del asker
        gc.collect()

    asyncio.run(scenario())
    assert complaints == []
