"""Heartbeats go on whatever happens: a broker that is silent is fenced, and one that stays silent never comes back."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from riacho.broker.config import BrokerConfig
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.log.real_files import REAL_FILES
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from support.broker_fakes import SetClock, recorded_logs


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
        logs, _, _ = recorded_logs()
        broker: Any = SimpleNamespace(
            node_id=1,
            config=BrokerConfig({}),
            clock=SetClock(),
            logs=logs,
            new_uuid=lambda: b"i" * 16,
            controller_channel=controller,
            metadata=SimpleNamespace(image=MetadataImage(cluster_id="c", end_offset=43)),
            files=REAL_FILES,
            directories=SimpleNamespace(
                offline_ids=list, offline={}, on_offline=[], directories=[], previous_broker_epoch=lambda: -1
            ),
        )
        lifecycle = BrokerLifecycle(broker)
        lifecycle.epoch = 40
        lifecycle.serve()
        lifecycle.start()
        await asyncio.wait_for(lifecycle.unfenced(), 5)
        assert controller.asked == 2
        await lifecycle.close()

    asyncio.run(scenario())
