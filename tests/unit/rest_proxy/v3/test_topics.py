"""Clusters, brokers, topics, partitions, replicas of the v3 API: shapes, links, codes."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld, produce

_JSON = "application/json"
_HOST = "http://proxy:8082"


def test_the_cluster(proxy: ProxyWorld, base: str, cluster_id: str) -> None:
    listed = proxy.get("/v3/clusters").json()
    assert listed["kind"] == "KafkaClusterList"
    assert listed["metadata"] == {"self": f"{_HOST}/v3/clusters", "next": None}
    assert listed["data"] == [proxy.get(base).json()]
    assert proxy.get(base).json() == {
        "kind": "KafkaCluster",
        "metadata": {"self": f"{_HOST}{base}", "resource_name": f"crn:///kafka={cluster_id}"},
        "cluster_id": cluster_id,
        "controller": {"related": f"{_HOST}{base}/brokers/1"},
        "acls": {"related": f"{_HOST}{base}/acls"},
        "brokers": {"related": f"{_HOST}{base}/brokers"},
        "broker_configs": {"related": f"{_HOST}{base}/broker-configs"},
        "consumer_groups": {"related": f"{_HOST}{base}/consumer-groups"},
        "topics": {"related": f"{_HOST}{base}/topics"},
        "partition_reassignments": {"related": f"{_HOST}{base}/topics/-/partitions/-/reassignment"},
    }


def test_another_cluster_is_not_there(proxy: ProxyWorld) -> None:
    for below in ("", "/brokers", "/topics", "/topics/t", "/acls", "/consumer-groups", "/broker-configs"):
        answer = proxy.get(f"/v3/clusters/other{below}")
        assert (answer.status_code, answer.json()) == (
            404,
            {"error_code": 404, "message": "Cluster other cannot be found."},
        )


def test_links_behind_a_load_balancer(proxy: ProxyWorld, base: str) -> None:
    headers = {"x_forwarded_proto": "https", "x_forwarded_host": "kafka.example.org", "x_forwarded_prefix": "/rest"}
    answer = proxy.get(base, **headers).json()
    assert answer["brokers"]["related"] == f"https://kafka.example.org/rest{base}/brokers"
    answer = proxy.get(base, forwarded='for=1.2.3.4;proto=https;host="a.example:8443", for=10.0.0.1').json()
    assert answer["metadata"]["self"] == f"https://a.example:8443{base}"
    # What is no host is not believed.
    answer = proxy.get(base, x_forwarded_host="a/b<script>", x_forwarded_prefix="//x?y").json()
    assert answer["metadata"]["self"] == f"{_HOST}{base}"


def test_brokers(proxy: ProxyWorld, base: str, cluster_id: str) -> None:
    listed = proxy.get(f"{base}/brokers").json()
    one = proxy.get(f"{base}/brokers/1").json()
    assert (listed["kind"], listed["data"]) == ("KafkaBrokerList", [one])
    assert one["metadata"]["resource_name"] == f"crn:///kafka={cluster_id}/broker=1"
    assert (one["broker_id"], one["host"]) == (1, "127.0.0.1")
    assert one["partition_replicas"] == {"related": f"{_HOST}{base}/brokers/1/partition-replicas"}
    for number in ("7", "x"):
        assert proxy.get(f"{base}/brokers/{number}").json()["error_code"] == 404


def test_a_topic_from_its_creation_to_its_end(proxy: ProxyWorld, base: str, cluster_id: str) -> None:
    configs = [{"name": "cleanup.policy", "value": "compact"}, {"name": "retention.ms", "value": 1000}]
    body: dict[str, Any] = {"topic_name": "made", "partitions_count": 2, "replication_factor": 1, "configs": configs}
    tried = proxy.post(f"{base}/topics", {**body, "validate_only": True}, content_type=_JSON)
    assert tried.status_code == 200
    created = proxy.post(f"{base}/topics", body, content_type=_JSON)
    assert (created.status_code, created.headers["location"]) == (201, f"{_HOST}{base}/topics/made")
    topic = f"{_HOST}{base}/topics/made"
    assert created.json() == {
        "kind": "KafkaTopic",
        "metadata": {"self": topic, "resource_name": f"crn:///kafka={cluster_id}/topic=made"},
        "cluster_id": cluster_id,
        "topic_name": "made",
        "is_internal": False,
        "replication_factor": 1,
        "partitions_count": 2,
        "partitions": {"related": f"{topic}/partitions"},
        "configs": {"related": f"{topic}/configs"},
        "partition_reassignments": {"related": f"{topic}/partitions/-/reassignment"},
    }
    assert proxy.get(f"{base}/topics/made").json() == created.json()
    assert created.json() in proxy.get(f"{base}/topics").json()["data"]
    again = proxy.post(f"{base}/topics", body, content_type=_JSON)
    assert (again.status_code, again.json()["error_code"]) == (400, 40002)
    assert proxy.get(f"{base}/topics/made/configs/retention.ms").json()["value"] == "1000"
    grown = proxy.call("PATCH", f"{base}/topics/made", {"partitions_count": 3}, content_type=_JSON)
    assert (grown.status_code, grown.json()["partitions_count"]) == (200, 3)
    assert proxy.delete(f"{base}/topics/made").status_code == 204
    for answer in (proxy.get(f"{base}/topics/made"), proxy.delete(f"{base}/topics/made")):
        assert (answer.status_code, answer.json()["error_code"]) == (404, 40403)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, (400, 400)),
        ({"topic_name": ""}, (400, 40002)),
        ({"topic_name": "a b"}, (400, 40002)),
        ({"topic_name": "x" * 250}, (400, 40002)),
        ({"topic_name": "t", "partitions_count": 1 << 40}, (400, 400)),
        ({"topic_name": "t", "partitions_count": "many"}, (400, 400)),
        ({"topic_name": "t", "replication_factor": 5}, (400, 40002)),
        ({"topic_name": "t", "configs": [{"name": "no.such.config", "value": "1"}]}, (400, 40002)),
        ({"topic_name": "t", "configs": [{"name": "retention.ms", "value": "x"}]}, (400, 40002)),
        ({"topic_name": "t", "replicas_assignments": {"1": [1]}}, (400, 40002)),
        ({"topic_name": "t", "replicas_assignments": {"0": [1]}, "partitions_count": 1}, (400, 40002)),
        ({"topic_name": "t", "replicas_assignments": {"0": [99]}}, (400, 40002)),
    ],
)
def test_topics_that_cannot_be(proxy: ProxyWorld, base: str, body: dict[str, Any], told: tuple[int, int]) -> None:
    answer = proxy.post(f"{base}/topics", body, content_type=_JSON)
    assert (answer.status_code, answer.json()["error_code"]) == told, answer.text


def test_replicas_by_hand(proxy: ProxyWorld, base: str) -> None:
    body = {"topic_name": "by-hand", "replicas_assignments": [{"0": [1]}, {"1": [1]}]}
    created = proxy.post(f"{base}/topics", body, content_type=_JSON)
    assert (created.status_code, created.json()["partitions_count"]) == (201, 2)


def test_partitions_and_replicas(
    proxy: ProxyWorld, base: str, topic: str, cluster: KafkaCluster, cluster_id: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 4)
    path = f"{base}/topics/{topic}/partitions"
    one = proxy.get(f"{path}/0").json()
    assert one == {
        "kind": "KafkaPartition",
        "metadata": {
            "self": f"{_HOST}{path}/0",
            "resource_name": f"crn:///kafka={cluster_id}/topic={topic}/partition=0",
        },
        "cluster_id": cluster_id,
        "topic_name": topic,
        "partition_id": 0,
        "leader": {"related": f"{_HOST}{path}/0/replicas/1"},
        "replicas": {"related": f"{_HOST}{path}/0/replicas"},
        "reassignment": {"related": f"{_HOST}{path}/0/reassignment"},
    }
    assert proxy.get(path).json()["data"][0] == one
    replica = proxy.get(f"{path}/0/replicas/1").json()
    assert (replica["is_leader"], replica["is_in_sync"], replica["broker_id"]) == (True, True, 1)
    assert proxy.get(f"{path}/0/replicas").json()["data"] == [replica]
    assert replica in proxy.get(f"{base}/brokers/1/partition-replicas").json()["data"]
    for kind, offset in (("earliest_offset", 0), ("latest_offset", 4)):
        assert proxy.get(f"{path}/0/offset?offset_type={kind}").json()["offset"] == offset
    assert proxy.get(f"{path}/0/offset?offset_type=middle").status_code == 400
    for missing in (f"{path}/9", f"{path}/9/replicas", f"{path}/0/replicas/9", f"{path}/9/offset"):
        assert proxy.get(missing).json()["error_code"] == 404, missing


def test_no_reassignments(proxy: ProxyWorld, base: str, topic: str) -> None:
    for path in (f"topics/{topic}/partitions/-", "topics/-/partitions/-"):
        assert proxy.get(f"{base}/{path}/reassignment").json() == {
            "kind": "KafkaReassignmentList",
            "metadata": {"self": f"{_HOST}{base}/{path}/reassignment", "next": None},
            "data": [],
        }
    missing = {
        f"topics/{topic}/partitions/0": 404,
        f"topics/{topic}/partitions/9": 404,
        "topics/nobody/partitions/-": 40403,
        "topics/nobody/partitions/0": 40403,
    }
    for path, code in missing.items():
        answer = proxy.get(f"{base}/{path}/reassignment")
        assert (answer.status_code, answer.json()["error_code"]) == (404, code), path


def test_numbers_and_booleans_may_stand_in_quotes(proxy: ProxyWorld, base: str) -> None:
    body = {"topic_name": "quoted", "partitions_count": "2", "replication_factor": "1", "validate_only": "true"}
    assert proxy.post(f"{base}/topics", body, content_type=_JSON).status_code == 200
    assert proxy.get(f"{base}/topics/quoted").status_code == 404
    created = proxy.post(f"{base}/topics", {**body, "validate_only": "false"}, content_type=_JSON)
    assert (created.status_code, created.json()["partitions_count"]) == (201, 2)
    grown = proxy.call("PATCH", f"{base}/topics/quoted", {"partitions_count": "3"}, content_type=_JSON)
    assert (grown.status_code, grown.json()["partitions_count"]) == (200, 3)
    # What is a text stays one.
    change = {"data": [{"name": "retention.ms", "value": "0010"}]}
    assert proxy.post(f"{base}/topics/quoted/configs:alter", change, content_type=_JSON).status_code == 204
    assert proxy.delete(f"{base}/topics/quoted").status_code == 204


@pytest.mark.parametrize("body", [{"partitions_count": {}}, {"partitions_count": "two"}, {}, []])
def test_what_does_not_fit_is_a_bad_request(proxy: ProxyWorld, base: str, topic: str, body: object) -> None:
    answer = proxy.call("PATCH", f"{base}/topics/{topic}", body, content_type=_JSON)
    assert (answer.status_code, answer.json()["error_code"]) == (400, 400)
