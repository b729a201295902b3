"""Where an instance stands: commits of what was handed out and of what is asked, seeks, assignments."""

from __future__ import annotations

from typing import Any

from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld, produce

_MANUAL = {"auto.commit.enable": "false"}


def _partition(topic: str, **more: Any) -> dict[str, Any]:
    return {"topic": topic, "partition": 0, **more}


def _committed(proxy: ProxyWorld, instance: str, topic: str) -> list[dict[str, Any]]:
    answer = proxy.get(f"{instance}/offsets", {"partitions": [_partition(topic)]})
    assert answer.status_code == 200, answer.text
    offsets: list[dict[str, Any]] = answer.json()["offsets"]
    return offsets


def _reader(proxy: ProxyWorld, group: str, topic: str, **settings: Any) -> str:
    instance = proxy.create(group, "i", **settings)
    assert proxy.post(f"{instance}/subscription", {"topics": [topic]}).status_code == 204
    return instance


def test_a_commit_stores_the_offset_after_the_one_given(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 5)
    instance = _reader(proxy, group, topic, **_MANUAL)
    proxy.read(instance, 5)
    assert _committed(proxy, instance, topic) == []
    done = proxy.post(f"{instance}/offsets", {"offsets": [_partition(topic, offset=2, metadata="m")]})
    assert (done.status_code, done.json()) == (200, [])
    assert _committed(proxy, instance, topic) == [_partition(topic, offset=3, metadata="m")]


def test_an_empty_commit_is_of_what_was_handed_out_not_of_what_was_polled(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 50)
    instance = _reader(proxy, group, topic, **_MANUAL)
    # All fifty are in the buffer or on their way to it by now; one is handed out.
    assert [record["offset"] for record in proxy.read(instance, 1, query="?max_bytes=1")] == [0]
    assert proxy.post(f"{instance}/offsets").status_code == 200
    assert [each["offset"] for each in _committed(proxy, instance, topic)] == [1]


def test_auto_commit_is_of_what_was_handed_out(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 50)
    instance = _reader(proxy, group, topic)
    seen = [record["offset"] for record in proxy.read(instance, 3, query="?max_bytes=3")]
    # It commits when it leaves.
    assert proxy.delete(instance).status_code == 204
    again = _reader(proxy, group, topic)
    assert proxy.read(again, 1)[0]["offset"] == seen[-1] + 1


def test_nothing_is_committed_without_auto_commit(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 3)
    instance = _reader(proxy, group, topic, **_MANUAL)
    proxy.read(instance, 3)
    proxy.delete(instance)
    assert proxy.read(_reader(proxy, group, topic), 1)[0]["offset"] == 0


def test_committed_offsets_without_a_body_are_40402(proxy: ProxyWorld, group: str) -> None:
    instance = proxy.create(group, "i")
    assert proxy.get(f"{instance}/offsets").json()["error_code"] == 40402


