"""Brokers, the overview, and moves of replicas."""

from __future__ import annotations

import uuid

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource

from riacho.client.connection import Connection
from riacho.console.clusters.picture import TopicFacts
from riacho.testing import KafkaCluster
from riacho.wire.schema import Message
from support.control_center import CLUSTER, ControlCenterService
from support.schema_registry_process import until

BROKERS = f"{CLUSTER}/brokers"


def test_what_each_has_to_carry(console: ControlCenterService, brokers: KafkaCluster) -> None:
    name = f"b-{uuid.uuid4().hex[:8]}"
    console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 2, "replication": 2})
    console.look()
    page = console.get(BROKERS).json()
    assert [row["id"] for row in page["items"]] == [1, 2]
    assert (page["total"], page["stale_reason"]) == (2, None)
    for row in page["items"]:
        assert row["replicas"] >= 2
        assert row["disk_used_bytes"] >= 0
        assert row["disk_total_bytes"] > row["disk_free_bytes"] > 0
        assert (row["is_fenced"], row["software"], row["uptime_s"]) == (False, None, None)
    assert sum(row["is_controller"] for row in page["items"]) == 1
    assert [row["id"] for row in console.get(f"{BROKERS}?sort=-id").json()["items"]] == [2, 1]


def test_one_with_its_disks_and_settings(console: ControlCenterService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its disks what the last look has: a broker goes through all of its partitions for that."""
    console.look()
    asked: list[str] = []
    send = Connection.send

    def noted(self: Connection, request: Message, version: int | None = None) -> object:
        asked.append(request.NAME)
        return send(self, request, version)

    monkeypatch.setattr(Connection, "send", noted)
    broker = console.get(f"{BROKERS}/1").json()
    assert asked == ["DescribeConfigsRequest"]
    assert 0 < broker["log_dirs_as_of_ms"] <= broker["as_of_ms"]
    [directory] = broker["log_dirs"]
    assert directory["path"].startswith("/")
    assert directory["error"] is None
    assert directory["total_bytes"] > directory["free_bytes"] > 0
    rows = {row["name"]: row for row in broker["config"]}
    assert (rows["node.id"]["value"], rows["node.id"]["can_change_now"]) == ("1", False)
    assert rows["log.cleaner.threads"]["can_change_now"]
    assert all(row["about"] for row in rows.values())
    assert all(row["value"] is None for row in rows.values() if row["is_sensitive"])


def test_what_one_has_to_carry(console: ControlCenterService) -> None:
    name = f"r-{uuid.uuid4().hex[:8]}"
    console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 4, "replication": 2})
    rows = [console.get(f"{BROKERS}/{each}/replicas?q={name}").json()["items"] for each in (1, 2)]
    assert [[row["partition"] for row in each] for each in rows] == [[0, 1, 2, 3]] * 2
    for own, other in zip(*rows, strict=True):
        assert own["is_leader"] is not other["is_leader"]
        assert own["is_in_sync"]
        assert (sorted(own["replicas"]), own["leader"]) == ([1, 2], other["leader"])
    led = console.get(f"{BROKERS}/1/replicas?q={name}&role=leader").json()
    followed = console.get(f"{BROKERS}/1/replicas?q={name}&role=follower").json()
    assert led["total"] == sum(row["is_leader"] for row in rows[0])
    assert led["total"] + followed["total"] == 4
    assert console.get(f"{BROKERS}/1/replicas?q={name}&behind=true").json()["items"] == []
    assert console.get(f"{BROKERS}/1/replicas?role=boss").status_code == 400
    assert console.get(f"{BROKERS}/9/replicas").status_code == 404


def test_settings_are_set_and_unset(console: ControlCenterService) -> None:
    def value() -> tuple[str, str]:
        rows = {row["name"]: row for row in console.get(f"{BROKERS}/1").json()["config"]}
        return rows["log.cleaner.threads"]["value"], rows["log.cleaner.threads"]["source"]

    before = value()
    assert console.patch(f"{BROKERS}/1/config", {"set": {"log.cleaner.threads": "2"}}).status_code == 204
    assert value() == ("2", "DYNAMIC_BROKER_CONFIG")
    assert console.patch(f"{BROKERS}/1/config", {"unset": ["log.cleaner.threads"]}).status_code == 204
    assert value() == before
    refused = console.patch(f"{BROKERS}/1/config", {"set": {"node.id": "5"}})
    assert refused.status_code == 400
    assert "node.id" in refused.json()["message"]


def test_settings_of_all_brokers_at_once(console: ControlCenterService) -> None:
    path = f"{CLUSTER}/broker-defaults"

    def rows() -> dict[str, dict[str, object]]:
        return {row["name"]: row for row in console.get(path).json()}

    before = rows()
    threads = before["log.cleaner.threads"]
    assert (threads["value"], threads["default"], threads["source"]) == (None, "1", "DEFAULT_CONFIG")
    assert "node.id" not in before, "it cannot change while a broker runs"
    assert "advertised.listeners" not in before, "each broker has its own"
    assert console.patch(path, {"set": {"log.cleaner.threads": "2"}}).status_code == 204
    threads = rows()["log.cleaner.threads"]
    assert (threads["value"], threads["default"], threads["source"]) == ("2", "1", "DYNAMIC_DEFAULT_BROKER_CONFIG")
    assert threads["about"]
    of_one = {row["name"]: row for row in console.get(f"{BROKERS}/2").json()["config"]}["log.cleaner.threads"]
    assert (of_one["value"], of_one["source"]) == ("2", "DYNAMIC_DEFAULT_BROKER_CONFIG")
    [entry] = console.get("/api/v1/audit?what=broker-defaults&page_size=1").json()["items"]
    assert (entry["notes"], entry["outcome"]) == ({"set": "log.cleaner.threads", "unset": ""}, "done")
    assert console.patch(path, {"unset": ["log.cleaner.threads"]}).status_code == 204
    assert rows() == before
    assert console.patch(path, {"set": {"node.id": "5"}}).status_code == 400
    assert console.patch(path, {}).status_code == 422


@pytest.mark.parametrize("broker", ["9", "-1", "x", "99999999999999999999", "1%2F..", "%31x"])
def test_brokers_that_are_not_there(console: ControlCenterService, broker: str) -> None:
    assert console.get(f"{BROKERS}/{broker}").status_code == 404
    assert console.patch(f"{BROKERS}/{broker}/config", {"set": {"a": "b"}}).status_code == 404


def test_the_overview(console: ControlCenterService) -> None:
    seen = console.get(f"{CLUSTER}/overview").json()
    assert seen["brokers"] == {"total": 2, "online": 2}
    assert seen["controller"] == seen["quorum"]["leader"] == 1
    assert [voter["id"] for voter in seen["quorum"]["voters"]] == [1]
    assert seen["quorum"]["voters"][0]["lag"] == 0
    assert (seen["offline"], seen["under_replicated"], seen["under_min_isr"]) == (0, 0, 0)
    assert (seen["bytes_in_per_s"], seen["requests_per_s"]) == (None, None)
    # Both brokers are on this machine's disk: others may write to it between the two readings, but its size stays.
    [one, two] = console.get(BROKERS).json()["items"]
    assert one["disk_total_bytes"] == two["disk_total_bytes"]
    assert 0 < seen["disk"]["free_bytes"] < seen["disk"]["total_bytes"]
    assert seen["stale_reason"] is None


def test_what_kind_of_cluster_it_is(console: ControlCenterService) -> None:
    [row] = console.get("/api/v1/clusters").json()
    assert (row["is_riacho"], row["kafka_version"]) == (True, "4.3")


def _throttles(brokers: KafkaCluster, topic: str) -> dict[str, str]:
    """Of the topic and of both brokers, as brokers tell them to any client."""
    admin = AdminClient(brokers.client_settings())
    asked = [ConfigResource(ConfigResource.Type.TOPIC, topic)]
    asked += [ConfigResource(ConfigResource.Type.BROKER, node) for node in ("1", "2")]
    # One broker is asked at a time.
    told = [next(iter(admin.describe_configs([each]).values())).result() for each in asked]
    return {
        f"{name.split('.')[0]} {place}": entry.value
        for place, configs in enumerate(told)
        for name, entry in configs.items()
        if ".replication.throttled." in name and entry.value and not entry.is_default
    }


def test_a_throttle_ends_with_its_move(console: ControlCenterService, brokers: KafkaCluster) -> None:
    """A megabyte at a kilobyte a second takes until it is cancelled; the way back has nothing to copy."""
    name = f"t-{uuid.uuid4().hex[:8]}"
    console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 1, "replication": 1})
    [before] = console.get(f"{CLUSTER}/topics/{name}/partitions").json()
    [old] = before["replicas"]
    brokers.produce(name, *("x" * 100_000 for _ in range(20)))
    console.look()
    path = f"{CLUSTER}/reassignments"
    move = {"topic": name, "partition": 0, "replicas": [3 - old]}
    for wrong in (0, -1, 1 << 63, "5"):
        assert console.post(path, {"partitions": [move], "throttle_bytes_per_s": wrong}).status_code == 422
    assert console.post(path, {"partitions": [move], "throttle_bytes_per_s": 1_000}).json()["taken"] == 1
    assert _throttles(brokers, name) == {
        "leader 0": f"0:{old}", "follower 0": f"0:{3 - old}",
        "leader 1": "1000", "follower 1": "1000", "leader 2": "1000", "follower 2": "1000",
    }  # fmt: skip
    shown = console.get(f"{path}/throttle").json()
    assert shown == [{"broker": n, "leader_bytes_per_s": 1_000, "follower_bytes_per_s": 1_000} for n in (1, 2)]
    [entry] = console.get("/api/v1/audit?what=reassignments&page_size=1").json()["items"]
    assert entry["notes"] == {"throttle_bytes_per_s": "1000"}
    console.look()
    assert _throttles(brokers, name)["leader 1"] == "1000", "it moves still"
    assert console.delete(path).json()["taken"] == 1
    console.look()
    until(lambda: _throttles(brokers, name) == {})
    assert console.get(f"{path}/throttle").json() == []


def test_a_throttle_that_others_left_is_seen_and_taken_away(
    console: ControlCenterService, brokers: KafkaCluster
) -> None:
    name = f"t-{uuid.uuid4().hex[:8]}"
    console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 1, "replication": 1})
    console.patch(f"{CLUSTER}/topics/{name}/config", {"set": {"leader.replication.throttled.replicas": "0:1"}})
    console.patch(f"{BROKERS}/2/config", {"set": {"follower.replication.throttled.rate": "77"}})
    path = f"{CLUSTER}/reassignments/throttle"
    assert console.get(path).json() == [{"broker": 2, "leader_bytes_per_s": None, "follower_bytes_per_s": 77}]
    console.look()
    assert _throttles(brokers, name), "it is not ours to end"
    assert console.delete(path).status_code == 204
    assert _throttles(brokers, name) == {}
    assert console.get(path).json() == []


def test_replicas_that_somebody_has_written_down(console: ControlCenterService) -> None:
    name = f"h-{uuid.uuid4().hex[:8]}"
    console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 2, "replication": 1})
    console.look()
    [zero, one] = console.get(f"{CLUSTER}/topics/{name}/partitions").json()
    old = zero["replicas"][0]

    def move(partition: int, *replicas: int, topic: str = name) -> dict[str, object]:
        return {"topic": topic, "partition": partition, "replicas": list(replicas)}

    path = f"{CLUSTER}/reassignments"
    asked = [move(0, 3 - old, old), move(1, *one["replicas"])]
    plan = console.post(f"{path}/plan", {"assignments": asked}).json()
    assert [(row["new"], row["adding"], row["bytes_to_copy"]) for row in plan["rows"]] == [
        ([3 - old, old], [3 - old], 0)
    ]
    assert plan["unchanged"] == 1
    for wrong, status, told in (
        ([move(0, 1, 1)], 422, f"{name}-0 names a broker twice: 1, 1."),
        ([move(0, 1), move(0, 2)], 422, f"{name}-0 is there twice."),
        ([move(0, 77)], 422, f"{name}-0: there is no broker 77."),
        ([move(9, 1)], 422, f"{name} has no partition 9."),
        ([move(0, 1, topic="none")], 404, "There is no topic none."),
    ):
        refused = console.post(f"{path}/plan", {"assignments": wrong})
        assert (refused.status_code, refused.json()["message"]) == (status, told)
    for body in ({"assignments": asked, "brokers": [1]}, {"assignments": [], "brokers": []}, {"topics": {name: None}}):
        assert console.post(f"{path}/plan", body).status_code == 422
    assert (
        console.post(path, {"partitions": [move(0, 1, 1)]}).json()["message"] == f"{name}-0 names a broker twice: 1, 1."
    )


def test_replicas_are_moved(console: ControlCenterService) -> None:
    name = f"m-{uuid.uuid4().hex[:8]}"
    console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 1, "replication": 1})
    [before] = console.get(f"{CLUSTER}/topics/{name}/partitions").json()
    target = 3 - before["replicas"][0]
    path = f"{CLUSTER}/reassignments"
    console.look()
    asked = {"topics": {name: None}, "brokers": [target]}
    plan = console.post(f"{path}/plan", asked).json()
    assert [(row["old"], row["new"]) for row in plan["rows"]] == [(before["replicas"], [target])]
    assert (plan["unchanged"], plan["bytes_to_copy"]) == (0, 0)
    assert [row["id"] for row in plan["brokers"]] == [1, 2]
    assert console.get(f"{CLUSTER}/topics/{name}/partitions").json()[0]["replicas"] == before["replicas"]
    moved = console.post(path, {"partitions": [{"topic": name, "partition": 0, "replicas": [target]}]})
    assert (moved.status_code, moved.json()) == (200, {"taken": 1, "refused": []})

    def is_moved(topic: TopicFacts | None) -> bool:
        return topic is not None and topic.partitions[0].replicas == (target,)

    console.thread.run(console.cluster.changed_topic(name, is_moved))
    assert console.get(f"{CLUSTER}/topics/{name}/partitions").json()[0]["replicas"] == [target]
    assert console.get(path).json() == []
    assert console.delete(path).json() == {"taken": 0, "refused": []}
    wrong = console.post(path, {"partitions": [{"topic": name, "partition": 0, "replicas": [77]}]})
    assert (wrong.status_code, wrong.json()["kafka_error"]) == (400, "INVALID_REPLICA_ASSIGNMENT")
    partly = console.post(
        path,
        {
            "partitions": [
                {"topic": name, "partition": 0, "replicas": [target]},
                {"topic": name, "partition": 5, "replicas": [1]},
            ]
        },
    ).json()
    assert (partly["taken"], [row["partition"] for row in partly["refused"]]) == (1, [5])
    assert console.post(path, {"partitions": []}).status_code == 422
    idle = console.delete(path, {"partitions": [{"topic": name, "partition": 0}]})
    assert (idle.status_code, idle.json()["kafka_error"]) == (409, "NO_REASSIGNMENT_IN_PROGRESS")


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"brokers": [1]}, 422),
        ({"topics": {"nothing-of-the-kind": None}, "brokers": [1]}, 404),
        ({"from_broker": 1, "brokers": [1]}, 422),
        ({"from_broker": 1, "brokers": [7]}, 422),
        ({"from_broker": 1, "brokers": []}, 422),
        ({"from_broker": 1, "brokers": [2], "replication": 3}, 422),
    ],
)
def test_moves_that_cannot_be_planned(console: ControlCenterService, asked: dict[str, object], status: int) -> None:
    console.post(f"{CLUSTER}/topics", {"name": "planned", "partitions": 1, "replication": 2})
    assert console.post(f"{CLUSTER}/reassignments/plan", asked).status_code == status


def test_a_broker_that_is_away_keeps_its_page() -> None:
    with KafkaCluster({"broker.session.timeout.ms": 1000, "broker.heartbeat.interval.ms": 200}, brokers=2) as two:
        two.create_topic("t", 2, replication_factor=2)
        console = ControlCenterService(two.bootstrap_servers)
        try:
            two.kill(2)
            until(lambda: console.look() or console.get(f"{BROKERS}/2").json()["is_fenced"])
            page = console.get(f"{BROKERS}/2").json()
            assert (page["config"], page["log_dirs"], page["details_missing"]) == ([], [], "Broker 2 is away.")
            assert (page["leaders"], page["replicas"], page["in_sync"]) == (0, 2, 0)
            assert console.get(f"{BROKERS}/2/replicas?behind=true").json()["total"] == 2
            refused = console.post(f"{CLUSTER}/reassignments/plan", {"topics": {"t": None}, "brokers": [1, 2]})
            assert refused.json()["message"] == "Broker 2 is away, and nothing can be moved to it."
            console.post(f"{CLUSTER}/topics", {"name": "one", "partitions": 1, "replication": 1})
            move = {"topic": "one", "partition": 0, "replicas": [1, 2]}
            assert console.post(f"{CLUSTER}/reassignments", {"partitions": [move]}).json()["taken"] == 1
            [moving] = console.get(f"{CLUSTER}/reassignments").json()
            assert (moving["adding"], moving["away"], moving["bytes_copied"]) == ([2], [2], None)
            two.kill(1)
            console.look()
            page = console.get(f"{BROKERS}/1").json()
            assert page["stale_reason"] == page["details_missing"] is not None
            topic = console.get(f"{CLUSTER}/topics/t").json()
            assert (topic["partitions"], topic["config_overrides"]) == (2, None)
        finally:
            console.stop()
