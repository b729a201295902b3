"""A task that is told to end while what it waits for happens: it ends.

Until Python 3.12 `asyncio.wait_for` keeps such a cancellation to itself when the thing it waits for is done in the same
turn of the loop, and a loop around it then never ends: the broker would hang while it stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.controller_channel import wait_briefly
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from support.lifecycle_world import LifecycleWorld


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


class LettingIn:
    """A controller that lets the broker in with its first heartbeat."""

    async def send(self, request: Any, *, timeout_ms: int) -> BrokerHeartbeatResponse:
        return BrokerHeartbeatResponse(is_fenced=False)


def test_heartbeats_end_though_there_is_something_to_tell() -> None:
    async def scenario() -> None:
        lifecycle = LifecycleWorld(LettingIn()).lifecycle
        lifecycle.start()
        await lifecycle.unfenced()
        # Far enough for the loop to be asleep until its next heartbeat.
        for _ in range(5):
            await asyncio.sleep(0)
        lifecycle.wake()
        # The wait sees the event in this turn, and the end before the next.
        await asyncio.sleep(0)
        await lifecycle.close()

    run(scenario())


@pytest.mark.parametrize("turns", range(4))
def test_a_pause_ends_with_its_task(turns: int) -> None:
    async def scenario() -> None:
        event = asyncio.Event()
        task = asyncio.ensure_future(wait_briefly(event, 60_000))
        for _ in range(3):
            await asyncio.sleep(0)
        event.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()

    run(scenario())


def test_a_pause_ends_with_its_time() -> None:
    run(wait_briefly(asyncio.Event(), 1))


@pytest.mark.parametrize("turns", range(4))
def test_waiting_for_an_image_ends_with_its_task(turns: int) -> None:
    async def scenario() -> None:
        metadata = MetadataCache(BrokerConfig(), MetadataImage(cluster_id="c"))
        task = asyncio.ensure_future(metadata.until(lambda image: image.end_offset > 0, 60_000))
        for _ in range(3):
            await asyncio.sleep(0)
        metadata.publish(MetadataImage(cluster_id="c", end_offset=1))
        for _ in range(turns):
            await asyncio.sleep(0)
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()

    run(scenario())
