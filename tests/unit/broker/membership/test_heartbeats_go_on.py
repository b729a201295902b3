"""Heartbeats go on whatever happens: a broker that is silent is fenced, and one that stays silent never comes back."""

from __future__ import annotations

import asyncio
from typing import Any

from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from support.lifecycle_world import LifecycleWorld


class Controller:
    """In this process, so that its own failures come out of the call as they are."""

    def __init__(self) -> None:
        self.asked = 0

    async def send(self, request: Any, *, timeout_ms: int = 0) -> Any:
        self.asked += 1
        if self.asked == 1:
            raise AssertionError("the controller failed in a way that nobody foresaw")
        return BrokerHeartbeatResponse(is_fenced=False)


def test_heartbeats_go_on_after_an_unforeseen_failure() -> None:
    async def scenario() -> None:
        controller = Controller()
        lifecycle = LifecycleWorld(controller).lifecycle
        lifecycle.epoch = 40
        lifecycle.serve()
        lifecycle.start()
        await asyncio.wait_for(lifecycle.unfenced(), 5)
        assert controller.asked == 2
        await lifecycle.close()

    asyncio.run(scenario())
