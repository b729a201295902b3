"""Records by the v2 API, and hostile bodies."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_service import ProxyService, read
from support.rest_proxy_world import TIMEOUT_S

BINARY = "application/vnd.kafka.binary.v2+json"


def stored(cluster: KafkaCluster, topic: str, count: int, partition: int = 0) -> list[tuple[Any, Any]]:
    found = read(cluster.bootstrap_servers, topic, count, partition)
    return [(message.key(), message.value()) for message in found]


def test_the_answer_is_what_the_original_says(proxy: ProxyService, topic: str) -> None:
    answer = proxy.post(f"/topics/{topic}", {"records": [{"value": {"foo": "bar"}}]})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/vnd.kafka.v2+json"
    assert answer.text == (
        '{"offsets":[{"partition":0,"offset":0,"error_code":null,"error":null}],'
        '"key_schema_id":null,"value_schema_id":null}'
    )


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_json_is_stored_compact_and_in_order(
    proxy: ProxyService, cluster: KafkaCluster, topic: str, separators: tuple[str, str]
) -> None:
    records: list[dict[str, Any]] = [{"value": {"number": number, "list": [1, 2]}} for number in range(50)]
    records += [{"key": "k", "value": None}, {"key": {"a": 1}, "value": "text with spaces"}, {"value": "ação"}, {}]
    body = json.dumps({"records": records}, separators=separators).encode()
    answer = proxy.post(f"/topics/{topic}", body)
    assert [each["offset"] for each in answer.json()["offsets"]] == list(range(54))
    found = stored(cluster, topic, 54)
    assert found[:50] == [(None, b'{"number":%d,"list":[1,2]}' % number) for number in range(50)]
    assert found[50:] == [
        (b'"k"', None),
        (b'{"a":1}', b'"text with spaces"'),
        (None, json.dumps("ação").encode()),
        (None, None),
    ]


def test_utf_8_stays_as_it_was_sent(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    proxy.post(f"/topics/{topic}", '{"records":[{"value":"ação"}]}'.encode())
    assert stored(cluster, topic, 1) == [(None, '"ação"'.encode())]


def test_binary(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    records = {"records": [{"key": "a2V5", "value": "AAH/"}, {"value": None}]}
    assert proxy.post(f"/topics/{topic}", records, BINARY).status_code == 200
    assert stored(cluster, topic, 2) == [(b"key", b"\x00\x01\xff"), (None, None)]


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json; charset=utf-8", "application/vnd.kafka.v2+json"]
)
def test_plain_json_is_taken_too(proxy: ProxyService, topic: str, content_type: str) -> None:
    assert proxy.post(f"/topics/{topic}", {"records": [{"value": 1}]}, content_type).status_code == 200


def test_headers_and_timestamps(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    headers = [{"name": "a", "value": "YQ=="}, {"name": "b", "value": None}, {"name": "a", "value": "Yg=="}]
    records = [
        {"value": 1, "headers": headers, "timestamp": 1_700_000_000_000},
        {"value": 2, "timestamp": "2026-01-31T12:00:00Z"},
        {"value": 3, "headers": []},
    ]
    assert proxy.post(f"/topics/{topic}", {"records": records}).status_code == 200
    first, second, third = read(cluster.bootstrap_servers, topic, 3)
    assert first.headers() == [("a", b"a"), ("b", None), ("a", b"b")]
    assert first.timestamp()[1] == 1_700_000_000_000
    assert second.timestamp()[1] == 1_769_860_800_000
    assert third.headers() is None
    assert third.timestamp()[1] > second.timestamp()[1]


def test_partitions_by_path_and_by_record(
    proxy: ProxyService, cluster: KafkaCluster, new_topic: Callable[..., str]
) -> None:
    topic = new_topic(partitions=3)
    by_path = proxy.post(f"/topics/{topic}/partitions/2", {"records": [{"value": 1}, {"value": 2}]})
    assert [(each["partition"], each["offset"]) for each in by_path.json()["offsets"]] == [(2, 0), (2, 1)]
    records = [{"value": 3, "partition": 2}, {"value": 4, "partition": 0}, {"value": 5, "partition": 2}]
    by_record = proxy.post(f"/topics/{topic}", {"records": records})
    assert [(each["partition"], each["offset"]) for each in by_record.json()["offsets"]] == [(2, 2), (0, 0), (2, 3)]
    assert [value for _, value in stored(cluster, topic, 4, partition=2)] == [b"1", b"2", b"3", b"5"]


def test_keys_go_where_the_java_producer_sends_them(proxy: ProxyService, new_topic: Callable[..., str]) -> None:
    topic = new_topic(partitions=6)
    records = {"records": [{"key": "a2V5", "value": "YQ=="}, {"key": "Zm9v", "value": "YQ=="}]}
    offsets = proxy.post(f"/topics/{topic}", records, BINARY).json()["offsets"]
    assert [each["partition"] for each in offsets] == [_murmur2(b"key") % 6, _murmur2(b"foo") % 6]


def test_answers_name_a_partition_that_was_added_a_moment_ago(
    proxy: ProxyService, cluster: KafkaCluster, topic: str
) -> None:
    assert proxy.post(f"/topics/{topic}", {"records": [{"value": 0}]}).json()["offsets"][0]["partition"] == 0
    proxy.thread.run(proxy.proxy.admin.create_partitions(topic, 2))
    # The producer hears of it before the proxy asks again.
    deadline = monotonic() + TIMEOUT_S
    while len(proxy.proxy.producer.client.list_topics(topic, TIMEOUT_S).topics[topic].partitions) < 2:
        assert monotonic() < deadline, "there is no second partition"
    keys = [f"k{number}" for number in range(20)]
    offsets = proxy.post(f"/topics/{topic}", {"records": [{"key": key, "value": 1} for key in keys]}).json()["offsets"]
    assert [each["partition"] for each in offsets] == [_murmur2(f'"{key}"'.encode()) % 2 for key in keys]


def _murmur2(data: bytes) -> int:
    """As published (Austin Appleby), with Kafka's seed; positive."""
    mask, m = 0xFFFFFFFF, 0x5BD1E995
    h = (0x9747B28C ^ len(data)) & mask
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * m & mask
        h = (h * m & mask) ^ ((k ^ k >> 24) * m & mask)
    if rest := data[whole:]:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return (h ^ h >> 15) & 0x7FFFFFFF


