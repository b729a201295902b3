"""The life of instances: names, settings and what is refused, expiry by the clock, how many there may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_world import V2, ProxyWorld


def _refused(proxy: ProxyWorld, group: str, body: Any) -> tuple[int, int]:
    answer = proxy.post(f"/consumers/{group}", body)
    assert set(answer.json()) == {"error_code", "message"}
    return answer.status_code, answer.json()["error_code"]


def test_the_body_is_optional_and_a_name_is_made_up(proxy: ProxyWorld, group: str) -> None:
    created = proxy.post(f"/consumers/{group}").json()
    assert created["instance_id"].startswith("rest-consumer-")
    assert created["base_uri"].endswith(f"/consumers/{group}/instances/{created['instance_id']}")


def test_an_id_goes_before_a_name(proxy: ProxyWorld, group: str) -> None:
    assert proxy.post(f"/consumers/{group}", {"id": "a", "name": "b"}).json()["instance_id"] == "a"


def test_a_name_is_taken_once_a_group(proxy: ProxyWorld, group: str) -> None:
    proxy.create(group, "i")
    assert _refused(proxy, group, {"name": "i"}) == (409, 40902)
    proxy.create(f"{group}-other", "i")
    proxy.delete(f"/consumers/{group}/instances/i")
    proxy.create(group, "i")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"format": "xml"}, (422, 422)),
        ({"format": "string"}, (422, 422)),
        ({"auto.offset.reset": "middle"}, (422, 42204)),
        ({"auto.commit.enable": "perhaps"}, (422, 42204)),
        ({"fetch.min.bytes": 0}, (422, 40001)),
        ({"fetch.min.bytes": -2}, (422, 40001)),
        ({"fetch.min.bytes": 10_000_001}, (422, 40001)),
        ({"fetch.min.bytes": "many"}, (422, 40001)),
        ({"consumer.request.timeout.ms": -1}, (422, 40001)),
        ({"consumer.request.timeout.ms": 1 << 40}, (422, 40001)),
        ({"name": ""}, (422, 422)),
        ({"name": "x" * 256}, (422, 422)),
        ({"name": "a\nb"}, (422, 422)),
        ({"colour": "red"}, (422, 422)),
        ({"name": 7}, (422, 422)),
        ([], (422, 422)),
        (b"{", (400, 400)),
        (b'{"name":' + b"[" * 100_000, (422, 422)),
    ],
)
def test_what_cannot_be_is_refused(proxy: ProxyWorld, group: str, body: Any, told: tuple[int, int]) -> None:
    assert _refused(proxy, group, body) == told


@pytest.mark.parametrize(
    "body",
    [
        {"format": "JSON"},
        {"auto.commit.enable": False},
        {"auto.commit.enable": "TRUE"},
        {"fetch.min.bytes": "-1"},
        {"fetch.min.bytes": 10_000_000},
        {"consumer.request.timeout.ms": "0"},
        {"auto.offset.reset": "none"},
        {"name": "ü/&?%41 ☃"},
    ],
)
def test_what_can_be_is_taken(proxy: ProxyWorld, group: str, body: dict[str, Any]) -> None:
    created = proxy.post(f"/consumers/{group}", body)
    assert created.status_code == 200, created.text
    # The address that was given leads to it, whatever stands in the name.
    path = created.json()["base_uri"].removeprefix("http://proxy:8082")
    assert proxy.get(f"{path}/subscription").json() == {"topics": []}
    assert proxy.delete(path).status_code == 204


@pytest.mark.parametrize("key", ["plugin.library.paths", "ssl.ca.location", "sasl.jaas.config", "bootstrap.servers"])
def test_a_caller_sets_no_other_settings_of_the_client(proxy: ProxyWorld, group: str, key: str) -> None:
    assert proxy.post(f"/consumers/{group}", {"name": "own", key: "x"}).status_code == 422


def test_plain_json_is_taken_and_forms_are_not(proxy: ProxyWorld, group: str) -> None:
    created = proxy.post(f"/consumers/{group}", {"name": "plain"}, content_type="application/json; charset=utf-8")
    assert created.status_code == 200
    form = proxy.post(f"/consumers/{group}", b"name=x", content_type="application/x-www-form-urlencoded")
    assert form.status_code == 415


@pytest.mark.parametrize(
    ("method", "below", "body"),
    [
        ("DELETE", "", None),
        ("POST", "/subscription", {"topics": []}),
        ("GET", "/subscription", None),
        ("DELETE", "/subscription", None),
        ("POST", "/assignments", {"partitions": []}),
        ("GET", "/assignments", None),
        ("POST", "/positions", {}),
        ("POST", "/positions/beginning", {"partitions": []}),
        ("POST", "/positions/end", {"partitions": []}),
        ("POST", "/offsets", None),
        ("GET", "/offsets", {"partitions": []}),
        ("GET", "/records", None),
    ],
)
def test_an_unknown_instance_is_40403(proxy: ProxyWorld, group: str, method: str, below: str, body: Any) -> None:
    answer = proxy.call(method, f"/consumers/{group}/instances/nobody{below}", body)
    assert (answer.status_code, answer.json()) == (
        404,
        {"error_code": 40403, "message": "Consumer instance not found."},
    )


@pytest.mark.parametrize(
    ("below", "body"),
    [
        ("/subscription", {}),
        ("/subscription", {"topics": [1]}),
        ("/subscription", {"topics": [""]}),
        ("/subscription", {"topics": ["x" * 250]}),
        ("/subscription", {"topic_pattern": "(?=a)"}),
        ("/subscription", {"topic_pattern": "(((a{100}){100}){100})"}),
        ("/assignments", {}),
        ("/assignments", {"partitions": [{"topic": "t", "partition": -1}]}),
        ("/assignments", {"partitions": [{"topic": "t", "partition": 1 << 31}]}),
        ("/positions", {"offsets": [{"topic": "t", "partition": 0, "offset": -5}]}),
        ("/positions", {"timestamps": [{"topic": "t", "partition": 0, "timestamp": "yesterday"}]}),
        ("/positions/end", {"partitions": "all"}),
        ("/offsets", {"offsets": [{"topic": "t", "partition": 0, "offset": 1 << 63}]}),
    ],
)
def test_bodies_that_make_no_sense_are_422(proxy: ProxyWorld, group: str, below: str, body: Any) -> None:
    instance = proxy.create(group, "i")
    answer = proxy.post(f"{instance}{below}", body)
    assert (answer.status_code, answer.json()["error_code"]) == (422, 422), answer.text
    assert proxy.delete(instance, content_type=V2).status_code == 204


class _Clock:
    now_ms = 0

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def small(cluster: KafkaCluster, clock: _Clock) -> Iterator[ProxyWorld]:
    """Two instances at most, gone after ten seconds by the clock."""
    world = ProxyWorld(cluster.bootstrap_servers, clock_ms=clock, consumers_max=2, consumer_instance_timeout_ms=10_000)
    yield world
    world.stop()


def _expire(world: ProxyWorld) -> list[tuple[str, str]]:
    async def expire() -> list[tuple[str, str]]:
        return world.consumers.expire()

    return world.thread.run(expire())


def test_an_idle_instance_expires_and_a_used_one_does_not(small: ProxyWorld, clock: _Clock, group: str) -> None:
    small.create(group, "idle")
    small.create(group, "used")
    clock.now_ms = 9_000
    assert small.get(f"/consumers/{group}/instances/used/subscription").status_code == 200
    assert _expire(small) == []
    clock.now_ms = 10_000
    # The proxy's own sweep may have been there first; either way it is gone, and the other is not.
    assert _expire(small) in ([(group, "idle")], [])
    assert small.get(f"/consumers/{group}/instances/idle/records").json()["error_code"] == 40403
    assert small.get(f"/consumers/{group}/instances/used/subscription").status_code == 200
    small.create(group, "idle")


def test_more_instances_than_allowed_are_429(small: ProxyWorld, group: str) -> None:
    small.create(group, "a")
    small.create(group, "b")
    refused = small.post(f"/consumers/{group}", {"name": "c"})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    small.delete(f"/consumers/{group}/instances/a")
    small.create(group, "c")
