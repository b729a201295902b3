"""Records of an instance: the conversation of the guides, formats, limits, and what was handed out."""

from __future__ import annotations

import base64

from riacho.testing import KafkaCluster
from support.rest_proxy_world import BINARY_V2, JSON_V2, V2, ProxyWorld, produce


def test_create_subscribe_read_delete(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    produce(cluster.bootstrap_servers, topic, [b'{"msg":"success 4"}'])
    body = {"name": "my_consumer_instance", "format": "json", "auto.offset.reset": "earliest"}
    created = proxy.post(f"/consumers/{group}", body)
    assert created.status_code == 200
    assert created.headers["content-type"] == V2
    instance = f"/consumers/{group}/instances/my_consumer_instance"
    assert created.json() == {"instance_id": "my_consumer_instance", "base_uri": f"http://proxy:8082{instance}"}
    assert proxy.post(f"{instance}/subscription", {"topics": [topic]}).status_code == 204
    assert proxy.get(f"{instance}/subscription").json() == {"topics": [topic]}
    # The very first call has the record.
    read = proxy.get(f"{instance}/records", accept=JSON_V2)
    assert read.status_code == 200
    assert read.headers["content-type"] == JSON_V2
    assert read.json() == [{"topic": topic, "key": None, "value": {"msg": "success 4"}, "partition": 0, "offset": 0}]
    assert proxy.delete(instance, content_type=V2).status_code == 204
    assert proxy.get(f"{instance}/records").json()["error_code"] == 40403


def test_binary_is_the_default_format(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    produce(cluster.bootstrap_servers, topic, [b"\x00\xff"], key=b"k")
    created = proxy.post(f"/consumers/{group}", {"name": "b", "auto.offset.reset": "earliest"})
    assert created.status_code == 200
    instance = f"/consumers/{group}/instances/b"
    proxy.post(f"{instance}/subscription", {"topics": [topic]})
    (record,) = proxy.read(instance, 1, accept=BINARY_V2)
    assert (base64.b64decode(record["key"]), base64.b64decode(record["value"])) == (b"k", b"\x00\xff")


def test_accept_of_another_format_is_refused_and_general_ones_are_not(
    proxy: ProxyWorld, topic: str, group: str
) -> None:
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/assignments", {"partitions": [{"topic": topic, "partition": 0}]})
    refused = proxy.get(f"{instance}/records?timeout=0", accept=BINARY_V2)
    assert (refused.status_code, refused.json()["error_code"]) == (406, 40601)
    for accept in ("*/*", V2, "application/json", f"{BINARY_V2}, {JSON_V2}", f"{JSON_V2}; charset=utf-8"):
        assert proxy.get(f"{instance}/records?timeout=0", accept=accept).json() == [], accept
    assert proxy.get(f"{instance}/records?timeout=0", accept="application/json").headers["content-type"] == (
        "application/json"
    )


def test_headers_and_timestamps_on_request(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    headers = [("a", b"1"), ("n", None)]
    produce(cluster.bootstrap_servers, topic, [b"1"], headers=headers, timestamp=1_600_000_000_000)
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/subscription", {"topics": [topic]})
    (record,) = proxy.read(instance, 1, query="?include=headers,timestamp")
    assert record == {
        "topic": topic,
        "key": None,
        "value": 1,
        "partition": 0,
        "offset": 0,
        "timestamp": 1_600_000_000_000,
        "headers": [{"name": "a", "value": "MQ=="}, {"name": "n", "value": None}],
    }
    assert proxy.get(f"{instance}/records?include=colour&timeout=0").status_code == 422


def test_max_bytes_limits_an_answer_but_never_to_nothing(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b'"%08d"' % number for number in range(20)])
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/subscription", {"topics": [topic]})
    first = proxy.read(instance, 1, query="?max_bytes=1")
    assert [record["offset"] for record in first] == [0]
    seen = [0]
    while len(seen) < 20:
        some = proxy.read(instance, 1, query="?max_bytes=35")
        assert len(some) <= 3
        seen += [record["offset"] for record in some]
    assert seen == list(range(20))


def test_fetch_min_bytes_waits_for_more(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    produce(cluster.bootstrap_servers, topic, [b'"%0100d"' % number for number in range(10)])
    instance = proxy.create(group, "i", **{"fetch.min.bytes": 1000, "consumer.request.timeout.ms": 60_000})
    proxy.post(f"{instance}/subscription", {"topics": [topic]})
    assert len(proxy.get(f"{instance}/records", accept=JSON_V2).json()) == 10


def test_a_record_that_is_not_json_is_told_once_and_passed_over(
    proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str
) -> None:
    produce(cluster.bootstrap_servers, topic, [b"1", b"2", b"{oops", b'"\xff"', b"3", None])
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/subscription", {"topics": [topic]})
    assert [record["value"] for record in proxy.read(instance, 2)] == [1, 2]
    for offset in (2, 3):
        told = proxy.get(f"{instance}/records", accept=JSON_V2)
        assert (told.status_code, told.json()["error_code"]) == (408, 40801)
        assert told.json()["message"].endswith(f"({topic}-0 at offset {offset})")
    assert [record["value"] for record in proxy.read(instance, 2)] == [3, None]


def test_json_goes_through_as_it_was_written(proxy: ProxyWorld, cluster: KafkaCluster, topic: str, group: str) -> None:
    value = b'{"big": 123456789012345678901234567890, "e": 1.10, "u": "\\u00e9\xc3\xa9"}'
    produce(cluster.bootstrap_servers, topic, [value])
    instance = proxy.create(group, "i")
    proxy.post(f"{instance}/subscription", {"topics": [topic]})
    assert value in proxy.get(f"{instance}/records", accept=JSON_V2).content


class _NoRegistry:
    """A schema registry that cannot be reached, and then can."""

    def __init__(self) -> None:
        self.is_there = False

    async def by_id(self, schema_id: int) -> tuple[object, object]:
        from riacho.web.errors import ApiError

        if not self.is_there:
            raise ApiError(408, 40801, "The schema registry cannot be asked.")
        return None, self

    def decode(self, payload: bytes) -> object:
        return {"read": payload.decode()}


def test_records_wait_for_a_registry_that_is_gone(cluster: KafkaCluster, topic: str, group: str) -> None:
    registry = _NoRegistry()
    world = ProxyWorld(cluster.bootstrap_servers, registry=registry)
    try:
        produce(cluster.bootstrap_servers, topic, [b"\x00\x00\x00\x00\x07abc"])
        instance = world.create(group, "i", format="AVRO")
        world.post(f"{instance}/subscription", {"topics": [topic]})
        accept = "application/vnd.kafka.avro.v2+json"
        for _ in range(2):
            assert world.get(f"{instance}/records", accept=accept).json()["error_code"] == 40801
        registry.is_there = True
        assert [record["value"] for record in world.read(instance, 1, accept=accept)] == [{"read": "abc"}]
    finally:
        world.stop()