def test_one_bad_record_does_not_spoil_the_others(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    records = [{"value": 1}, {"value": "x" * 2_000_000}, {"value": 2, "partition": 7}, {"value": 3}]
    answer = proxy.post(f"/topics/{topic}", {"records": records})
    assert answer.status_code == 200
    offsets = answer.json()["offsets"]
    assert [each["error_code"] for each in offsets] == [None, 50002, 50002, None]
    assert offsets[1] == {"partition": None, "offset": None, "error_code": 50002, "error": "Message size too large"}
    assert offsets[2]["error"] == "This server does not host this topic-partition."
    assert [each["offset"] for each in offsets] == [0, None, None, 1]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/topics/there-is-none", 404, 40401),
        ("/topics/there-is-none/partitions/0", 404, 40401),
        ("/topics/{topic}/partitions/1", 404, 40402),
        ("/topics/{topic}/partitions/-1", 404, 40402),
        ("/topics/{topic}/partitions/first", 404, 404),
        ("/topics/{topic}/partitions/99999999999", 404, 404),
        ("/topics/a%00b", 400, 400),
        ("/topics/a%2Fb", 400, 40002),
        ("/topics/%FF%FE", 400, 400),
        ("/topics/" + "x" * 300, 400, 40002),
    ],
)
def test_places_that_there_are_not(proxy: ProxyService, topic: str, path: str, status: int, code: int) -> None:
    answer = proxy.post(path.format(topic=topic), {"records": [{"value": 1}]})
    assert (answer.status_code, answer.json()["error_code"]) == (status, code)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, 42206),
        (b"  ", 422, 42206),
        (b"{", 400, 400),
        (b"null", 400, 400),
        (b"[]", 400, 400),
        (b"{}", 422, 422),
        (b'{"records":[]}', 422, 422),
        (b'{"records":null}', 400, 400),
        (b'{"records":[1]}', 400, 400),
        (b'{"records":[{"value":1}],"recrods":[]}', 400, 400),
        (b'{"records":[{"vlaue":1}]}', 400, 400),
        (b'{"records":[{"value":1,"partition":"0"}]}', 400, 400),
        (b'{"records":[{"value":1,"partition":-1}]}', 422, 422),
        (b'{"records":[{"value":1,"partition":4294967296}]}', 422, 422),
        (b'{"records":[{"value":1,"timestamp":"soon"}]}', 400, 400),
        (b'{"records":[{"value":1,"timestamp":-5}]}', 400, 400),
        (b'{"records":[{"value":1,"headers":[{"name":"a","value":"?"}]}]}', 422, 42206),
        (b'{"records":[{"value":1,"headers":[{"value":"YQ=="}]}]}', 400, 400),
        (b'{"records":[{"value":"\xff"}]}', 400, 400),
        (b'{"records":[{"value":"\x00"}]}', 400, 400),
        (b'{"records":[{"value":nul}]}', 400, 400),
        (b'{"records":[{"value":' + b"[" * 50_000 + b"]" * 50_000 + b"}]}", 400, 400),
        (b"[" * 50_000, 400, 400),
    ],
)
def test_bodies_that_cannot_be_used(proxy: ProxyService, topic: str, body: bytes, status: int, code: int) -> None:
    answer = proxy.post(f"/topics/{topic}", body)
    assert (answer.status_code, answer.json()["error_code"]) == (status, code), answer.text
    assert "\n" not in answer.json()["message"]


