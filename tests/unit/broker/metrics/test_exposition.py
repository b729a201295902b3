"""A scrape of thousands of partitions lets the loop turn, and those who ask at the same time share one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.broker.metrics import exposition, metrics_endpoint
from riacho.broker.metrics.metrics_endpoint import MetricsEndpoint
from support.metrics_node import hosted, node, parts
from support.prometheus import Metrics

PARTITIONS = 2_000


def large_broker() -> Any:
    made = []
    for index in range(PARTITIONS):
        each = hosted(3)
        each.index = index
        made.append(each)
    broker = node({"riacho.metrics.entries.max": str(PARTITIONS)}, is_active=True, **parts())
    broker.replicas.all = lambda: iter(made)
    broker.replicas.partition_count = lambda: PARTITIONS
    broker.node_id = 1
    return broker


def test_the_loop_turns_while_metrics_are_told() -> None:
    broker = large_broker()
    turns = 0
    is_done = False

    async def turn() -> None:
        nonlocal turns
        while not is_done:
            turns += 1
            await asyncio.sleep(0)

    async def run() -> str:
        nonlocal is_done
        turning = asyncio.create_task(turn())
        text = await exposition.render_in_steps(broker)
        is_done = True
        await turning
        return text

    text = asyncio.run(run())
    found = Metrics(text)
    assert len(found.all("kafka_log_log_size")) == PARTITIONS
    assert found.find("riacho_partitions_left_out") == 0
    assert turns >= text.count("\n") // 1_000


def test_scrapes_at_the_same_time_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    renderings = 0

    async def render_in_steps(broker: Any) -> str:
        nonlocal renderings
        renderings += 1
        await asyncio.sleep(0)
        return "up 1\n"

    async def run() -> list[str]:
        broker = node({}, **parts())
        monkeypatch.setattr(metrics_endpoint, "render_in_steps", render_in_steps)
        endpoint = MetricsEndpoint(broker, "127.0.0.1", 0)
        first = await asyncio.gather(*(endpoint.metrics() for _ in range(5)))
        return [*first, await endpoint.metrics()]

    assert asyncio.run(run()) == ["up 1\n"] * 6
    assert renderings == 2
