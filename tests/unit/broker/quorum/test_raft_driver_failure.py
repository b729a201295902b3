"""A core that fails in a way that nobody foresaw: the node must not live on without it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.raft_driver import RaftDriver
from riacho.broker.quorum.raft_listener import RaftListener
from riacho.client.client_security import ClientSecurity
from riacho.raft import effects, events
from riacho.raft.voters import VoterSet
from support.broker_fakes import SetClock, recorded_logs


class Core:
    epoch, leader_id, is_leader, kraft_version = 7, 2, True, 0
    voters = VoterSet.parse("1@h:1,2@h:2,3@h:3")

    def __init__(self, outcome: list[Any] | Exception) -> None:
        self._outcome = outcome

    def step(self, event: Any, now_ms: int) -> list[Any]:
        if isinstance(event, events.Tick):
            if isinstance(self._outcome, Exception):
                raise self._outcome
            return self._outcome
        return []

    def next_deadline_ms(self) -> int | None:
        return None


def refuse(offset: int) -> None:
    raise ValueError(f"no image at {offset}")


@pytest.mark.parametrize(
    "outcome", [AssertionError("the leader diverges below the high watermark"), [effects.HighWatermark(9)]]
)
def test_an_unforeseen_failure_ends_the_node_instead_of_leaving_it_deaf(outcome: Any) -> None:
    async def scenario() -> None:
        logs, _, _ = recorded_logs()
        core: Any = Core(outcome)
        nothing: Any = None
        told: list[KafkaError] = []
        changed: list[int] = []
        listener = RaftListener(
            on_committed=refuse,
            on_snapshot=lambda: None,
            on_leader_changed=lambda leader, epoch: changed.append(leader),
            on_broken=told.append,
        )
        driver = RaftDriver(core, nothing, nothing, SetClock(), logs, "raft-1", ClientSecurity(), listener)
        driver.start(asyncio.get_running_loop())
        assert [error.code for error in told] == [ErrorCode.UNKNOWN_SERVER_ERROR]
        assert changed == [-1]
        assert not driver.is_leader

    asyncio.run(scenario())
