"""History on real brokers: what was produced is seen as rates, in lists and over time, and outlives a restart."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from confluent_kafka import Consumer, Producer

from riacho.console.clusters.picture import PartitionFacts, Picture, TopicFacts
from riacho.console.clusters.watch import UP, Watch
from riacho.console.config import ClusterConfig
from riacho.console.history.cluster_history import ClusterHistory, ring_path
from riacho.console.history.node_counters import CountersSource
from riacho.console.history.ring import Ring
from riacho.testing import KafkaCluster
from riacho.web.upstream import Upstream
from support.control_center import CLUSTER, ControlCenterService


@pytest.fixture(scope="module")
def ours() -> Iterator[KafkaCluster]:
    with KafkaCluster({"riacho.metrics.port": 0}) as cluster:
        yield cluster


@pytest.fixture
def watched(ours: KafkaCluster, tmp_path: Path) -> Iterator[ControlCenterService]:
    service = console_of(ours, tmp_path)
    yield service
    service.stop()


def console_of(ours: KafkaCluster, directory: Path, **properties: str) -> ControlCenterService:
    own = {"metrics.url": str(ours.metrics_url), "riacho.console.dir": str(directory)}
    return ControlCenterService(ours.bootstrap_servers, own | properties)


def history_of(console: ControlCenterService) -> ClusterHistory:
    return console.center.parts.history.of("default")


def ten_seconds(console: ControlCenterService) -> None:
    """Another look, as if it were ten seconds after the one before; the first was a minute ago."""
    watch, history = console.cluster.watch, history_of(console)
    if history.looked in watch.on_look:
        watch.on_look.remove(history.looked)
    console.look()

    async def measured() -> None:
        assert watch.picture is not None
        await history.settled()
        picture = watch.picture
        late_ms = vars(console).get("late_ms", picture.as_of_ms - 60_000) + 10_000
        vars(console)["late_ms"] = late_ms
        watch.picture = replace(picture, as_of_ms=late_ms)
        history.looked(watch)
        watch.picture = picture
        await history.settled()

    console.thread.run(measured())


def produce(ours: KafkaCluster, topic: str, count: int, client_id: str = "orders-app") -> None:
    producer = Producer({"bootstrap.servers": ours.bootstrap_servers, "client.id": client_id, "linger.ms": 5})
    for _ in range(count):
        producer.produce(topic, b"v" * 100)
    producer.flush()


def test_what_is_produced_is_seen_in_rates_and_over_time(watched: ControlCenterService, ours: KafkaCluster) -> None:
    produce(ours, "orders", 1)
    ten_seconds(watched)
    ten_seconds(watched)
    produce(ours, "orders", 500)
    ten_seconds(watched)
    history = history_of(watched)
    assert history.measured is not None
    flow = history.measured.topics["orders"]
    assert flow.bytes_in is not None
    assert flow.messages_in is not None
    assert flow.bytes_in > flow.messages_in > 0
    figures = watched.center.parts.rates.of_broker("default", 1)
    assert (figures.software or "").startswith("riacho ")
    series = quote('topic_messages_in_per_s{topic="orders"}')
    answer = watched.get(f"{CLUSTER}/metrics?series={series}&series=partitions").json()
    found = {each["name"]: each for each in answer["series"]}
    assert found["topic_messages_in_per_s"]["labels"] == {"topic": "orders"}
    assert any(value for _, value in found["partitions"]["points"])
    assert {value for _, value in found["partitions"]["points"]} > {None}, "the time before is a gap"


def test_who_produced_and_who_read_is_told(watched: ControlCenterService, ours: KafkaCluster) -> None:
    produce(ours, "told", 1, "first-app")
    ten_seconds(watched)
    produce(ours, "told", 50, "first-app")
    consumer = Consumer(
        {
            "bootstrap.servers": ours.bootstrap_servers,
            "client.id": "reader-app",
            "group.id": "readers",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe(["told"])
    assert len(consumer.consume(51, timeout=30)) == 51
    consumer.close()
    ten_seconds(watched)
    clients = history_of(watched).clients(history_of(watched).measured_ms)
    assert clients is not None
    rates = {(key[0], key[2], key[3]): rate for key, rate in clients.items()}
    assert rates["produce", "first-app", "told"] > 0
    assert rates["fetch", "reader-app", "told"] > 0


def test_history_outlives_a_restart(ours: KafkaCluster, tmp_path: Path) -> None:
    for looks in (2, 1):
        console = console_of(ours, tmp_path)
        for _ in range(looks):
            ten_seconds(console)
        points = console.get(f"{CLUSTER}/metrics?series=topics").json()["series"][0]["points"]
        console.stop()
    assert sum(value is not None for _, value in points) >= 2
    assert ring_path(tmp_path, "default").stat().st_size < 20 * 1024 * 1024


def test_without_metrics_messages_are_known_and_bytes_are_not(ours: KafkaCluster, tmp_path: Path) -> None:
    produce(ours, "plain", 1)
    console = console_of(ours, tmp_path, **{"metrics.url": ""})
    try:
        ten_seconds(console)
        produce(ours, "plain", 100)
        ten_seconds(console)
        history = history_of(console)
        assert history.measured is not None
        flow = history.measured.topics["plain"]
        assert (flow.bytes_in, flow.bytes_out, flow.messages_in) == (None, None, 10.0)
        assert history.clients(history.measured_ms) is None
        assert history.spark_of("plain")[-1] == 10.0
        rates = console.center.parts.rates.of_cluster("default")
        assert (rates.bytes_in_per_s, rates.requests_per_s) == (None, None)
    finally:
        console.stop()


def test_a_metrics_address_that_leads_nowhere_harms_nothing(ours: KafkaCluster, tmp_path: Path) -> None:
    console = console_of(ours, tmp_path, **{"metrics.url": "http://127.0.0.1:1"})
    try:
        ten_seconds(console)
        ten_seconds(console)
        assert history_of(console).measured is not None
    finally:
        console.stop()


@pytest.mark.parametrize("series", ["Name", "a{", "a{b=c}", 'a{b="c"', "a b", "../x", "x" * 3000])
def test_a_series_that_cannot_be_read_is_told(watched: ControlCenterService, series: str) -> None:
    assert watched.get(f"{CLUSTER}/metrics?series={quote(series)}").status_code == 400


def test_questions_are_bounded(watched: ControlCenterService) -> None:
    ten_seconds(watched)
    answer = watched.get(f"{CLUSTER}/metrics?series=topics&from=0&step=1").json()
    assert len(answer["series"][0]["points"]) <= 1_502
    assert watched.get(f"{CLUSTER}/metrics?series=topics&from={1 << 61}").status_code == 400
    assert "topics" in watched.get(f"{CLUSTER}/metrics").json()["names"]


def test_the_flow_map_by_http(watched: ControlCenterService, ours: KafkaCluster) -> None:
    produce(ours, "mapped", 1, "map-app")
    ten_seconds(watched)
    consumer = Consumer(
        {
            "bootstrap.servers": ours.bootstrap_servers,
            "client.id": "map-reader",
            "group.id": "map-readers",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe(["mapped"])
    produce(ours, "mapped", 200, "map-app")
    assert len(consumer.consume(201, timeout=30)) == 201
    consumer.commit(asynchronous=False)
    ten_seconds(watched)
    found = watched.get(f"{CLUSTER}/flow?topic=mapped").json()
    consumer.close()
    assert found["about"] is None
    rates = {
        (each["from"].partition(":")[2].rpartition("/")[2], each["to"]): each["rate_per_s"] for each in found["edges"]
    }
    assert rates["map-app", "topic:mapped"] > 0
    assert rates["mapped", "group:map-readers"] > 0
    assert {each["kind"] for each in found["nodes"]} == {"producer", "topic", "group"}


def test_a_map_of_another_kafka_says_what_it_lacks(ours: KafkaCluster, tmp_path: Path) -> None:
    console = console_of(ours, tmp_path, **{"metrics.url": "", "connect.url": "http://127.0.0.1:1"})
    try:
        ten_seconds(console)
        found = console.get(f"{CLUSTER}/flow").json()
        assert "metrics.url" in found["about"]
        assert not [each for each in found["nodes"] if each["kind"] == "producer"]
    finally:
        console.stop()


def test_what_came_in_a_moment_is_no_rate(tmp_path: Path) -> None:
    """The first look is at the end of its ten seconds: the next one that is measured comes some seconds later."""

    async def measured_at(*looks_ms: int) -> list[tuple[int, float | None]]:
        found = []
        with closing(Upstream(threads_max=1, answer_bytes_max=1)) as upstream:
            history = ClusterHistory(Ring(tmp_path / "moments.ring"), CountersSource(upstream, []))
            config = ClusterConfig(id="c", name="c", client={"bootstrap.servers": "127.0.0.1:9"})
            watch = Watch(config, refresh_ms=1_000, timeout_ms=1_000)
            watch.state = UP
            for count, at_ms in enumerate(looks_ms):
                watch.picture = picture_of(at_ms, count * 500)
                history.looked(watch)
                await history.settled()
                assert history.measured is not None
                found.append((history.measured_ms, history.measured.cluster.messages_in))
            await history.stop()
            await watch.stop()
        return found

    assert asyncio.run(measured_at(9_800, 10_000, 13_000, 14_000, 20_000)) == [
        (9_800, None),
        (9_800, None),
        (9_800, None),
        (14_000, pytest.approx(357, abs=1)),
        (20_000, pytest.approx(83, abs=1)),
    ]


class FullRing(Ring):
    def add(self, at_ms: int, values: Mapping[str, float | None]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_a_gap_and_ends_neither_rates_nor_alerts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    alerted: list[int] = []

    async def measured() -> float | None:
        with closing(Upstream(threads_max=1, answer_bytes_max=1)) as upstream:
            history = ClusterHistory(FullRing(tmp_path / "full.ring"), CountersSource(upstream, []))
            history.on_measured.append(lambda picture: alerted.append(picture.as_of_ms))
            config = ClusterConfig(id="c", name="c", client={"bootstrap.servers": "127.0.0.1:9"})
            watch = Watch(config, refresh_ms=1_000, timeout_ms=1_000)
            watch.state = UP
            for at_ms in (10_000, 20_000):
                watch.picture = picture_of(at_ms, at_ms)
                history.looked(watch)
                await history.settled()
            await history.stop()
            await watch.stop()
            return None if history.measured is None else history.measured.cluster.messages_in

    assert asyncio.run(measured()) == pytest.approx(1_000)
    assert alerted == [10_000, 20_000]
    assert [each.getMessage() for each in caplog.records if "gap" in each.message] == [
        "history has a gap: it cannot be written reason=No space left on device"
    ]
    assert "Traceback" not in caplog.text


def picture_of(at_ms: int, next_offset: int) -> Picture:
    """One topic of one partition."""
    partition = PartitionFacts(0, 1, (1,), (1,), (), 0, next_offset, 10)
    facts = TopicFacts("t", b"1", False, (partition,), 1, 0, 0, None)
    return Picture(as_of_ms=at_ms, cluster_id="c", brokers={}, topics={"t": facts}, groups={})
