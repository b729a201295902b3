"""The flow map as it is asked for: made once of the same facts, and nobody waits for what is asked beside it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.console.api import flow
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.picture import GroupFacts, Picture, TopicFacts
from riacho.console.config import ClusterConfig, ConsoleConfig
from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService


def test_pages_between_two_looks_get_the_same_bytes(
    console: ControlCenterService, brokers: KafkaCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str | None] = []
    make = flow.flow_map

    def counted(*facts: Any, topic: str | None) -> Any:
        made.append(topic)
        return make(*facts, topic=topic)

    monkeypatch.setattr(flow, "flow_map", counted)
    brokers.create_topic("flows")
    console.look()
    first = [console.get(f"{CLUSTER}/flow{query}").content for query in ("", "?topic=flows", "", "?topic=flows")]
    assert (first[:2], made) == (first[2:], [None, "flows"])
    console.look()
    assert console.get(f"{CLUSTER}/flow").status_code == 200
    assert made == [None, "flows", None]


def test_only_the_first_waits_for_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is older than half a minute is asked for anew beside the page; what is much older is waited for."""

    async def run() -> None:
        now_s, asked, goes_on = 0.0, 0, asyncio.Event()
        goes_on.set()
        config = ClusterConfig(id="c", name="c", client={"bootstrap.servers": "127.0.0.1:9"})
        cluster = ConsoleCluster(config, ConsoleConfig(clusters=(config,)))

        async def ask(*_: Any) -> dict[str, frozenset[str]]:
            nonlocal asked
            await goes_on.wait()
            asked += 1
            return {"g": frozenset({f"client-{asked}"})}

        monkeypatch.setattr(cluster.kafka, "ask", ask)
        picture = Picture(as_of_ms=0, cluster_id="c", brokers={}, topics={}, groups={})
        parts = flow.FlowParts(cluster, lambda: now_s)

        async def members() -> set[str]:
            return set((await parts.now(picture, with_members=True)).members["g"])

        try:
            assert [await members(), await members()] == [{"client-1"}, {"client-1"}]
            now_s = 31.0
            goes_on.clear()
            assert [await members(), await members()] == [{"client-1"}, {"client-1"}]
            goes_on.set()
            await cluster.tasks.wait()
            assert (await members(), asked) == ({"client-2"}, 2)
            now_s = 1_000.0
            assert (await members(), asked) == ({"client-3"}, 3)
            # One that goes away spoils nothing for those who wait for the same.
            now_s = 2_000.0
            goes_on.clear()
            both = [asyncio.create_task(members()), asyncio.create_task(members())]
            await asyncio.sleep(0)
            both[0].cancel()
            goes_on.set()
            assert (await both[1], asked) == ({"client-4"}, 4)
        finally:
            await cluster.stop()

    asyncio.run(run())


def test_groups_that_changed_here_are_on_the_map_at_once() -> None:
    """By the groups themselves: what a topic knows of its readers is of the last look."""
    topic = TopicFacts("t", b"1", False, (), 1, 0, 0, None)
    group = GroupFacts("g", "classic", "Empty", None, 1, 0, {"t": 3}, 3)
    picture = Picture(as_of_ms=0, cluster_id="c", brokers={}, topics={"t": topic}, groups={"g": group})
    assert [each.id for each in flow.flow_map(picture, None, {}, topic="t").nodes] == ["group:g", "topic:t"]
