"""An answer that comes later reaches its one listener once, and nobody when the peer is gone."""

from __future__ import annotations

import asyncio
import warnings
from functools import partial

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Later, Outcome, mapped, settled


def test_the_listener_is_called_at_once() -> None:
    got: list[Outcome[str]] = []
    later: Later[str] = Later()
    later.then(got.append)
    later.resolve("answer")
    later.resolve("another")
    assert got == ["answer"]


def test_an_early_answer_waits_for_its_listener() -> None:
    got: list[Outcome[str]] = []
    later: Later[str] = Later()
    assert later.now() is later
    later.resolve("answer")
    assert later.now() == "answer"
    later.then(got.append)
    assert got == ["answer"]


def test_an_abandoned_reply_calls_its_hook_and_no_listener() -> None:
    got: list[Outcome[str]] = []
    hooks: list[str] = []
    later: Later[str] = Later(on_abandon=lambda: hooks.append("cancelled"))
    later.then(got.append)
    later.abandon()
    later.abandon()
    later.resolve("too late")
    later.then(got.append)
    assert (got, hooks) == ([], ["cancelled"])


def test_another_promise_may_take_its_place() -> None:
    async def main() -> str:
        first: Later[str] = Later()
        second: Later[str] = Later()
        waiting = asyncio.ensure_future(settled(first))
        await asyncio.sleep(0)
        first.resolve(second)
        await asyncio.sleep(0)
        assert not waiting.done()
        second.resolve("answer")
        return await waiting

    assert asyncio.run(main()) == "answer"


async def _answered() -> str:
    await asyncio.sleep(0)
    return "answer"


async def _refused() -> str:
    await asyncio.sleep(0)
    raise KafkaError(ErrorCode.NOT_CONTROLLER)


def test_a_coroutine_is_begun_by_who_hears_of_its_failure() -> None:
    async def main() -> list[Outcome[str]]:
        got: list[Outcome[str]] = []
        for work in (_answered(), _refused()):
            later = Later.of(work)
            assert not later.is_begun
            later.begin(partial(_resolve, later))
            later.then(got.append)
        for _ in range(4):
            await asyncio.sleep(0)
        return got

    assert asyncio.run(main()) == ["answer", repr(KafkaError(ErrorCode.NOT_CONTROLLER))]


def _resolve(later: Later[str], task: asyncio.Task[str]) -> None:
    error = task.exception()
    later.resolve(task.result() if error is None else repr(error))


def test_an_abandoned_coroutine_is_cancelled_and_its_end_is_told() -> None:
    async def main() -> None:
        got: list[Outcome[str]] = []
        finished: list[bool] = []
        later = Later.of(_answered())
        later.begin(lambda task: finished.append(task.cancelled()))
        later.then(got.append)
        later.abandon()
        for _ in range(4):
            await asyncio.sleep(0)
        assert (got, finished) == ([], [True])

    asyncio.run(main())


def test_a_coroutine_that_nobody_begins_is_closed_when_it_is_abandoned() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Later.of(_answered()).abandon()


def test_the_error_of_a_coroutine_is_raised_where_its_answer_is_awaited() -> None:
    assert asyncio.run(settled(Later.of(_answered()))) == "answer"
    with pytest.raises(KafkaError):
        asyncio.run(settled(Later.of(_refused())))


def test_an_answer_is_changed_as_early_as_it_is_there() -> None:
    def lengthened(answer: str) -> int:
        return len(answer)

    assert mapped("answer", lengthened) == 6
    assert asyncio.run(settled(mapped(Later.of(_answered()), lengthened))) == 6
    got: list[Outcome[int]] = []
    first: Later[str] = Later()
    second: Later[str] = Later()
    changed = mapped(first, lengthened)
    assert isinstance(changed, Later)
    changed.then(got.append)
    first.resolve("answer")
    assert got == [6]
    changed = mapped(second, lengthened)
    assert isinstance(changed, Later)
    changed.abandon()
    assert second.done
