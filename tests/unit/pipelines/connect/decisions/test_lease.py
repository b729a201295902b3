"""A leader asks again whether it leads before it writes what nobody would refuse, and believes it for a moment only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from riacho.pipelines.connect.decisions.jobs import Jobs, Need, Report, State
from riacho.pipelines.connect.decisions.lease import LEASE_S, Lease
from riacho.pipelines.connect.records import TargetState
from riacho.pipelines.connect.stores.source_offsets import SourceOffsets
from riacho.pipelines.connect.stores.status_writer import StatusWriter
from riacho.pipelines.connect.stores.statuses import Statuses
from riacho.single_writer.errors import LogTimeout, NotLeader


class ReplicatedLog:
    def __init__(self) -> None:
        self.is_leader = True
        self.asked = 0
        self.trouble: Exception | None = None

    async def change(self, decide: Callable[[], Any]) -> Any:
        self.asked += 1
        if self.trouble is not None:
            raise self.trouble
        return decide().reply


class Store:
    def __init__(self) -> None:
        self.written: dict[bytes, bytes | None] = {}

    async def put(self, topic: str, changes: list[tuple[bytes, bytes | None]]) -> None:
        self.written.update(changes)


def test_it_is_believed_for_a_moment() -> None:
    now_s = [0.0]
    replicated_log = ReplicatedLog()
    lease = Lease(lambda: now_s[0])
    lease.writer = cast(Any, replicated_log)

    async def check() -> None:
        await lease.confirm()
        now_s[0] = LEASE_S * 0.9
        await lease.confirm()
        assert replicated_log.asked == 1
        now_s[0] = LEASE_S * 1.1
        await lease.confirm()
        assert replicated_log.asked == 2
        replicated_log.trouble = NotLeader("no")
        await lease.confirm()
        # The process stood still: what was believed before counts no longer.
        now_s[0] += 60
        with pytest.raises(NotLeader):
            await lease.confirm()

    asyncio.run(check())


def test_who_was_deposed_writes_nothing_and_who_cannot_tell_waits() -> None:
    async def check() -> None:
        replicated_log, store = ReplicatedLog(), Store()
        lease = Lease()
        lease.writer = cast(Any, replicated_log)
        kept = StatusWriter(
            cast(Any, store),
            Statuses(),
            SourceOffsets(),
            cast(Any, store),
            status_topic="status",
            offsets_topic="offsets",
            confirm=lease.confirm,
        )
        replicated_log.trouble = LogTimeout("The brokers do not answer.")
        kept.report(Report("a", 1, State.RUNNING, 1, State.RUNNING))
        await kept.flush()
        assert store.written == {}
        replicated_log.trouble = None
        kept.report(Report("b", 1, State.RUNNING, 1, State.RUNNING))
        await kept.flush()
        assert {b"status-connector-a", b"status-connector-b"} <= store.written.keys()
        lease.end()
        replicated_log.trouble = NotLeader("another one leads")
        kept.report(Report("c", 1, State.RUNNING, 1, State.RUNNING))
        await kept.flush()
        replicated_log.trouble = None
        kept.report(Report("d", 1, State.RUNNING, 1, State.RUNNING))
        await kept.flush()
        assert b"status-connector-d" in store.written
        assert b"status-connector-c" not in store.written

    asyncio.run(check())


def test_a_state_of_an_earlier_generation_comes_too_late() -> None:
    statuses = Statuses()
    new, old = (
        statuses.reported(Report("a", generation, state, 1, state), worker, None)
        for generation, state, worker in ((5, State.RUNNING, "new:1"), (4, State.RESTARTING, "old:1"))
    )
    for key, value in (*new, *old):
        statuses.apply(key, value)
    assert statuses.connectors["a"].worker_id == statuses.tasks["a"][0].worker_id == "new:1"
    for key, _ in new:
        statuses.apply(key, None)
    assert not statuses.connectors
    assert not statuses.tasks


def test_what_a_new_leader_says_of_what_rests_is_no_older_than_what_is_known() -> None:
    jobs = Jobs(generation=7)
    assert jobs.want({"a": Need({}, TargetState.PAUSED)}, 0) == [Report("a", 7, State.PAUSED, None, State.PAUSED)]
