"""Leading and resting follow who leads, whatever else the leader is about."""

from __future__ import annotations

import asyncio

import pytest

from riacho.pipelines.sql.server import leadership
from riacho.pipelines.sql.server.leadership import Leadership


class Log:
    is_leader = False


def test_who_leads_no_longer_rests_though_a_task_of_the_leader_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership, "_LOOK_S", 0)
    log, told = Log(), []

    async def story() -> None:
        begun, ended, rested = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def task() -> None:
            told.append("task")
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        def rest() -> None:
            told.append("rest")
            rested.set()

        watching = asyncio.create_task(Leadership(log, lambda: told.append("lead"), rest, task).watch())
        async with asyncio.timeout(30):
            log.is_leader = True
            await begun.wait()
            log.is_leader = False
            await rested.wait()
            await ended.wait()
            begun.clear()
            log.is_leader = True
            await begun.wait()
            ended.clear()
            watching.cancel()
            await ended.wait()

    asyncio.run(story())
    assert told == ["lead", "task", "rest", "lead", "task"]