@pytest.mark.parametrize("value", ["!!", "YQ", 1, {"a": 1}])
def test_binary_that_is_no_base64(proxy: ProxyService, topic: str, value: Any) -> None:
    answer = proxy.post(f"/topics/{topic}", {"records": [{"value": value}]}, BINARY)
    assert (answer.status_code, answer.json()["error_code"]) == (422, 42206)


def test_a_record_for_a_partition_must_not_name_another(proxy: ProxyService, topic: str) -> None:
    answer = proxy.post(f"/topics/{topic}/partitions/0", {"records": [{"value": 1, "partition": 0}]})
    assert (answer.status_code, answer.json()["error_code"]) == (422, 422)


def test_other_content_types_are_refused(proxy: ProxyService, topic: str) -> None:
    for content_type in ("text/plain", "application/vnd.kafka.xml.v2+json", "application/x-www-form-urlencoded"):
        assert proxy.post(f"/topics/{topic}", {"records": [{"value": 1}]}, content_type).status_code == 415
    answer = proxy.post(f"/topics/{topic}", {"records": [{"value": 1}]}, accept="text/html")
    assert answer.status_code == 406


def test_more_than_may_ever_be_under_way_is_too_large(cluster: KafkaCluster, topic: str) -> None:
    small = ProxyService(cluster.bootstrap_servers, {"riacho.produce.records.max": "5"})
    try:
        assert small.post(f"/topics/{topic}", {"records": [{"value": 1}] * 5}).status_code == 200
        refused = small.post(f"/topics/{topic}", {"records": [{"value": 1}] * 6})
        assert (refused.status_code, refused.json()["error_code"]) == (413, 413)
    finally:
        small.stop()


def test_topics_are_created_where_the_brokers_are_set_to() -> None:
    with KafkaCluster() as creating:
        service = ProxyService(creating.bootstrap_servers)
        try:
            answer = service.post("/topics/new-one", {"records": [{"value": 1}]})
            assert answer.json()["offsets"][0]["offset"] == 0, answer.text
        finally:
            service.stop()
