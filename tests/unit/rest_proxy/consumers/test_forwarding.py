"""Two proxies behind one address: a request for an instance reaches its owner through either."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from riacho.rest_proxy.v2 import consumer_records
from riacho.testing import KafkaCluster
from support.rest_proxy_world import JSON_V2, ProxyWorld, produce


@pytest.fixture
def owner(cluster: KafkaCluster) -> Iterator[ProxyWorld]:
    world = ProxyWorld(cluster.bootstrap_servers)
    yield world
    world.stop()


@pytest.fixture
def other(cluster: KafkaCluster, owner: ProxyWorld) -> Iterator[ProxyWorld]:
    """Knows the owner, and a peer that is not there."""
    with socket.socket() as unused:
        # Bound and not listening: connections are refused for as long as the test runs.
        unused.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{unused.getsockname()[1]}"
        world = ProxyWorld(cluster.bootstrap_servers, peers=(nobody, owner.listen()))
        yield world
        world.stop()


def test_the_whole_conversation_goes_through(
    owner: ProxyWorld, other: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1", b"2"])
    instance = owner.create(group, "a/b ü")
    path = f"/consumers/{group}/instances/a%2Fb%20%C3%BC"
    assert instance
    assert other.post(f"{path}/subscription", {"topics": [topic]}).status_code == 204
    assert other.get(f"{path}/subscription").json() == {"topics": [topic]}
    assert [record["value"] for record in other.read(path, 2)] == [1, 2]
    assert other.get(f"{path}/records?timeout=0", accept=JSON_V2).headers["content-type"] == JSON_V2
    # A GET with a body keeps it.
    committed = other.get(f"{path}/offsets", {"partitions": [{"topic": topic, "partition": 0}]})
    assert (committed.status_code, list(committed.json())) == (200, ["offsets"])
    refused = other.get(f"{path}/records", accept="application/vnd.kafka.binary.v2+json")
    assert (refused.status_code, refused.json()["error_code"]) == (406, 40601)
    assert other.delete(path).status_code == 204
    assert other.get(f"{path}/subscription").json()["error_code"] == 40403
    assert owner.get(f"{path}/subscription").json()["error_code"] == 40403


def test_the_owner_does_not_wait_longer_than_the_proxy_that_asks(
    owner: ProxyWorld, other: ProxyWorld, topic: str, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer_records, "FORWARDED_WAIT_MS_MAX", 0)
    path = owner.create(group, "i", **{"consumer.request.timeout.ms": 10 * 60_000})
    owner.post(f"{path}/assignments", {"partitions": [{"topic": topic, "partition": 0}]})
    assert other.get(f"{path}/records?timeout=600000", accept=JSON_V2).json() == []


def test_a_name_that_a_peer_has_is_taken(owner: ProxyWorld, other: ProxyWorld, group: str) -> None:
    owner.create(group, "i")
    assert other.post(f"/consumers/{group}", {"name": "i"}).json()["error_code"] == 40902
    other.create(group, "j")


def test_a_request_is_sent_on_once(owner: ProxyWorld, other: ProxyWorld, group: str) -> None:
    owner.create(group, "i")
    marked = other.get(f"/consumers/{group}/instances/i/subscription", x_riacho_forwarded="1")
    assert marked.json()["error_code"] == 40403


def test_an_instance_that_moved_is_found_again(owner: ProxyWorld, other: ProxyWorld, group: str) -> None:
    path = owner.create(group, "i")
    assert other.get(f"{path}/subscription").status_code == 200
    owner.delete(path)
    assert other.get(f"{path}/subscription").json()["error_code"] == 40403
    other.create(group, "i")
    assert other.get(f"{path}/subscription").status_code == 200
