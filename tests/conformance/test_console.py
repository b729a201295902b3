"""The console on our broker and on Apache Kafka: what it shows and changes is the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Producer

from conformance.running_broker import RunningBroker
from support.control_center import CLUSTER, ControlCenterService

TOPICS, GROUPS = f"{CLUSTER}/topics", f"{CLUSTER}/groups"


@pytest.fixture(scope="module")
def console(broker: RunningBroker) -> Iterator[ControlCenterService]:
    service = ControlCenterService(broker.bootstrap)
    yield service
    service.stop()


def fill(broker: RunningBroker, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for number in range(count):
        producer.produce(topic, str(number), partition=0)
    assert producer.flush(30) == 0


def test_what_is_seen_of_a_cluster(broker: RunningBroker, console: ControlCenterService) -> None:
    console.look()
    [row] = console.get("/api/v1/clusters").json()
    assert (row["state"], row["kafka_version"]) == ("up", "4.3")
    assert row["is_riacho"] is (broker.kind == "riacho")
    seen = console.get(f"{CLUSTER}/overview").json()
    assert seen["brokers"] == {"total": 1, "online": 1}
    assert seen["quorum"]["voters"][0]["lag"] == 0
    assert seen["disk"]["free_bytes"] > 0
    assert (seen["stale_reason"], seen["under_min_isr"]) == (None, 0)
    [listed] = console.get(f"{CLUSTER}/brokers").json()["items"]
    page = console.get(f"{CLUSTER}/brokers/{listed['id']}").json()
    assert page["log_dirs"][0]["error"] is None
    rows = {row["name"]: row for row in page["config"]}
    assert rows["log.cleaner.threads"]["can_change_now"]
    assert not rows["node.id"]["can_change_now"]
    assert rows["log.retention.hours"]["about"]
    assert "<" not in "".join(row["about"] or "" for row in rows.values() if row["name"].startswith("log."))


def test_a_topic_from_first_to_last(broker: RunningBroker, console: ControlCenterService, name: str) -> None:
    body = {"name": name, "partitions": 2, "replication": 1, "config": {"retention.ms": "90000"}}
    assert console.post(TOPICS, body).status_code == 201
    fill(broker, name, 7)
    console.look()
    topic = console.get(f"{TOPICS}/{name}").json()
    assert (topic["messages"], topic["retention_ms"], topic["cleanup_policy"]) == (7, 90000, "delete")
    assert topic["config_overrides"] == {"retention.ms": "90000"}
    assert topic["size_bytes"] >= 0
    config = {row["name"]: row for row in console.get(f"{TOPICS}/{name}/config").json()}["retention.ms"]
    assert (config["source"], config["default"]) == ("DYNAMIC_TOPIC_CONFIG", "604800000")
    assert console.patch(f"{TOPICS}/{name}/config", {"unset": ["retention.ms"]}).status_code == 204
    assert console.get(f"{TOPICS}/{name}").json()["retention_ms"] == 604800000
    assert console.post(f"{TOPICS}/{name}/purge", {"partitions": {"0": 3}}).json()["partitions"] == {"0": 3}
    assert console.get(f"{TOPICS}/{name}").json()["messages"] == 4
    assert console.post(f"{TOPICS}/{name}/partitions", {"count": 3}).status_code == 204
    assert console.post(f"{TOPICS}/{name}/clone", {"name": f"{name}-copy"}).status_code == 201
    assert console.get(f"{TOPICS}/{name}-copy").json()["partitions"] == 3
    for each in (name, f"{name}-copy"):
        assert console.delete(f"{TOPICS}/{each}").status_code == 204
        assert console.get(f"{TOPICS}/{each}").status_code == 404


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_group_is_shown_moved_and_deleted(
    broker: RunningBroker, console: ControlCenterService, name: str, protocol: str
) -> None:
    assert console.post(TOPICS, {"name": name, "partitions": 1, "replication": 1}).status_code == 201
    fill(broker, name, 5)
    consumer = Consumer(
        {"bootstrap.servers": broker.bootstrap, "group.id": name, "group.protocol": protocol,
         "auto.offset.reset": "earliest", "enable.auto.commit": False}
    )  # fmt: skip
    try:
        consumer.subscribe([name])
        assert consumer.poll(60.0) is not None
        consumer.commit(asynchronous=False)
        console.look()
        [row] = console.get(f"{GROUPS}?q={name}").json()["items"]
        assert (row["type"], row["members"], row["topics"], row["lag"]) == (protocol, 1, 1, 4)
        [offset] = console.get(f"{GROUPS}/{name}").json()["offsets"]
        assert (offset["committed"], offset["next_offset"], offset["lag"]) == (1, 5, 4)
        assert offset["member"]
        preview = console.post(f"{GROUPS}/{name}/offsets/preview", {"topics": {name: None}, "to": "latest"}).json()
        assert "1 member" in preview["refused"]
        assert console.post(f"{GROUPS}/{name}/offsets", {"rows": preview["rows"]}).status_code == 409
        assert console.delete(f"{GROUPS}/{name}").status_code == 409
    finally:
        consumer.close()
    console.look()
    preview = console.post(f"{GROUPS}/{name}/offsets/preview", {"topics": {name: None}, "to": "latest"}).json()
    assert preview["refused"] is None
    assert console.post(f"{GROUPS}/{name}/offsets", {"rows": preview["rows"]}).status_code == 204
    assert console.get(f"{GROUPS}?q={name}").json()["items"][0]["lag"] == 0
    assert console.delete(f"{GROUPS}/{name}").status_code == 204
    assert console.get(f"{GROUPS}/{name}").status_code == 404
