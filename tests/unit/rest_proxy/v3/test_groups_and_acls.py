"""Consumer groups and their lag; access rules."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld, produce

_JSON = "application/json"
_RULE = {
    "resource_type": "TOPIC",
    "resource_name": "t-",
    "pattern_type": "PREFIXED",
    "principal": "User:alice",
    "host": "*",
    "operation": "READ",
    "permission": "ALLOW",
}


def test_a_group_its_members_and_its_lag(
    proxy: ProxyWorld, base: str, topic: str, cluster: KafkaCluster, cluster_id: str
) -> None:
    group = f"group-of-{topic}"
    for partition in (0, 1):
        produce(cluster.bootstrap_servers, topic, [b"1"] * 10, partition=partition)
    reader = proxy.create(group, "i", **{"auto.commit.enable": "false"})
    proxy.post(f"{reader}/subscription", {"topics": [topic]})
    proxy.read(reader, 20)
    offsets = [{"topic": topic, "partition": p, "offset": o} for p, o in ((0, 2), (1, 8))]
    assert proxy.post(f"{reader}/offsets", {"offsets": offsets}).status_code == 200
    path = f"{base}/consumer-groups/{group}"
    found = proxy.get(path).json()
    assert (found["kind"], found["state"], found["type"], found["is_simple"]) == (
        "KafkaConsumerGroup", "STABLE", "CLASSIC", False
    )  # fmt: skip
    assert found["coordinator"] == {"related": f"http://proxy:8082{base}/brokers/1"}
    assert found in proxy.get(f"{base}/consumer-groups").json()["data"]
    (member,) = proxy.get(f"{path}/consumers").json()["data"]
    consumer = f"{path}/consumers/{member['consumer_id']}"
    assert proxy.get(consumer).json() == member
    first, second = proxy.get(f"{consumer}/assignments").json()["data"]
    assert (first["partition_id"], second["partition_id"]) == (0, 1)
    assert proxy.get(f"{consumer}/assignments/{topic}/partitions/1").json() == second
    assert second["lag"] == {"related": f"http://proxy:8082{path}/lags/{topic}/partitions/1"}
    lags = proxy.get(f"{path}/lags").json()["data"]
    assert [(lag["current_offset"], lag["log_end_offset"], lag["lag"]) for lag in lags] == [(3, 10, 7), (9, 10, 1)]
    assert lags[0]["consumer_id"] == member["consumer_id"]
    assert proxy.get(f"{path}/lags/{topic}/partitions/0").json() == lags[0]
    summary = proxy.get(f"{path}/lag-summary").json()
    assert (summary["max_lag"], summary["total_lag"], summary["max_lag_partition_id"]) == (7, 8, 0)
    assert summary["metadata"]["resource_name"] == f"crn:///kafka={cluster_id}/consumer-group={group}/lag-summary"
    proxy.delete(reader)
    # Nobody reads, and the lag is still there.
    lags = proxy.get(f"{path}/lags").json()["data"]
    assert [(lag["consumer_id"], lag["lag"]) for lag in lags] == [("", 7), ("", 1)]


def test_groups_that_are_not_there(proxy: ProxyWorld, base: str) -> None:
    for below in ("", "/consumers", "/consumers/x", "/lags", "/lag-summary", "/lags/t/partitions/0"):
        answer = proxy.get(f"{base}/consumer-groups/nobody{below}")
        assert (answer.status_code, answer.json()["error_code"]) == (404, 404)


def test_access_rules_from_creation_to_deletion(proxy: ProxyWorld, base: str, cluster_id: str) -> None:
    path = f"{base}/acls"
    created = proxy.post(path, _RULE, content_type=_JSON)
    assert (created.status_code, created.content) == (201, b"")
    rule = {
        "kind": "KafkaAcl",
        "metadata": {"self": created.headers["location"]},
        "cluster_id": cluster_id,
        **_RULE,
    }
    assert proxy.get(created.headers["location"].removeprefix("http://proxy:8082")).json()["data"] == [rule]
    about_cluster = {
        **_RULE,
        "resource_type": "CLUSTER",
        "resource_name": "kafka-cluster",
        "pattern_type": "LITERAL",
        "operation": "DESCRIBE",
        "permission": "DENY",
    }
    # One of them twice, and one that is there.
    many = {"data": [about_cluster, about_cluster, _RULE]}
    assert proxy.post(f"{path}:batch", many, content_type=_JSON).status_code == 201

    def found(query: str) -> list[str]:
        return [each["resource_type"] for each in proxy.get(f"{path}?{query}").json()["data"]]

    assert found("") == ["CLUSTER", "TOPIC"]
    assert found("resource_type=cluster") == ["CLUSTER"]
    assert found("principal=User:alice&permission=ALLOW") == ["TOPIC"]
    assert found("resource_type=TOPIC&resource_name=t-1&pattern_type=MATCH") == ["TOPIC"]
    assert found("operation=WRITE") == []
    assert proxy.delete(path).status_code == 400
    deleted = proxy.delete(f"{path}?resource_type=TOPIC&pattern_type=PREFIXED&operation=READ&permission=ALLOW")
    assert (deleted.status_code, deleted.json()) == (200, {"data": [rule]})
    assert proxy.delete(f"{path}?resource_type=ANY").json()["data"][0]["permission"] == "DENY"
    assert found("") == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"resource_type": "ANY"}, (400, 400)),
        ({"resource_type": "UNKNOWN"}, (400, 400)),
        ({"resource_type": "DELEGATION_TOKEN"}, (400, 400)),
        ({"pattern_type": "MATCH"}, (400, 400)),
        ({"operation": "ANY"}, (400, 400)),
        ({"operation": "FLY"}, (400, 400)),
        ({"permission": "ANY"}, (400, 400)),
        ({"principal": None}, (400, 400)),
    ],
)
def test_rules_that_cannot_be(proxy: ProxyWorld, base: str, change: dict[str, Any], told: tuple[int, int]) -> None:
    answer = proxy.post(f"{base}/acls", {**_RULE, **change}, content_type=_JSON)
    assert (answer.status_code, answer.json()["error_code"]) == told
    assert proxy.get(f"{base}/acls?operation=FLY").json()["error_code"] == 400
