"""Followers: what comes is told, what was too fast for them is counted, and many of them share one connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from confluent_kafka import Producer

from riacho.console.messages import tails as tails_module
from riacho.console.messages.browsing import Browsing, Search
from riacho.console.messages.decode import Decoder
from riacho.console.messages.examine import Examiner
from riacho.console.messages.filters import Filter, parse_filter
from riacho.console.messages.limits import SCANS_MAX
from riacho.console.messages.ranges import Start
from riacho.console.messages.row import View
from riacho.console.messages.tail import QUEUE_BYTES_MAX, QUEUE_MAX, Tail
from riacho.testing import KafkaCluster
from riacho.web.errors import ApiError
from support.console_calls import call_of
from support.control_center import CLUSTER, ControlCenterService
from support.message_events import events_of

WAIT_S = 20.0
VIEW = View(Decoder(None))


class Page:
    """One reader, on the console's loop."""

    def __init__(self, console: ControlCenterService, browsing: Browsing, search: Search, view: View = VIEW) -> None:
        self._console = console
        self.seen: list[tuple[str, Any]] = []
        self._pieces: AsyncGenerator[bytes, None] = console.thread.run(self._open(browsing, search, view))

    async def _open(self, browsing: Browsing, search: Search, view: View) -> AsyncGenerator[bytes, None]:
        plan = await browsing.plan(self._console.cluster, search)
        return browsing.events(self._console.cluster, plan, search, view)

    def until(self, ready: Callable[[], bool]) -> None:
        async def read() -> None:
            async with asyncio.timeout(WAIT_S):
                while not ready():
                    self.seen += events_of((await anext(self._pieces)).decode())

        self._console.thread.run(read())

    def begin(self) -> None:
        """The first event is here: it follows now."""
        self.until(lambda: bool(self.seen))

    @property
    def values(self) -> list[str]:
        return [data["value"] for name, data in self.seen if name == "message"]

    @property
    def problems(self) -> list[str]:
        return [data["message"] for name, data in self.seen if name == "problem"]

    def close(self) -> None:
        self._console.thread.run(self._pieces.aclose())


@pytest.fixture
def browsing(console: ControlCenterService) -> Browsing:
    async def make() -> Browsing:
        return Browsing()

    return console.thread.run(make())


def followed(browsing: Browsing, console: ControlCenterService) -> list[object]:
    return [each for tails in browsing.of(console.cluster).tails.values() for each in tails._followed]


def following(topic: str, **more: Any) -> Search:
    return Search(topic=topic, follow=True, **{"limit": 0, **more})


def test_what_comes_is_told(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, browsing: Browsing
) -> None:
    brokers.produce(topic, "before")
    page = Page(console, browsing, following(topic))
    page.begin()
    brokers.produce(topic, "one", partition=0)
    brokers.produce(topic, "two", partition=2)
    page.until(lambda: set(page.values) == {"one", "two"})
    assert followed(browsing, console)
    page.close()
    assert not followed(browsing, console)


def test_the_last_ones_first_and_nothing_is_missed_between(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, browsing: Browsing
) -> None:
    brokers.produce(topic, *(f"old-{n}" for n in range(5)), partition=1)
    other = Page(console, browsing, following(topic))
    other.begin()
    page = Page(console, browsing, following(topic, limit=3))
    page.until(lambda: len(page.values) == 3)
    assert page.values == ["old-4", "old-3", "old-2"]
    brokers.produce(topic, *(f"new-{n}" for n in range(5)), partition=1)
    page.until(lambda: len(page.values) == 8)
    assert page.values[3:] == [f"new-{n}" for n in range(5)]
    other.until(lambda: len(other.values) == 5)
    page.close()
    other.close()


def test_from_the_oldest_on(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, browsing: Browsing
) -> None:
    brokers.produce(topic, "a", "b", "c", partition=0)
    page = Page(console, browsing, following(topic, start=Start("oldest"), limit=100))
    page.until(lambda: page.values == ["a", "b", "c"])
    brokers.produce(topic, "d", partition=0)
    page.until(lambda: page.values == ["a", "b", "c", "d"])
    page.close()
    # With more than it may show there would be a gap before what comes now.
    short = Page(console, browsing, following(topic, start=Start("oldest"), limit=2))
    short.until(lambda: bool(short.seen) and short.seen[-1][0] == "done")
    assert (short.values, short.seen[-1][1]) == (["a", "b"], {"reason": "limit"})
    short.close()
    assert not followed(browsing, console)


def test_each_has_its_own_filter(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, browsing: Browsing
) -> None:
    all_of_them = Page(console, browsing, following(topic))
    some = Page(console, browsing, following(topic, filter=parse_filter(where="value.n > 1")))
    one_partition = Page(console, browsing, following(topic, partitions=(2,)))
    pages = (all_of_them, some, one_partition)
    for page in pages:
        page.begin()
    for n in range(3):
        brokers.produce(topic, f'{{"n": {n}}}', partition=n)
    all_of_them.until(lambda: len(all_of_them.values) == 3)
    some.until(lambda: len(some.values) == 1)
    one_partition.until(lambda: len(one_partition.values) == 1)
    assert (some.values, one_partition.values) == (['{"n": 2}'], ['{"n": 2}'])
    for page in pages:
        page.close()


def test_a_leader_that_goes_is_followed(topic: str) -> None:
    with KafkaCluster(brokers=3) as cluster:
        cluster.create_topic(topic, partitions=2, replication_factor=3)
        console = ControlCenterService(cluster.bootstrap_servers)
        try:

            async def make() -> Browsing:
                return Browsing()

            browsing = console.thread.run(make())
            page = Page(console, browsing, following(topic))
            page.begin()
            cluster.produce(topic, "before", partition=0)
            page.until(lambda: page.values == ["before"])
            cluster.kill(cluster.leader(topic, 0))
            cluster.produce(topic, "after", partition=0)
            page.until(lambda: "after" in page.values)
            assert page.values == ["before", "after"]
            page.close()
        finally:
            console.stop()


