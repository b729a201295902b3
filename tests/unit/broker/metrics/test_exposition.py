"""A scrape of thousands of partitions lets the loop turn, and those who ask at the same time share one."""

from __future__ import annotations

import asyncio

from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.environment import SystemNetwork
from riacho.broker.metrics.exposition import Exposition
from riacho.broker.metrics.metrics_endpoint import MetricsEndpoint
from riacho.broker.quotas.quotas import Quotas
from support.broker_fakes import FakeBroker, SetClock
from support.metrics_node import FixedLeadership, FixedPartition, broker_parts, exposition, quorum
from support.prometheus import Metrics

PARTITIONS = 2_000


def of_many_partitions() -> Exposition:
    made = [FixedPartition(index, FixedLeadership({0, 1, 2})) for index in range(PARTITIONS)]
    around = quorum({"riacho.metrics.entries.max": str(PARTITIONS)}, is_active=True)
    return exposition(around, broker_parts(around, made))


def test_the_loop_turns_while_metrics_are_told() -> None:
    large = of_many_partitions()
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
        text = await large.render()
        is_done = True
        await turning
        return text

    text = asyncio.run(run())
    found = Metrics(text)
    assert len(found.all("kafka_log_log_size")) == PARTITIONS
    assert found.find("riacho_partitions_left_out") == 0
    assert turns >= text.count("\n") // 1_000


def test_scrapes_at_the_same_time_are_one() -> None:
    class Counted(Exposition):
        renderings = 0

        async def render(self) -> str:
            self.renderings += 1
            await asyncio.sleep(0)
            return "up 1\n"

    around = quorum({})
    counted = Counted(
        BrokerMetrics(),
        Quotas(around.metadata.config, SetClock()),
        FakeBroker().connection_quotas,
        SetClock(),
        0,
        around,
    )

    async def run() -> list[str]:
        endpoint = MetricsEndpoint(SystemNetwork(), "127.0.0.1", 0)
        first = await asyncio.gather(*(endpoint.metrics(counted) for _ in range(5)))
        return [*first, await endpoint.metrics(counted)]

    assert asyncio.run(run()) == ["up 1\n"] * 6
    assert counted.renderings == 2
