from __future__ import annotations

import asyncio
import gc

from riacho.client.tasks import Tasks


def test_tasks_are_held_until_they_end() -> None:
    async def scenario() -> None:
        tasks: Tasks[None] = Tasks()
        go = asyncio.Event()
        ended: list[str] = []

        async def work() -> None:
            await go.wait()
            ended.append("work")

        tasks.start(work(), name="work")
        gc.collect()
        await asyncio.sleep(0)
        assert [task.get_name() for task in tasks] == ["work"]
        await tasks.wait(timeout_s=0)
        assert (len(tasks), ended) == (1, [])
        go.set()
        await tasks.wait()
        assert ended == ["work"]
        await asyncio.sleep(0)
        assert len(tasks) == 0

    asyncio.run(scenario())


def test_waiting_is_not_disturbed_by_how_they_end() -> None:
    async def scenario() -> None:
        tasks: Tasks[None] = Tasks()

        async def fail() -> None:
            raise ValueError("no")

        failed = tasks.start(fail())
        cancelled = tasks.add(asyncio.create_task(asyncio.Event().wait()))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        tasks.cancel()
        await tasks.wait()
        assert isinstance(failed.exception(), ValueError)
        assert cancelled.cancelled()
        await asyncio.sleep(0)
        await tasks.wait()

    asyncio.run(scenario())
