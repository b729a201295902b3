"""Several instances in one group: nobody stalls, nothing is handed out twice."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from riacho.testing import KafkaCluster
from support.rest_proxy_world import TIMEOUT_S, ProxyWorld, produce


def _until(is_so: Callable[[], bool]) -> None:
    """Each look is a call of the proxy; there is nothing to wait for in between."""
    deadline = monotonic() + TIMEOUT_S
    while not is_so():
        assert monotonic() < deadline, "it did not come to that"


def _assignment(proxy: ProxyWorld, instance: str) -> list[dict[str, Any]]:
    partitions: list[dict[str, Any]] = proxy.get(f"{instance}/assignments").json()["partitions"]
    return partitions


def _two_partitions(cluster: KafkaCluster, topic: str) -> str:
    name = f"{topic}-of-two"
    cluster.create_topic(name, partitions=2)
    return name


def test_a_second_instance_gets_its_share_while_nobody_asks_the_first(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    two = _two_partitions(cluster, topic)
    first, second = proxy.create(group, "first"), proxy.create(group, "second")
    proxy.post(f"{first}/subscription", {"topics": [two]})
    _until(lambda: len(_assignment(proxy, first)) == 2)
    proxy.post(f"{second}/subscription", {"topics": [two]})
    # Only the second is asked: the first takes part in the rebalance by itself.
    _until(lambda: len(_assignment(proxy, second)) == 1)


def test_what_was_buffered_of_a_revoked_partition_is_read_by_its_new_owner_only(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    two = _two_partitions(cluster, topic)
    for partition in (0, 1):
        produce(cluster.bootstrap_servers, two, [b"%d" % number for number in range(100)], partition=partition)
    first, second = proxy.create(group, "first"), proxy.create(group, "second")
    proxy.post(f"{first}/subscription", {"topics": [two]})
    # One record is handed out, so the others are on their way to the buffer.
    seen = [(record["partition"], record["offset"]) for record in proxy.read(first, 1, query="?max_bytes=1")]
    proxy.post(f"{second}/subscription", {"topics": [two]})
    _until(lambda: len(_assignment(proxy, second)) == 1 and len(_assignment(proxy, first)) == 1)
    for instance in (first, second):
        (owned,) = _assignment(proxy, instance)
        wanted = 100 - sum(partition == owned["partition"] for partition, _ in seen)
        seen += [(record["partition"], record["offset"]) for record in proxy.read(instance, wanted)]
    assert sorted(seen) == [(partition, offset) for partition in (0, 1) for offset in range(100)]


def test_a_full_buffer_does_not_keep_the_group_waiting_and_loses_nothing(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    two = _two_partitions(cluster, topic)
    count = 15_000
    for partition in (0, 1):
        produce(cluster.bootstrap_servers, two, [b"1"] * count, partition=partition)
    first, second = proxy.create(group, "first"), proxy.create(group, "second")
    proxy.post(f"{first}/subscription", {"topics": [two]})
    buffer = _buffer(proxy, group, "first")
    _until(lambda: bool(_assignment(proxy, first)) and buffer.is_full)
    proxy.post(f"{second}/subscription", {"topics": [two]})
    _until(lambda: len(_assignment(proxy, second)) == 1 and len(_assignment(proxy, first)) == 1)
    for instance in (first, second):
        assert [record["offset"] for record in proxy.read(instance, count)] == list(range(count))


def _buffer(proxy: ProxyWorld, group: str, name: str) -> Any:
    """What no client sees: whether the poller has filled its buffer."""
    instance: Any = proxy.consumers._instances[group, name]
    return instance._poller.buffer


def test_partitions_of_a_deleted_instance_go_to_the_other(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    two = _two_partitions(cluster, topic)
    first, second = proxy.create(group, "first"), proxy.create(group, "second")
    for instance in (first, second):
        proxy.post(f"{instance}/subscription", {"topics": [two]})
    _until(lambda: len(_assignment(proxy, first)) == 1 and len(_assignment(proxy, second)) == 1)
    proxy.delete(first)
    _until(lambda: len(_assignment(proxy, second)) == 2)


def test_a_pattern_finds_topics_that_come_later(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    instance = proxy.create(group, "i")
    assert proxy.post(f"{instance}/subscription", {"topic_pattern": f"{topic}(-late)?"}).status_code == 204
    assert proxy.get(f"{instance}/subscription").json() == {"topics": [topic]}
    cluster.create_topic(f"{topic}-late")
    cluster.create_topic(f"{topic}-later")

    def has_found() -> bool:
        proxy.thread.run(proxy.consumers.refresh_patterns())
        return bool(proxy.get(f"{instance}/subscription").json() == {"topics": [topic, f"{topic}-late"]})

    _until(has_found)
    produce(cluster.bootstrap_servers, f"{topic}-late", [b"1"])
    assert [record["topic"] for record in proxy.read(instance, 1)] == [f"{topic}-late"]
    refused = proxy.post(f"{instance}/subscription", {"topic_pattern": "("})
    assert (refused.status_code, refused.json()["error_code"]) == (422, 422)


def test_all_topics_are_not_those_of_kafka_itself(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    # Somebody has committed, so there is a topic of offsets.
    reader = proxy.create(group, "reader")
    proxy.post(f"{reader}/assignments", {"partitions": [{"topic": topic, "partition": 0}]})
    proxy.post(f"{reader}/offsets", {"offsets": [{"topic": topic, "partition": 0, "offset": 0}]})
    _until(lambda: "__consumer_offsets" in proxy.get("/topics").json())
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/subscription", {"topic_pattern": ".*"})
    found = proxy.get(f"{instance}/subscription").json()["topics"]
    assert topic in found
    assert "__consumer_offsets" not in found
