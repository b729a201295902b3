from __future__ import annotations

import pytest

from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.quotas.replication_quota import ReplicationQuota, ReplicationQuotas, throttled_partitions
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Topic

TOPIC, BROKER = 2, 4


@pytest.mark.parametrize(
    ("listed", "expected"),
    [(["*"], None), (["0:1", "1:2", "3:1"], {0, 3}), ([], set()), ([""], set()), (["0:2"], set())],
)
def test_the_list_names_partitions_of_this_broker(listed: list[str], expected: set[int] | None) -> None:
    assert throttled_partitions(listed, 1) == expected


def test_the_rate_is_over_the_windows_that_are_kept_at_least_one() -> None:
    quota = ReplicationQuota(window_count=3, window_ms=1_000, rate=100)
    quota.throttle("t", None)
    quota.record(50, 0)
    assert quota.measured(0) == 50
    assert not quota.is_exceeded(0)
    quota.record(100, 500)
    assert quota.measured(500) == 150
    assert quota.is_exceeded(500)
    # The same bytes over two seconds.
    assert quota.measured(2_000) == 75
    assert not quota.is_exceeded(2_000)
    assert quota.measured(3_001) == 0


def test_a_steady_stream_at_the_rate_is_not_exceeded() -> None:
    quota = ReplicationQuota(window_count=11, window_ms=1_000, rate=1_000)
    quota.throttle("t", None)
    for at_ms in range(0, 30_000, 100):
        quota.record(100, at_ms)
    assert 950 <= quota.measured(30_000) <= 1_100


def test_without_a_rate_or_without_replicas_nothing_is_throttled() -> None:
    unlimited = ReplicationQuota(11, 1_000)
    unlimited.throttle("t", None)
    unlimited.record(1 << 40, 0)
    assert not unlimited.is_exceeded(0)
    unlisted = ReplicationQuota(11, 1_000, rate=1)
    unlisted.record(1 << 40, 0)
    assert not unlisted.is_exceeded(0)


def test_partitions_are_throttled_by_topic() -> None:
    quota = ReplicationQuota(11, 1_000)
    quota.throttle("some", frozenset({1}))
    quota.throttle("all", None)
    assert quota.is_throttled("some", 1)
    assert not quota.is_throttled("some", 0)
    assert quota.is_throttled("all", 9)
    assert not quota.is_throttled("none", 0)
    quota.throttle("some", frozenset())
    quota.forget("all")
    assert not quota.is_throttled("some", 1)
    assert not quota.is_throttled("all", 9)


def _image(configs: dict[tuple[int, str], dict[str, str]]) -> MetadataImage:
    return MetadataImage(configs=configs, topics={"t": Topic("t", b"\1" * 16)})


def test_settings_of_the_cluster_are_taken_and_followed() -> None:
    image = _image({(TOPIC, "t"): {"leader.replication.throttled.replicas": "0:1,1:2"}})
    metadata = MetadataCache(BrokerConfig(), image)
    quotas = ReplicationQuotas(1, metadata)
    metadata.subscribe(quotas.image_changed)
    assert quotas.leader.is_throttled("t", 0)
    assert not quotas.leader.is_throttled("t", 1)
    assert not quotas.follower.is_throttled("t", 0)
    changed = _image(
        {
            (BROKER, "1"): {"follower.replication.throttled.rate": "500"},
            (TOPIC, "t"): {"follower.replication.throttled.replicas": "*"},
        }
    )
    metadata.publish(changed)
    assert quotas.follower.rate == 500
    assert quotas.follower.is_throttled("t", 7)
    assert not quotas.leader.is_throttled("t", 0)
