"""ksql-datagen: its arguments, and the records that it makes in every format."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from riacho.cli.datagen.arguments import Arguments, DatagenError, parse_arguments
from riacho.cli.datagen.main import run
from riacho.cli.datagen.rows import MadeRows
from riacho.pipelines.connectors.datagen.quickstarts import QUICKSTARTS
from riacho.pipelines.sql.formats.codec import CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry

REFUSED = [
    (["format=JSON"], "either quickstart=NAME or schema=FILE"),
    (["quickstart=orders", "schema=x.avro"], "either quickstart=NAME or schema=FILE"),
    (["quickstart=nothing"], "no quick start 'nothing'"),
    (["schema=x.avro"], "key=, format=, topic= too"),
    (["quickstart=orders", "topc=a"], "did you mean 'topic='"),
    (["quickstart=orders", "topic=a", "topic=b"], "given twice"),
    (["quickstart=orders", "topic="], "has no value"),
    (["quickstart=orders", "iterations=many"], "no whole number"),
    (["quickstart=orders", "nThreads=1000000"], "from 1 to 64"),
    (["quickstart=orders", "printRows=perhaps"], "true or false"),
]


def _parsed(*words: str) -> Arguments:
    return parse_arguments(words, QUICKSTARTS)


def _rows(*words: str, registry: MemoryRegistry | None = None) -> list[Any]:
    arguments = _parsed(*words)
    return list(islice(MadeRows(arguments, {}, "seed", registry)(arguments.iterations), 10))


@pytest.mark.parametrize(("words", "told"), REFUSED)
def test_what_it_does_not_take(words: list[str], told: str) -> None:
    with pytest.raises(DatagenError, match=told):
        parse_arguments(words, QUICKSTARTS)


def test_arguments_have_the_defaults_of_confluents_tool() -> None:
    given = _parsed("quickstart=Orders")
    assert (given.topic, given.format, given.key_format) == ("orders_kafka_topic_", "JSON", "KAFKA")
    assert (given.iterations, given.interval_ms, given.threads, given.print_rows) == (1_000_000, 500, 1, True)
    given = _parsed("quickstart=users", "topic=u", "valueFormat=avro", "--bootstrap-server=b:1", "msgRate=5")
    assert (given.topic, given.format, given.bootstrap, given.rate) == ("u", "AVRO", "b:1", 5)


def test_each_thread_has_records_of_its_own() -> None:
    rows = _rows("quickstart=pageviews", "iterations=2", "nThreads=2")
    assert [row.shown["viewtime"] for row in rows] == [1, 1, 11, 11]
    assert rows[0].shown != rows[1].shown


def test_json_and_delimited_need_no_registry() -> None:
    [row] = _rows("quickstart=users", "iterations=1")
    assert json.loads(row.value) == row.shown
    assert row.key == row.shown["userid"].encode()
    [row] = _rows("quickstart=users", "format=delimited", "valueDelimiter=|", "iterations=1")
    assert row.value.decode().split("|") == [str(each) for each in row.shown.values()]


@pytest.mark.parametrize("form", ["AVRO", "PROTOBUF", "JSON_SR"])
@pytest.mark.parametrize("name", ["orders", "users_", "pizza_orders"])
def test_formats_with_schemas_register_them(form: str, name: str) -> None:
    registry = MemoryRegistry()
    rows = _rows(f"quickstart={name}", f"format={form}", "topic=made", "iterations=3", registry=registry)
    assert len(rows) == 3
    assert registry.latest("made-value") is not None
    key, _ = QUICKSTARTS[name]
    columns = ((key, "INTEGER" if name != "users_" else "STRING"),)
    codec = open_codec(CodecSpec(form, False, columns, subject="made-value"), registry)
    assert [codec.decode(row.value) for row in rows] == [{key: row.shown[key]} for row in rows]


def test_a_format_that_cannot_hold_the_columns() -> None:
    with pytest.raises(DatagenError, match="'DELIMITED' format does not support type 'STRUCT'"):
        _rows("quickstart=orders", "format=DELIMITED")
    with pytest.raises(DatagenError, match="Unknown format: XML"):
        _rows("quickstart=orders", "format=XML")


def test_a_schema_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "sensors.avro"
    file.write_text(
        '{"type": "record", "name": "sensor", "fields": [{"name": "id", "type": {"type": "int", '
        '"arg.properties": {"range": {"min": 1, "max": 3}}}}, {"name": "on", "type": "boolean"}]}'
    )
    words = (f"schema={file}", "format=JSON", "topic=sensors", "iterations=5")
    assert {row.shown["id"] for row in _rows(*words, "key=id")} <= {1, 2}
    with pytest.raises(DatagenError, match="no field name"):
        _rows(*words, "key=name")
    with pytest.raises(DatagenError, match="cannot be read"):
        _rows("schema=/nowhere", "format=JSON", "topic=t", "key=k")


def test_help_and_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help"]) == 0
    assert "quickstart=NAME" in capsys.readouterr().out
    assert run([]) == 2
    assert run(["quickstart=none"]) == 2
    assert capsys.readouterr().err.startswith("ksql-datagen: There is no quick start 'none'; there are campaign")
