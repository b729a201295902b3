"""Streams of records by the v3 API: receipts in order while records come in, errors, and the batch call."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_service import ProxyService, read

APPLICATION_JSON = "application/json"


def record(number: int) -> bytes:
    return json.dumps({"value": {"type": "JSON", "data": number}}).encode()


def path(proxy: ProxyService, topic: str) -> str:
    return f"/v3/clusters/{proxy.cluster_id}/topics/{topic}/records"


def test_one_record_one_receipt(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    body = {
        "partition_id": 0,
        "headers": [{"name": "h", "value": "YQ=="}, {"name": "n"}],
        "key": {"type": "BINARY", "data": "a2V5"},
        "value": {"type": "JSON", "data": {"foo": [1, 2]}},
        "timestamp": "2026-01-31T12:00:00.250Z",
    }
    answer = proxy.post(path(proxy, topic), body, APPLICATION_JSON)
    assert answer.status_code == 200
    assert answer.json() == {
        "error_code": 200,
        "cluster_id": proxy.cluster_id,
        "topic_name": topic,
        "partition_id": 0,
        "offset": 0,
        "timestamp": "2026-01-31T12:00:00.250Z",
        "key": {"type": "BINARY", "size": 3},
        "value": {"type": "JSON", "size": 13},
    }
    (found,) = read(cluster.bootstrap_servers, topic, 1)
    assert (found.key(), found.value()) == (b"key", b'{"foo":[1,2]}')
    assert found.headers() == [("h", b"a"), ("n", None)]
    assert found.timestamp()[1] == 1_769_860_800_250


def test_many_records_in_one_body_keep_their_order(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    receipts = proxy.records(topic, b"\n".join(record(number) for number in range(1_500)))
    assert [each["offset"] for each in receipts] == list(range(1_500))
    found = read(cluster.bootstrap_servers, topic, 1_500)
    assert [message.value() for message in found] == [b"%d" % number for number in range(1_500)]


def test_receipts_come_while_records_still_do(proxy: ProxyService, topic: str) -> None:
    stream = proxy.stream(path(proxy, topic))
    for number in range(3):
        # The second half of a record comes with the first half of the next.
        text = record(number) + record(number)
        stream.send(text[:40])
        stream.send(text[40:])
        first, second = stream.receipt(), stream.receipt()
        assert first is not None
        assert second is not None
        assert [first["offset"], second["offset"]] == [2 * number, 2 * number + 1]
    stream.send(b"", is_last=True)
    assert stream.receipt() is None
    assert stream.status == 200
    stream.wait()


def test_a_record_that_cannot_be_written_does_not_end_the_stream(proxy: ProxyService, topic: str) -> None:
    receipts = proxy.records(
        topic,
        record(1),
        {"value": {"type": "BINARY", "data": "!"}},
        {"partition_id": 9, "value": {"type": "JSON", "data": 1}},
        {"partition_id": -1},
        {"partition_id": "first"},
        {"value": {"type": "XML", "data": 1}},
        {"value": {"type": "STRING", "data": 1}},
        {"value": {"type": "JSON", "data": "x" * 2_000_000}},
        {"timestamp": "soon"},
        record(2),
        {"partition_id": "0", "value": {"type": "JSON", "data": "3"}},
    )
    codes = [each["error_code"] for each in receipts]
    assert codes == [200, 42206, 40402, 40402, 400, 400, 42206, 413, 400, 200, 200]
    assert set(receipts[1]) == {"error_code", "message"}
    assert [each.get("offset") for each in receipts if each["error_code"] == 200] == [0, 1, 2]


@pytest.mark.parametrize(
    "nonsense", [b"nul", b"[]", b'{"value":}', b'{"partition_id":1]', b"{", b'{"value":{"type":"\xff"}}']
)
def test_what_is_no_json_ends_the_stream_with_an_error(proxy: ProxyService, topic: str, nonsense: bytes) -> None:
    receipts = proxy.records(topic, record(1), nonsense)
    assert [each["error_code"] for each in receipts] == [200, 400]
    assert receipts[1]["message"].startswith("Error processing JSON: ")


def test_nothing_that_follows_nonsense_is_written(proxy: ProxyService, topic: str) -> None:
    stream = proxy.stream(path(proxy, topic))
    stream.send(record(1) + b" nonsense " + record(2))
    first, second, end = stream.receipt(), stream.receipt(), stream.receipt()
    assert first is not None
    assert second is not None
    assert [first["error_code"], second["error_code"], end] == [200, 400, None]
    assert proxy.records(topic, record(3))[0]["offset"] == 1


def test_an_empty_record_is_a_record(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    (receipt,) = proxy.records(topic, {})
    assert receipt["error_code"] == 200
    assert not {"key", "value"} & set(receipt)
    (found,) = read(cluster.bootstrap_servers, topic, 1)
    assert (found.key(), found.value()) == (None, None)


def test_null_data_is_a_tombstone(proxy: ProxyService, cluster: KafkaCluster, topic: str) -> None:
    (receipt,) = proxy.records(
        topic, {"key": {"type": "STRING", "data": "k"}, "value": {"type": "BINARY", "data": None}}
    )
    assert (receipt["key"]["size"], receipt["value"]["size"]) == (1, 0)
    (found,) = read(cluster.bootstrap_servers, topic, 1)
    assert (found.key(), found.value()) == (b"k", None)


def test_no_body_at_all(proxy: ProxyService, topic: str) -> None:
    answer = proxy.post(path(proxy, topic), b"", APPLICATION_JSON)
    assert (answer.status_code, answer.json()["error_code"]) == (422, 42206)


def test_a_stream_of_nothing_just_ends(proxy: ProxyService, topic: str) -> None:
    stream = proxy.stream(path(proxy, topic))
    stream.send(b" \n", is_last=True)
    assert stream.receipt() is None
    assert stream.status == 200


def test_a_caller_that_goes_away_is_forgotten(proxy: ProxyService, topic: str) -> None:
    stream = proxy.stream(path(proxy, topic))
    stream.send(record(1))
    assert stream.receipt() is not None
    stream.hang_up()
    stream.wait()
    assert proxy.proxy.producer.records_in_flight == 0


@pytest.mark.parametrize(
    ("cluster_id", "topic", "status", "code"),
    [("another", "t", 404, 404), (None, "there-is-none", 404, 40403), (None, "a%00b", 400, 400)],
)
def test_places_that_there_are_not(
    proxy: ProxyService, cluster_id: str | None, topic: str, status: int, code: int
) -> None:
    for call in ("records", "records:batch"):
        where = f"/v3/clusters/{cluster_id or proxy.cluster_id}/topics/{topic}/{call}"
        answer = proxy.post(where, {"entries": []}, APPLICATION_JSON)
        assert (answer.status_code, answer.json()["error_code"]) == (status, code)


def test_a_stream_ends_when_its_time_is_over(cluster: KafkaCluster, topic: str) -> None:
    limits = {"streaming.connection.max.duration.ms": "1", "streaming.connection.max.duration.grace.period.ms": "1"}
    short = ProxyService(cluster.bootstrap_servers, limits)
    try:
        stream = short.stream(path(short, topic))
        receipt = stream.receipt()
        assert receipt is not None
        assert receipt["error_code"] == 408
        assert stream.receipt() is None
        stream.wait()
    finally:
        short.stop()


def test_a_slow_kafka_slows_the_stream_down(cluster: KafkaCluster, topic: str) -> None:
    small = ProxyService(cluster.bootstrap_servers, {"riacho.produce.records.max": "7"})
    try:
        receipts = small.records(topic, b"".join(record(number) for number in range(200)))
        assert [each["offset"] for each in receipts] == list(range(200))
    finally:
        small.stop()


def batch(proxy: ProxyService, topic: str, entries: Any) -> Any:
    body = entries if isinstance(entries, bytes) else {"entries": entries}
    return proxy.post(f"{path(proxy, topic)}:batch", body, APPLICATION_JSON)


def test_a_batch_tells_of_each_entry(proxy: ProxyService, new_topic: Callable[..., str]) -> None:
    topic = new_topic(partitions=2)
    entries = [
        {"id": "a", "partition_id": 1, "value": {"type": "JSON", "data": 1}},
        {"id": "b", "value": {"type": "BINARY", "data": 1}},
        {"id": "c", "partition_id": 1, "value": {"type": "STRING", "data": "x"}},
        {"id": "d", "partition_id": 5},
    ]
    answer = batch(proxy, topic, entries)
    assert answer.status_code == 207
    told = answer.json()
    assert [(each["id"], each["partition_id"], each["offset"]) for each in told["successes"]] == [
        ("a", 1, 0),
        ("c", 1, 1),
    ]
    assert {each["id"]: each["error_code"] for each in told["failures"]} == {"b": 42206, "d": 40402}


@pytest.mark.parametrize(
    ("entries", "status", "code"),
    [
        ([], 422, 42208),
        ([{"id": "1"}, {"id": "1"}], 422, 42208),
        ([{"id": str(number)} for number in range(11)], 422, 42208),
        ([{"id": ""}], 422, 42208),
        ([{"id": "x" * 81}], 422, 42208),
        ([{}], 400, 400),
        ([{"id": 1}], 400, 400),
        (b"", 422, 42206),
        (b"null", 400, 400),
        (b"{", 400, 400),
        (b"[" * 100_000, 400, 400),
    ],
)
def test_batches_that_cannot_be_used(proxy: ProxyService, topic: str, entries: Any, status: int, code: int) -> None:
    answer = batch(proxy, topic, entries)
    assert (answer.status_code, answer.json()["error_code"]) == (status, code), answer.text