def test_a_topic_that_is_deleted_ends_it(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, browsing: Browsing
) -> None:
    page = Page(console, browsing, following(topic))
    page.begin()
    console.look()
    assert console.delete(f"{CLUSTER}/topics/{topic}").status_code == 204
    page.until(lambda: page.seen[-1][0] == "done")
    assert page.problems == [f"Topic '{topic}' does not exist."]
    page.close()


def test_a_slow_reader_is_told_what_it_missed(console: ControlCenterService) -> None:
    async def slow() -> list[tuple[str, Any]]:
        tail = Tail("t", {0: 0}, Examiner(VIEW, Filter()))
        event = b'event: message\ndata: {"value": "%d"}\n\n'
        tail.offer([event % n for n in range(QUEUE_MAX + 50)])
        tail.offer([b"event: message\ndata: " + b"1" * QUEUE_BYTES_MAX + b"\n\n"])
        tail.skip(7)
        pieces = tail.pieces()
        seen: list[tuple[str, Any]] = []
        while not any(name == "progress" and data["matched"] for name, data in seen):
            seen += events_of((await anext(pieces)).decode())
        return seen

    seen = console.thread.run(slow())
    shown = [data["value"] for name, data in seen if name == "message"]
    assert shown == [str(n) for n in range(QUEUE_MAX)]
    [progress] = [data for name, data in seen if name == "progress"]
    assert (progress["matched"], progress["skipped"]) == (QUEUE_MAX + 51, 58)


def test_what_falls_behind_jumps_ahead_and_says_so(
    console: ControlCenterService,
    brokers: KafkaCluster,
    topic: str,
    browsing: Browsing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tails_module, "_BEHIND_MAX", 100)
    monkeypatch.setattr(tails_module, "_AHEAD", 10)
    monkeypatch.setattr(tails_module, "_FETCH_BYTES", 1_000)
    monkeypatch.setattr(tails_module, "_PARTITION_BYTES", 1_000)
    # Its plan is made before they come, and it begins to follow after that.
    page = Page(console, browsing, following(topic))
    producer = Producer({**brokers.client_settings(), "batch.num.messages": 20, "linger.ms": 20})
    for n in range(2_000):
        producer.produce(topic, f"{n:05d}", partition=0)
    producer.flush()
    page.begin()

    def progress() -> dict[str, Any]:
        return next(data for name, data in reversed(page.seen) if name == "progress")

    page.until(lambda: len(page.values) + progress()["skipped"] >= 2_000)
    assert len(page.values) + progress()["skipped"] == 2_000
    assert progress()["scanned"] < 2_000
    assert page.values[-1] == "01999"
    page.close()


def test_of_many_that_come_together_no_more_are_let_in(console: ControlCenterService, topic: str) -> None:
    """The place is taken with the question, not with the first piece of the answer."""

    async def ask() -> list[int]:
        async def head() -> int:
            return (await console.client.head(f"{CLUSTER}/topics/{topic}/messages", params={"limit": 1})).status_code

        return await asyncio.gather(*(head() for _ in range(SCANS_MAX + 4)))

    assert sorted(console.thread.run(ask())) == [200] * SCANS_MAX + [429] * 4
    # None of them asked for its answer, and all have left.
    assert sorted(console.thread.run(ask())) == [200] * SCANS_MAX + [429] * 4


def test_one_address_cannot_have_all_places_of_those_that_follow(topic: str) -> None:
    """A search has other places."""
    browsing = Browsing(follows_each_max=2)
    for _ in range(2):
        browsing.admit(call_of("10.0.0.1"), following(topic))
    with pytest.raises(ApiError, match=r"2 pages follow topics for address 10\.0\.0\.1 already"):
        browsing.admit(call_of("10.0.0.1"), following(topic))
    browsing.admit(call_of("10.0.0.1"), Search(topic=topic))
    browsing.admit(call_of("10.0.0.2"), following(topic))


def test_a_follower_of_too_much_is_told(
    console: ControlCenterService, topic: str, browsing: Browsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails_module, "PARTITIONS_MAX", 2)
    page = Page(console, browsing, following(topic))
    page.until(lambda: bool(page.seen))
    assert page.problems == ["More than 2 partitions are followed at a time already; try again later."]
    assert page.seen[-1] == ("done", {"reason": "end"})


def test_three_hundred_readers_share_a_connection(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, browsing: Browsing
) -> None:
    async def all_of_them() -> tuple[list[int], int]:
        cluster = console.cluster
        search = following(topic)
        plan = await browsing.plan(cluster, search)
        streams = [browsing.events(cluster, plan, search, VIEW) for _ in range(300)]
        for stream in streams:
            await anext(stream)
        tasks = sum(task.get_name().startswith("console-tails") for task in asyncio.all_tasks())
        produced = asyncio.get_running_loop().run_in_executor(None, lambda: brokers.produce(topic, "x", partition=1))
        counts = await asyncio.gather(*(_first_message(stream) for stream in streams))
        await produced
        for stream in streams:
            await stream.aclose()
        return list(counts), tasks

    counts, tasks = console.thread.run(all_of_them())
    assert counts == [1] * 300
    assert 1 <= tasks <= 2
    assert not followed(browsing, console)


async def _first_message(stream: AsyncGenerator[bytes, None]) -> int:
    async with asyncio.timeout(WAIT_S):
        while True:
            found = [name for name, _ in events_of((await anext(stream)).decode()) if name == "message"]
            if found:
                return len(found)
