"""Reads that are stopped, cut off, too long or secured; and how fast one message is found among many."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer

from riacho.console.messages import browsing as browsing_module
from riacho.console.messages.browsing import Browsing, Search
from riacho.console.messages.decode import Decoder
from riacho.console.messages.filters import parse_filter
from riacho.console.messages.limits import SCANS_MAX
from riacho.console.messages.ranges import Start
from riacho.console.messages.row import View
from riacho.testing import KafkaCluster
from riacho.web.call import Call
from riacho.web.errors import ApiError
from support.control_center import ControlCenterService
from support.message_events import events_of, search

# A million: RIACHO_SEARCHED_MESSAGES=1000000.
SEARCHED = int(os.environ.get("RIACHO_SEARCHED_MESSAGES", "100000"))
SECONDS_A_MILLION = 3.0
VIEW = View(Decoder(None))


async def no_body() -> Any:
    raise AssertionError


async def no_answer(message: Any) -> None:
    raise AssertionError


def fill(cluster: KafkaCluster, topic: str, count: int, **settings: Any) -> None:
    buffered = {"queue.buffering.max.messages": count + 1, "queue.buffering.max.kbytes": 2_000_000, "linger.ms": 20}
    producer = Producer({**cluster.client_settings(), **buffered, **settings})
    for n in range(count):
        producer.produce(
            topic, b'{"id": %d, "name": "customer %d", "city": "Recife"}' % (n, n % 1000), b"order-%08d" % n
        )
        if n % 10_000 == 0:
            producer.poll(0)
    assert producer.flush(120) == 0


@pytest.fixture
def large(brokers: KafkaCluster, topic: str) -> str:
    fill(brokers, topic, SEARCHED, **{"compression.type": "lz4"})
    return topic


def test_one_message_among_many_by_its_key(console: ControlCenterService, large: str) -> None:
    wanted = f"order-{SEARCHED * 2 // 3:08d}"
    took: dict[str, float] = {}
    for name, query in (
        ("oldest", {"origin": "oldest", "key": wanted}),
        ("newest", {"origin": "newest", "key": wanted}),
        ("where", {"origin": "oldest", "where": f'key == "{wanted}"'}),
    ):
        began = time.perf_counter()
        found = search(console, large, limit=1, **query)
        took[name] = time.perf_counter() - began
        assert [each["key"] for each in found.messages] == [wanted]
        assert found.done == "limit"
    print(f"\none of {SEARCHED} messages by key: " + ", ".join(f"{name} {s:.2f} s" for name, s in took.items()))
    assert max(took.values()) < max(1.0, SECONDS_A_MILLION * SEARCHED / 1_000_000)


def test_who_goes_away_stops_the_read(console: ControlCenterService, brokers: KafkaCluster, large: str) -> None:
    async def begin_and_leave() -> tuple[int, float]:
        browsing = Browsing()
        look = Search(topic=large, start=Start("oldest"), filter=parse_filter(where='value.id == "none"'))
        plan = await browsing.plan(console.cluster, look)
        pieces = browsing.events(console.cluster, plan, look, VIEW)
        scanned = 0
        while not scanned:
            for name, data in events_of((await anext(pieces)).decode()):
                scanned = data["scanned"] if name == "progress" else scanned
        began = time.perf_counter()
        await pieces.aclose()
        took = time.perf_counter() - began
        assert [task for task in asyncio.all_tasks() if "PartitionReader" in str(task.get_coro())] == []
        return scanned, took

    scanned, took = console.thread.run(begin_and_leave())
    assert 0 < scanned <= SEARCHED
    assert took < 2.0


def test_a_read_that_takes_too_long_ends(
    console: ControlCenterService, large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing_module, "SCAN_S_MAX", 0.0)
    found = search(console, large, origin="oldest", where="value.id == 5")
    assert (found.done, found.messages) == ("time", [])


def test_one_search_too_many_is_refused(console: ControlCenterService, topic: str) -> None:
    async def too_many() -> ApiError:
        browsing, calls = Browsing(), [Call({"type": "http"}, no_body, no_answer) for _ in range(SCANS_MAX + 1)]
        for call in calls[1:]:
            browsing.admit(call, Search(topic=topic))
        with pytest.raises(ApiError) as refused:
            browsing.admit(calls[0], Search(topic=topic))
        # Followers are counted apart.
        browsing.admit(calls[0], Search(topic=topic, follow=True))
        return refused.value

    refused = console.thread.run(too_many())
    assert refused.status == 429
    assert refused.message.startswith(f"{SCANS_MAX} searches are under way already")


def test_a_broker_that_goes_is_a_problem_or_none(topic: str) -> None:
    with KafkaCluster(brokers=3) as cluster:
        cluster.create_topic(topic, partitions=3, replication_factor=3)
        cluster.create_topic(f"{topic}-1", partitions=3, replication_factor=1)
        for name in (topic, f"{topic}-1"):
            for partition in range(3):
                cluster.produce(name, f"p{partition}", partition=partition)
        console = ControlCenterService(cluster.bootstrap_servers)
        try:
            gone = cluster.leader(f"{topic}-1", 0)
            assert gone is not None
            cluster.kill(gone)
            assert sorted(map(str, search(console, topic).values)) == ["p0", "p1", "p2"]
            lonely = [p for p in range(3) if cluster.leader(f"{topic}-1", p) in (None, -1, gone)]
            found = search(console, f"{topic}-1")
            assert len(found.messages) == 3 - len(lonely)
            assert len(found.problems) == len(lonely)
            assert found.done == "end"
        finally:
            console.stop()


@pytest.fixture
def secured() -> Iterator[KafkaCluster]:
    with KafkaCluster(users={"alice": "alice-secret"}, tls=True) as cluster:
        yield cluster


def test_brokers_with_tls_and_logins(secured: KafkaCluster, topic: str) -> None:
    secured.create_topic(topic, partitions=2)
    secured.produce(topic, "hidden from others")
    settings = {f"client.{name}": str(value) for name, value in secured.client_settings().items()}
    settings.pop("client.bootstrap.servers")
    console = ControlCenterService(secured.bootstrap_servers, settings)
    try:
        assert search(console, topic).values == ["hidden from others"]
    finally:
        console.stop()


def test_times_that_are_out_of_order_lose_nothing(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    producer = Producer(brokers.client_settings())
    for n, at in enumerate((5_000, 1_000, 9_000, 3_000)):
        producer.produce(topic, f"{n}", partition=0, timestamp=1_700_000_000_000 + at)
    producer.flush()
    assert sorted(map(str, search(console, topic, origin="oldest").values)) == ["0", "1", "2", "3"]
    assert sorted(map(str, search(console, topic).values)) == ["0", "1", "2", "3"]
