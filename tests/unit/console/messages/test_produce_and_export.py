"""Records that people write, in every format; and files of what is there."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import Producer

from riacho.console.messages.export import _csv_field
from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService
from support.message_events import search

AVRO = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'
PROTOBUF = 'syntax = "proto3"; message A { int32 a = 1; }'
JSON_SCHEMA = '{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}'


def register(brokers: KafkaCluster, subject: str, kind: str, text: str) -> int:
    import httpx

    url = f"{brokers.schema_registry_url}/subjects/{subject}/versions"
    answer = httpx.post(url, json={"schema": text, "schemaType": kind})
    assert answer.status_code == 200, answer.text
    return int(answer.json()["id"])


def send(console: ControlCenterService, topic: str, *records: dict[str, Any]) -> Any:
    return console.post(f"{CLUSTER}/topics/{topic}/messages", {"records": list(records)})


def test_records_are_written_as_told(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    answer = send(
        console,
        topic,
        {"value": "olá", "key": "k", "partition": 1, "timestamp_ms": 1_700_000_000_000,
         "headers": [["h", "v"], ["n", None]]},
        {"value": None, "key": "k", "partition": 1},
        {"value": "/wA=", "value_format": "base64", "key": "7", "key_format": "long", "partition": 1},
        {"value": '{"a": 1}', "value_format": "json", "partition": 1},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    told = answer.json()["records"]
    assert [(each["partition"], each["offset"], each["error"]) for each in told] == [(1, n, None) for n in range(4)]
    records = sorted(brokers.consume(topic, 4), key=lambda each: each.offset)
    assert [(each.key, each.value) for each in records] == [
        (b"k", "olá".encode()), (b"k", None), (b"\0" * 7 + b"\x07", b"\xff\0"), (None, b'{"a": 1}')
    ]  # fmt: skip
    assert records[0].timestamp_ms == 1_700_000_000_000
    assert records[0].headers == (("h", b"v"), ("n", None))


def test_a_key_goes_where_other_producers_send_it(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    keys = [f"key-{n}" for n in range(20)]
    producer = Producer({**brokers.client_settings(), "partitioner": "murmur2_random"})
    placed: dict[str, int] = {}
    for key in keys:
        producer.produce(topic, b"", key, on_delivery=lambda _, m: placed.__setitem__(m.key().decode(), m.partition()))
    producer.flush()
    told = send(console, topic, *({"key": key, "value": "x"} for key in keys)).json()["records"]
    assert [each["partition"] for each in told] == [placed[key] for key in keys]


@pytest.mark.parametrize(
    ("kind", "format", "text"),
    [("AVRO", "avro", AVRO), ("PROTOBUF", "protobuf", PROTOBUF), ("JSON", "json_schema", JSON_SCHEMA)],
)
def test_with_schemas_there_and_back(
    console: ControlCenterService, brokers: KafkaCluster, topic: str, kind: str, format: str, text: str
) -> None:
    schema_id = register(brokers, f"{topic}-value", kind, text)
    assert send(console, topic, {"value": '{"a": 5}', "value_format": format}).status_code == 200
    by_id = {"value": '{"a": 6}', "value_format": format, "value_schema_id": schema_id}
    assert send(console, topic, by_id).status_code == 200
    found = search(console, topic, where="value.a > 4")
    assert sorted(found.values, key=str) == ['{"a":5}', '{"a":6}']
    assert {json.dumps(each["value_decoded"]) for each in found.messages} == {
        json.dumps({"format": format, "schema_id": schema_id, "reason": None})
    }
    assert [each["value"] for each in search(console, topic, field="$.a=5").messages] == ['{"a":5}']
    wrong = send(console, topic, {"value": '{"a": "x"}', "value_format": format})
    assert wrong.status_code == 400
    assert f"It does not fit schema {schema_id}" in wrong.json()["message"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"value": "{", "value_format": "json"}, "It is not JSON."),
        ({"value": "x", "value_format": "base64"}, "It is not base64."),
        ({"key": "x", "key_format": "long"}, "It is not a whole number of 64 bits."),
        ({"value": "x", "value_format": "pickle"}, "value_format can be"),
        ({"value": "{}", "value_format": "avro", "value_subject": "nobody"}, "latest schema of nobody"),
        ({"value": "{}", "value_format": "avro", "value_schema_id": 4_000}, "does not give schema 4000"),
        ({"value": "x", "timestamp_ms": -5}, "not a time after 1970"),
        ({"value": "x", "partition": -1}, "there is no partition -1"),
    ],
)
def test_what_is_refused(console: ControlCenterService, topic: str, record: dict[str, Any], reason: str) -> None:
    answer = send(console, topic, {"value": "good"}, record)
    assert answer.status_code == 400, answer.text
    assert answer.json()["message"].startswith("Record 2: ")
    assert reason in answer.json()["message"]
    assert search(console, topic).messages == []


def test_other_refusals(console: ControlCenterService, topic: str) -> None:
    assert send(console, topic).status_code == 400
    assert send(console, topic, *([{"value": "x"}] * 1_001)).status_code == 400
    assert send(console, topic, {"value": 5}).status_code == 422
    assert send(console, topic, {"wert": "x"}).status_code == 422
    assert send(console, topic, {"value": "x", "partition": 77}).status_code == 404
    assert send(console, "nothing-here", {"value": "x"}).status_code == 404
    refused = console.call(
        "POST", f"{CLUSTER}/topics/{topic}/messages", {"records": [{"value": "x"}]}, x_riacho_csrf="no"
    )
    assert refused.status_code == 403
    large = send(console, topic, {"value": "x" * 2_000_000}, {"value": "small", "partition": 0})
    told = [(each["offset"], each["error"]) for each in large.json().get("records", [])]
    assert large.status_code in (200, 400, 502)
    assert told == [] or any(error for _, error in told)


def export(console: ControlCenterService, topic: str, query: str) -> Any:
    return console.get(f"{CLUSTER}/topics/{topic}/export?{query}")


@pytest.fixture
def filled(brokers: KafkaCluster, topic: str) -> str:
    brokers.produce(topic, 'a "quoted",\ntext', "", None, key="k", headers={"h": "v"}, partition=0)
    brokers.produce(topic, "x" * 100_000, partition=1)
    return topic


def test_lines_of_json(console: ControlCenterService, filled: str) -> None:
    answer = export(console, filled, "format=ndjson&from=oldest")
    assert answer.headers["content-disposition"] == f'attachment; filename="{filled}.ndjson"'
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert sorted((row["partition"], row["offset"]) for row in rows) == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert max(len(row["value"] or "") for row in rows) == 100_000
    assert len(export(console, filled, "limit=2").text.splitlines()) == 2
    assert export(console, filled, "where=partition+%3D%3D+1").text.count("\n") == 1


def test_csv(console: ControlCenterService, filled: str) -> None:
    import csv

    text = export(console, filled, "format=csv&from=oldest&partitions=0").text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["value"] for row in rows] == ['a "quoted",\ntext', "", ""]
    assert [row["value_format"] for row in rows] == ["text", "text", "null"]
    assert json.loads(rows[0]["headers"]) == [["h", "v"]]
    # Null is nothing, what is empty stands in quotes.
    assert '"k","",' in text
    assert '"k",,' in text


@pytest.mark.parametrize("text", ["=1+1", "+x", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "-1e9x"])
def test_a_cell_that_a_spreadsheet_would_run_is_made_a_text(text: str) -> None:
    assert _csv_field(text) == f'"\'{text}"'


@pytest.mark.parametrize("text", ["-1", "+5", "-1.5e-3", "a=b", "x@y", ""])
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    assert _csv_field(text) == f'"{text}"'
    assert _csv_field(-5) == "-5"


def test_no_cell_of_an_export_is_a_formula(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    brokers.produce(topic, '=HYPERLINK("x")', "-7", key="@key", headers={"=h": "=v"}, partition=0)
    lines = export(console, topic, "format=csv&from=oldest").text.splitlines()[1:]
    assert sorted(line.split(",", 4)[4].split(',"[[', 1)[0] for line in lines) == [
        '"\'@key","\'=HYPERLINK(""x"")"',
        '"\'@key","-7"',
    ]


def test_parquet(console: ControlCenterService, filled: str) -> None:
    answer = export(console, filled, "format=parquet&from=oldest")
    table = pq.read_table(io.BytesIO(answer.content))
    assert table.num_rows == 4
    assert table.column("value").null_count == 1
    assert sorted(table.column("partition").to_pylist()) == [0, 0, 0, 1]
    assert table.schema.field("timestamp_ms").type.tz == "UTC"


def test_a_page_is_told_where_parquet_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    console = ControlCenterService("127.0.0.1:1")
    try:
        assert console.get("/api/v1/me").json()["has_parquet"] is False
        described = console.get("/openapi.json").json()["components"]["schemas"]["Me"]
        assert "pyarrow" in described["description"]
        assert described["properties"]["has_parquet"]["type"] == "boolean"
    finally:
        console.stop()


def test_parquet_without_pyarrow(console: ControlCenterService, filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = export(console, filled, "format=parquet")
    assert (answer.status_code, answer.json()["message"]) == (
        501,
        "Parquet needs pyarrow on the console's machine: pip install pyarrow.",
    )


def test_exports_that_cannot_be(console: ControlCenterService, filled: str) -> None:
    assert export(console, filled, "format=xls").status_code == 400
    assert export(console, filled, "limit=1000001").status_code == 400
    assert export(console, filled, "limit=0").status_code == 400
    assert export(console, "nothing-here", "").status_code == 404
