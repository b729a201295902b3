"""Searches of topics on real brokers, as a page asks for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from confluent_kafka import Producer

from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService
from support.message_events import search

DAY_MS = 86_400_000
NOW_MS = 1_790_000_000_000


def write(brokers: KafkaCluster, topic: str, records: list[dict[str, Any]], **settings: Any) -> None:
    producer = Producer({**brokers.client_settings(), "linger.ms": 50, **settings})
    for record in records:
        producer.produce(topic, **record)
    assert producer.flush(30) == 0


@pytest.fixture
def spread(brokers: KafkaCluster, topic: str) -> str:
    """Sixty messages over three partitions, a second apart."""
    write(
        brokers,
        topic,
        [
            {"value": f'{{"n": {n}}}', "key": f"k{n % 7}", "partition": n % 3, "timestamp": NOW_MS + n * 1000}
            for n in range(60)
        ],
    )
    return topic


def numbers(values: list[str | None]) -> list[int]:
    return [json.loads(value or "{}")["n"] for value in values]


def test_newest_first_over_all_partitions(console: ControlCenterService, spread: str) -> None:
    found = search(console, spread, limit=10)
    assert numbers(found.values) == list(range(59, 49, -1))
    assert (found.done, found.problems, found.progress["matched"]) == ("limit", [], 10)
    whole = search(console, spread, limit=100)
    assert numbers(whole.values) == list(range(59, -1, -1))
    assert (whole.done, whole.progress["scanned"], whole.progress["matched"]) == ("end", 60, 60)
    assert whole.progress["partitions"] == {"0": 0, "1": 0, "2": 0}


def test_oldest_first_in_the_order_of_time(console: ControlCenterService, spread: str) -> None:
    assert numbers(search(console, spread, origin="oldest", limit=7).values) == list(range(7))
    whole = search(console, spread, origin="oldest", limit=100)
    assert numbers(whole.values) == list(range(60))
    assert whole.progress["partitions"] == {"0": 20, "1": 20, "2": 20}


def test_from_an_offset_a_time_and_in_some_partitions(console: ControlCenterService, spread: str) -> None:
    assert numbers(search(console, spread, origin="offset", offset=18).values) == [54, 55, 56, 57, 58, 59]
    assert search(console, spread, origin="offset", offset=999).values == []
    assert numbers(search(console, spread, origin="time", time=NOW_MS + 57_500).values) == [58, 59]
    assert search(console, spread, origin="time", time="2036-01-01T00:00:00Z").done == "end"
    some = search(console, spread, partitions="0,2", limit=3)
    assert numbers(some.values) == [59, 57, 56]
    assert sorted(some.progress["partitions"]) == ["0", "2"]


def test_filters_are_the_servers(console: ControlCenterService, spread: str) -> None:
    assert numbers(search(console, spread, origin="oldest", key="k3").values) == [3, 10, 17, 24, 31, 38, 45, 52, 59]
    assert numbers(search(console, spread, key="k3", limit=2).values) == [59, 52]
    assert numbers(search(console, spread, value='"n": 42').values) == [42]
    assert numbers(search(console, spread, field="$.n=42").values) == [42]
    found = search(console, spread, where="value.n > 40 and partition == 1 and key == 'k6'")
    assert numbers(found.values) == [55]
    none = search(console, spread, where='value.n == "none"')
    assert (none.values, none.done, none.progress["scanned"], none.progress["matched"]) == ([], "end", 60, 0)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_batches(console: ControlCenterService, brokers: KafkaCluster, topic: str, codec: str) -> None:
    records = [{"value": f"value {n}", "key": f"key-{n:05d}", "partition": 0} for n in range(2_000)]
    write(brokers, topic, records, **{"compression.type": codec})
    for origin in ("oldest", "newest"):
        found = search(console, topic, key="key-01234", origin=origin)
        assert [(each["key"], each["value"]) for each in found.messages] == [("key-01234", "value 1234")]
        assert found.progress["scanned"] == 2_000


def test_a_message_is_shown_as_it_is(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    headers = [("a", b"1"), ("a", None), ("b", b"\xff"), ("<img src=x>", b"")]
    write(
        brokers,
        topic,
        [
            {"value": b"<script>alert(1)</script>\n\nevent: x", "key": b"", "headers": headers, "timestamp": NOW_MS},
            {"value": None, "key": b"\x00\x00\x00\x00\x63x", "timestamp": NOW_MS + 1},
            {"value": b"", "key": None, "timestamp": NOW_MS + 2, "partition": 1},
        ],
    )
    first, tombstone, empty = search(console, topic, origin="oldest").messages
    assert first["value"] == "<script>alert(1)</script>\n\nevent: x"
    assert (first["key"], first["key_decoded"]["format"]) == ("", "text")
    assert first["headers"] == [["a", "1"], ["a", None], ["b", "ff"], ["<img src=x>", ""]]
    assert (first["timestamp_ms"], first["timestamp_type"]) == (NOW_MS, "create_time")
    assert (tombstone["value"], tombstone["value_decoded"]["format"]) == (None, "null")
    assert tombstone["key_decoded"] == {
        "format": "hex", "schema_id": None, "reason": tombstone["key_decoded"]["reason"]
    }  # fmt: skip
    assert "schema 99" in tombstone["key_decoded"]["reason"]
    assert (empty["key"], empty["value"]) == (None, "")


def test_a_large_message_is_cut_and_the_whole_is_there(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    large = json.dumps({"text": "x" * 500_000})
    write(brokers, topic, [{"value": large, "key": "large", "partition": 2}], **{"message.max.bytes": 900_000})
    [message] = search(console, topic).messages
    assert (message["is_cut"], len(message["value"]), message["size_bytes"]) == (True, 16_384, len(large) + 5)
    whole = console.get(f"{CLUSTER}/topics/{topic}/messages/2/0").json()
    assert (whole["value"], whole["is_cut"]) == (large, False)
    assert (
        console.get(f"{CLUSTER}/topics/{topic}/messages/2/0?value_format=hex").json()["value"] == large.encode().hex()
    )
    for path in ("2/1", "2/99", "9/0", "0/0", "-1/0", "2/-1", "x/0"):
        refused = console.get(f"{CLUSTER}/topics/{topic}/messages/{path}")
        assert refused.status_code == 404, path


def test_transactions(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    producer = Producer({**brokers.client_settings(), "transactional.id": f"x-{topic}"})
    producer.init_transactions()
    for value, commits in (("a", True), ("b", False), ("c", True)):
        producer.begin_transaction()
        producer.produce(topic, value, partition=0)
        producer.flush()
        producer.commit_transaction() if commits else producer.abort_transaction()
    committed = search(console, topic, origin="oldest")
    assert committed.values == ["a", "c"]
    assert (committed.progress["control"], committed.progress["aborted"]) == (3, 1)
    assert search(console, topic, origin="oldest", isolation="read_uncommitted").values == ["a", "b", "c"]
    assert search(console, topic).values == ["c", "a"]
    producer.begin_transaction()
    producer.produce(topic, "open", partition=0)
    producer.flush()
    assert search(console, topic).values == ["c", "a"]
    assert search(console, topic, isolation="read_uncommitted").values == ["open", "c", "b", "a"]
    producer.abort_transaction()


def test_offsets_that_are_gone(console: ControlCenterService, brokers: KafkaCluster, spread: str) -> None:
    body = {"partitions": {"0": 10, "1": 20}}
    console.look()
    assert console.post(f"{CLUSTER}/topics/{spread}/purge", body).status_code < 300
    found = search(console, spread, origin="offset", offset=0, limit=100)
    assert numbers(found.values) == [n for n in range(60) if n % 3 == 2 or (n % 3 == 0 and n >= 30)]
    assert found.done == "end"


def test_a_masked_field_is_not_shown_nor_found(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    name = f"masked-{topic}"
    brokers.create_topic(name, partitions=1)
    brokers.produce(name, '{"id": 7, "card": "4111"}', "4111", headers={"token": "s3cret"})
    for query in ({}, {"value_format": "hex"}, {"value_format": "base64"}, {"value_format": "text"}):
        answer = console.get(
            f"{CLUSTER}/topics/{name}/messages?limit=9&value_format={query.get('value_format', 'auto')}"
        )
        assert "4111" not in answer.text
        assert "s3cret" not in answer.text
        assert b"4111".hex() not in answer.text
    assert len(search(console, name).messages) == 2
    for probe in ({"value": "4111"}, {"field": "$.card=4111"}, {"where": 'value.card startswith "4"'},
                  {"header": "s3cret"}, {"where": 'header["token"] == "s3cret"'}):  # fmt: skip
        assert search(console, name, **probe).messages == []
    assert len(search(console, name, field="$.id=7").messages) == 1
    whole = console.get(f"{CLUSTER}/topics/{name}/messages/0/0?value_format=base64").text
    assert "4111" not in whole
    for format in ("ndjson", "csv"):
        exported = console.get(f"{CLUSTER}/topics/{name}/export?format={format}").text
        assert "4111" not in exported
        assert "s3cret" not in exported


@pytest.mark.parametrize(
    "query",
    [
        "from=middle",
        "from=offset",
        "from=offset&offset=-1",
        "from=offset&offset=x",
        "from=time&time=soon",
        "limit=0",
        "limit=5001",
        "limit=x",
        "limit=%D9%A1",
        "partitions=a",
        "partitions=1,,2",
        "key_format=nothing",
        "value_format=../etc",
        "isolation=serializable",
        "where=value.a+%3D%3D",
        "where=__import__('os')",
        "field=a",
        "key=" + "x" * 4001,
    ],
)
def test_what_cannot_be_asked(console: ControlCenterService, topic: str, query: str) -> None:
    answer = console.get(f"{CLUSTER}/topics/{topic}/messages?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.json()["message"].endswith(".")


def test_what_is_not_there(console: ControlCenterService, topic: str) -> None:
    assert console.get(f"{CLUSTER}/topics/nothing-here/messages").status_code == 404
    assert console.get(f"{CLUSTER}/topics/a%2Fb%0d%0a/messages").status_code == 404
    assert console.get(f"{CLUSTER}/topics/{topic}/messages?partitions=7").status_code == 404
    position = console.get(f"{CLUSTER}/topics/{topic}/messages?where=value.a+%3D").json()["position"]
    assert position == 9


def test_an_empty_topic(console: ControlCenterService, topic: str) -> None:
    for origin in ("newest", "oldest"):
        found = search(console, topic, origin=origin)
        assert (found.messages, found.done) == ([], "end")
