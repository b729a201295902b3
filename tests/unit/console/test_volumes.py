"""Disks as brokers tell of their log directories: whoever's files fill a volume, and it counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster
from riacho.console.api.overview import overview
from riacho.console.clusters import disks
from riacho.console.clusters.assembly import brokers_of
from riacho.console.clusters.by_broker import Gaps
from riacho.console.clusters.picture import Picture
from riacho.console.clusters.watch import Seen
from riacho.console.history.alert_rules import Rule
from riacho.console.history.alerts import Alerts
from riacho.console.rates import ClusterRates
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse
from riacho.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

GB = 1_000_000_000
Told = Sequence[DescribeLogDirsResult]
_AWAY: Any = None


def directory(total_gb: float, usable_gb: float, kafka_gb: float, error: int = 0) -> DescribeLogDirsResult:
    held = DescribeLogDirsPartition(partition_index=0, partition_size=int(kafka_gb * GB))
    return DescribeLogDirsResult(
        error_code=error,
        log_dir="/data",
        topics=[DescribeLogDirsTopic(name="t", partitions=[held])],
        total_bytes=-1 if total_gb < 0 else int(total_gb * GB),
        usable_bytes=-1 if usable_gb < 0 else int(usable_gb * GB),
    )


def seen(monkeypatch: pytest.MonkeyPatch, told: Mapping[int, Told], hosts: Mapping[int, str] = {}) -> Picture:
    """The picture where brokers tell this of their directories; each has a host of its own unless `hosts` names it."""

    def tell(cluster: Cluster, broker: int) -> Told:
        return told[broker]

    monkeypatch.setattr(disks, "describe_log_dirs", tell)
    described = DescribeClusterResponse(
        brokers=[DescribeClusterBroker(broker_id=b, host=hosts.get(b, f"h{b}"), port=9092) for b in told]
    )
    found = brokers_of(described, (), disks.read_disks(_AWAY, 7, told, Gaps(), {}))
    return Picture(as_of_ms=0, cluster_id="c", brokers=found, topics={}, groups={})


def room(picture: Picture) -> tuple[float | None, float | None, float | None]:
    """What the overview tells in GB: used by Kafka, total, free."""
    disk = overview(Seen(picture, None), ClusterRates()).disk
    used, total, free = (
        None if each is None else each / GB for each in (disk.used_bytes, disk.total_bytes, disk.free_bytes)
    )
    return used, total, free


def firing(picture: Picture) -> dict[str, float]:
    alerts = Alerts([Rule(name="d", kind="disk", above=90, for_s=0)])
    return {each.target: each.value for each in alerts.step(picture, is_up=True, failed={}, now_ms=1)}


def test_files_of_others_fill_a_volume_too(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = seen(monkeypatch, {1: [directory(1_000, 50, kafka_gb=2)], 2: [directory(1_000, 500, kafka_gb=2)]})
    assert firing(picture) == {"1": 95}
    assert room(picture) == (4, 2_000, 550)


def test_two_directories_on_one_volume(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second was read a moment later: others had written meanwhile."""
    picture = seen(monkeypatch, {1: [directory(100, 9, kafka_gb=40), directory(100, 8.99, kafka_gb=50)]})
    [broker] = picture.brokers.values()
    assert (broker.disk_used_bytes, broker.disk_free_bytes) == (90 * GB, int(8.99 * GB))
    assert firing(picture) == {"1": pytest.approx(91.01)}
    assert room(picture) == (90, 100, 8.99)


def test_two_brokers_on_one_host(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {1: [directory(100, 40, kafka_gb=10)], 2: [directory(100, 39.95, kafka_gb=20)]}
    assert room(seen(monkeypatch, told, {1: "h", 2: "h"})) == (30, 100, 39.95)
    assert room(seen(monkeypatch, told)) == (30, 200, 79.95)


def test_disks_of_one_size_are_not_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is usable, or, where they are equally full, by what Kafka keeps on them."""
    assert room(seen(monkeypatch, {1: [directory(100, 40, 1), directory(100, 60, 1), directory(200, 40, 1)]})) == (
        3, 400, 140,
    )  # fmt: skip
    assert room(seen(monkeypatch, {1: [directory(100, 40, kafka_gb=55) for _ in range(4)]})) == (220, 400, 160)


def test_the_fullest_volume_of_a_broker_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert firing(seen(monkeypatch, {1: [directory(100, 90, 1), directory(100, 4, 1)]})) == {"1": 96}


@pytest.mark.parametrize("error", [0, ErrorCode.KAFKA_STORAGE_ERROR])
def test_what_is_not_told_is_not_nothing(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    """Brokers before Kafka 3.3 tell -1, and so does a directory out of service."""
    unknown = directory(-1, -1, 5, error)
    for others in ([], [directory(100, 60, 5)]):
        picture = seen(monkeypatch, {1: [unknown, *others], 2: [directory(100, 60, 5)]})
        assert picture.brokers[1].disk_free_bytes is None
        assert room(picture)[1:] == (None, None)
        assert firing(picture) == {}
    assert firing(seen(monkeypatch, {1: [unknown, directory(100, 4, 5)]})) == {"1": 96}
    assert room(seen(monkeypatch, {1: [directory(0, 0, 0)]}))[1:] == (None, None)
    assert room(seen(monkeypatch, {1: []}))[1:] == (None, None)


def test_what_is_not_known_leaves_an_alert_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    alerts = Alerts([Rule(name="d", kind="disk", above=90, for_s=0)])
    for now_ms, told in enumerate(([directory(100, 4, 1)], [directory(-1, -1, 1), directory(100, 80, 1)]), 1):
        alerts.step(seen(monkeypatch, {1: told}), is_up=True, failed={}, now_ms=now_ms)
        assert [each.value for each in alerts.firing()] == [96]
