"""Where reads of a cluster begin and end, asked of it for many at a time.

A thousand pages that open the same topic together ask the same, and one answer is for all of them. Those that ask
something else wait in a line, so that they do not take all the room that the console has for questions to a cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from riacho.console.messages.limits import PLANS_MAX, PLANS_WAITING_MAX
from riacho.console.messages.ranges import Plan, Start
from riacho.single_writer.shared_answer import SharedAnswer
from riacho.web.errors import ApiError


class WantedPlan(NamedTuple):
    topic: str
    partitions: tuple[int, ...] | None
    start: Start
    committed_only: bool


class _Question:
    def __init__(self, answer: SharedAnswer[Plan]) -> None:
        self.answer = answer
        self.callers = 0


class Plans:
    def __init__(self, ask: Callable[[WantedPlan], Awaitable[Plan]], wait_s_max: float) -> None:
        """`ask` may raise ApiError. `wait_s_max`: how long a question waits for its turn."""
        self._ask = ask
        self._wait_s_max = wait_s_max
        self._questions: dict[WantedPlan, _Question] = {}
        self._turns = asyncio.Semaphore(PLANS_MAX)
        self._waiting = 0

    async def plan(self, wanted: WantedPlan) -> Plan:
        """As it is now or a moment later, never as it was before this call. ApiError."""
        question = self._questions.get(wanted)
        if question is None:
            question = self._questions[wanted] = _Question(SharedAnswer(lambda: self._in_turn(wanted)))
        question.callers += 1
        try:
            return await question.answer.ask()
        finally:
            question.callers -= 1
            if not question.callers:
                del self._questions[wanted]

    async def _in_turn(self, wanted: WantedPlan) -> Plan:
        """Questions wait on when their callers have gone: how many of them do is counted here."""
        if self._waiting >= PLANS_WAITING_MAX:
            raise _too_many()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._wait_s_max):
                await self._turns.acquire()
        except TimeoutError:
            raise _too_many() from None
        finally:
            self._waiting -= 1
        try:
            return await self._ask(wanted)
        finally:
            self._turns.release()


def _too_many() -> ApiError:
    message = "Too many wait to read from this cluster already; try again later."
    return ApiError(503, 50301, message, headers={"Retry-After": "1"})
