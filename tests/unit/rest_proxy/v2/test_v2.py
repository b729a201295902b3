"""Topics, partitions and brokers of the v2 API."""

from __future__ import annotations

from riacho.testing import KafkaCluster
from support.rest_proxy_world import V2, ProxyWorld, produce

_REPLICAS = [{"broker": 1, "leader": True, "in_sync": True}]


def test_the_root_is_an_empty_object(proxy: ProxyWorld) -> None:
    for method in ("GET", "POST"):
        answer = proxy.call(method, "/")
        assert (answer.status_code, answer.json(), answer.headers["content-type"]) == (200, {}, "application/json")


def test_names_of_topics(proxy: ProxyWorld, topic: str) -> None:
    answer = proxy.get("/topics", accept=V2)
    assert topic in answer.json()
    assert answer.headers["content-type"] == V2


def test_one_topic(proxy: ProxyWorld, topic: str) -> None:
    answer = proxy.get(f"/topics/{topic}").json()
    assert (answer["name"], answer["configs"]["cleanup.policy"]) == (topic, "delete")
    assert answer["partitions"] == [{"partition": p, "leader": 1, "replicas": _REPLICAS} for p in (0, 1)]


def test_partitions(proxy: ProxyWorld, topic: str, cluster: KafkaCluster) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1"] * 3, partition=1)
    one = {"partition": 1, "leader": 1, "replicas": _REPLICAS}
    assert proxy.get(f"/topics/{topic}/partitions").json()[1] == one
    assert proxy.get(f"/topics/{topic}/partitions/1").json() == one
    offsets = proxy.get(f"/topics/{topic}/partitions/1/offsets").json()
    assert offsets == {"beginning_offset": 0, "end_offset": 3}


def test_what_is_not_there(proxy: ProxyWorld, topic: str) -> None:
    for path, code in (
        ("/topics/nobody", 40401),
        ("/topics/nobody/partitions", 40401),
        ("/topics/nobody/partitions/0", 40401),
        (f"/topics/{topic}/partitions/2", 40402),
        (f"/topics/{topic}/partitions/2/offsets", 40402),
        (f"/topics/{topic}/partitions/-1", 40402),
        (f"/topics/{topic}/partitions/x", 404),
        (f"/topics/{topic}/partitions/99999999999", 404),
        (f"/topics/{'x' * 250}", 40401),
    ):
        answer = proxy.get(path)
        assert (answer.status_code, answer.json()["error_code"]) == (404, code), path


def test_asking_for_a_topic_does_not_create_it(proxy: ProxyWorld) -> None:
    proxy.get("/topics/never-made")
    proxy.get("/topics/never-made/partitions")
    assert "never-made" not in proxy.get("/topics").json()


def test_brokers(proxy: ProxyWorld) -> None:
    assert proxy.get("/brokers").json() == {"brokers": [1]}
