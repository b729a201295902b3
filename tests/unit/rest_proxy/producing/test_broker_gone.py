"""Calls while Kafka is away are answered, clearly and within their time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_service import ProxyService

LIMITS = {
    "default.api.timeout.ms": "1500",
    "client.log_level": "0",
    "producer.reconnect.backoff.max.ms": "200",
    "riacho.produce.records.max": "10",
}


@pytest.fixture
def cluster() -> Iterator[KafkaCluster]:
    """A broker of its own, to be stopped."""
    with KafkaCluster() as running:
        running.create_topic("known")
        running.create_topic("other")
        yield running


@pytest.fixture
def proxy(cluster: KafkaCluster) -> Iterator[ProxyService]:
    service = ProxyService(cluster.bootstrap_servers, LIMITS)
    yield service
    service.stop()


def test_records_and_calls_are_answered_and_all_is_well_when_it_is_back(
    cluster: KafkaCluster, proxy: ProxyService
) -> None:
    one = {"records": [{"value": 1}]}
    assert proxy.post("/topics/known", one).status_code == 200
    cluster_id = proxy.cluster_id
    stream = f"/v3/clusters/{cluster_id}/topics/known/records"
    record = {"value": {"type": "JSON", "data": 1}}
    cluster.kill(1)

    # The topic is known: the record waits, and is given up when its time is over.
    waited = proxy.post("/topics/known", one)
    assert waited.status_code == 200
    assert waited.json()["offsets"][0]["error_code"] == 50003
    receipt = proxy.post(stream, record, "application/json")
    assert (receipt.status_code, receipt.json()["error_code"]) == (200, 50003)

    # This one is not: nothing can be said of it.
    unknown = proxy.post("/topics/other", one)
    assert (unknown.status_code, unknown.json()["error_code"]) == (503, 50302), unknown.text

    cluster.start(1)
    for _ in range(60):
        if proxy.post("/topics/known", one).json()["offsets"][0]["error_code"] is None:
            break
    assert proxy.post("/topics/other", one).json()["offsets"][0]["error_code"] is None


def test_calls_beyond_the_bound_are_refused_at_once(cluster: KafkaCluster, proxy: ProxyService) -> None:
    assert proxy.post("/topics/known", {"records": [{"value": 1}]}).status_code == 200
    cluster.kill(1)
    answers = proxy.post_together("/topics/known", {"records": [{"value": 1}] * 8}, count=5)
    assert sorted(answer.status_code for answer in answers) == [200, 429, 429, 429, 429]
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["retry-after"] == "1"
    assert refused.json()["error_code"] == 429