def test_a_seek_empties_the_buffer(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    produce(cluster.bootstrap_servers, topic, [b"%d" % number for number in range(30)])
    instance = _reader(proxy, group, topic, **_MANUAL)
    assert proxy.read(instance, 1, query="?max_bytes=2")[0]["offset"] == 0
    assert proxy.post(f"{instance}/positions", {"offsets": [_partition(topic, offset=20)]}).status_code == 204
    assert [record["offset"] for record in proxy.read(instance, 10)] == list(range(20, 30))
    assert proxy.post(f"{instance}/positions/beginning", {"partitions": [_partition(topic)]}).status_code == 204
    assert [record["offset"] for record in proxy.read(instance, 30)] == list(range(30))
    assert proxy.post(f"{instance}/positions", {"offsets": [_partition(topic, offset=7)]}).status_code == 204
    # Where the reader was moved to is where it stands.
    assert proxy.post(f"{instance}/offsets").status_code == 200
    assert [each["offset"] for each in _committed(proxy, instance, topic)] == [7]


def test_seek_to_the_end_sees_only_what_comes(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 5)
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/assignments", {"partitions": [_partition(topic)]})
    proxy.read(instance, 5)
    proxy.post(f"{instance}/positions/beginning", {"partitions": [_partition(topic)]})
    assert proxy.post(f"{instance}/positions/end", {"partitions": [_partition(topic)]}).status_code == 204
    assert proxy.get(f"{instance}/records?timeout=0").json() == []
    produce(cluster.bootstrap_servers, topic, [b"2"])
    assert [record["offset"] for record in proxy.read(instance, 1)] == [5]


def test_seek_to_a_time(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    for second in range(5):
        produce(cluster.bootstrap_servers, topic, [b"1"], timestamp=1_600_000_000_000 + second * 1000)
    instance = _reader(proxy, group, topic)
    wanted = {"timestamps": [_partition(topic, timestamp="2020-09-13T12:26:42.500Z")]}
    assert proxy.post(f"{instance}/positions", wanted).status_code == 204
    assert [record["offset"] for record in proxy.read(instance, 2)] == [3, 4]


def test_assigned_partitions_go_on_from_the_commit(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 5)
    instance = proxy.create(group, "i")
    assert proxy.post(f"{instance}/assignments", {"partitions": [_partition(topic)]}).status_code == 204
    assert proxy.get(f"{instance}/assignments").json() == {"partitions": [_partition(topic)]}
    proxy.read(instance, 5)
    proxy.post(f"{instance}/offsets", {"offsets": [_partition(topic, offset=1)]})
    other = proxy.create(group, "other")
    proxy.post(f"{other}/assignments", {"partitions": [_partition(topic)]})
    assert [record["offset"] for record in proxy.read(other, 3)] == [2, 3, 4]


def test_ways_to_choose_exclude_each_other(proxy: ProxyWorld, topic: str, group: str) -> None:
    subscription = {"topics": [topic]}
    assignment = {"partitions": [_partition(topic)]}
    instance = proxy.create(group, "i")
    seek = {"offsets": [_partition(topic, offset=0)]}
    assert proxy.post(f"{instance}/positions", seek).json()["error_code"] == 40903
    assert proxy.post(f"{instance}/assignments", assignment).status_code == 204
    for body in (subscription, {"topic_pattern": ".*"}):
        refused = proxy.post(f"{instance}/subscription", body)
        assert (refused.status_code, refused.json()["error_code"]) == (409, 40903)
    assert proxy.delete(f"{instance}/subscription").status_code == 204
    assert proxy.get(f"{instance}/assignments").json() == {"partitions": []}
    assert proxy.post(f"{instance}/subscription", subscription).status_code == 204
    assert proxy.post(f"{instance}/assignments", assignment).json()["error_code"] == 40903
    assert proxy.post(f"{instance}/subscription", {"topic_pattern": ".*"}).json()["error_code"] == 40903
    # The same way again replaces.
    assert proxy.post(f"{instance}/subscription", {"topics": [topic, "other"]}).status_code == 204
    assert proxy.get(f"{instance}/subscription").json() == {"topics": sorted([topic, "other"])}


def test_positions_and_metadata_that_cannot_be(proxy: ProxyWorld, topic: str, group: str) -> None:
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/assignments", {"partitions": [_partition(topic)]})
    for timestamp in (99999999999999999999, -1, 1.5, "yesterday"):
        body = {"timestamps": [_partition(topic, timestamp=timestamp)]}
        assert proxy.post(f"{instance}/positions", body).status_code == 422, timestamp
    # A time without a zone, and one before all of Kafka.
    body = {"timestamps": [_partition(topic, timestamp="0001-01-01T00:00:00")]}
    assert proxy.post(f"{instance}/positions", body).status_code == 204
    # Brokers hang up on who sends metadata that is longer than the protocol has room for.
    body = {"offsets": [_partition(topic, offset=1, metadata="x" * 70_000)]}
    assert proxy.post(f"{instance}/offsets", body).status_code == 422
