"""Made-up records: every data set, the language of schemas, and the pace."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from riacho.base.config import ConfigError
from riacho.pipelines.connectors.datagen.quickstarts import QUICKSTARTS
from riacho.pipelines.connectors.datagen.regex import RegexText
from riacho.pipelines.connectors.datagen.schema import record_at, record_recipe
from riacho.pipelines.connectors.datagen.source import DatagenConnector
from riacho.pipelines.connectors.datagen.stream import DatagenStreamReader


def _made(*fields: tuple[str, Any], count: int = 20) -> list[dict[str, Any]]:
    schema = {"type": "record", "name": "r", "fields": [{"name": name, "type": kind} for name, kind in fields]}
    made, _ = record_recipe(json.dumps(schema))
    records = [record_at(made, "seed", 0, index) for index in range(count)]
    assert len(pa.array(records, made.arrow())) == count
    return records


@pytest.mark.parametrize("name", QUICKSTARTS)
def test_quickstarts_make_the_same_records_each_time(name: str) -> None:
    key, schema = QUICKSTARTS[name]
    made, fields = record_recipe(json.dumps(schema))
    assert key in fields
    records = [record_at(made, "s", 1, index) for index in range(20)]
    assert records == [record_at(made, "s", 1, index) for index in range(20)]
    assert records != [record_at(made, "t", 1, index) for index in range(20)]
    assert len(pa.array(records, made.arrow())) == 20


def test_properties_of_schemas() -> None:
    def asked(kind: str, **properties: Any) -> dict[str, Any]:
        return {"type": kind, "arg.properties": properties}

    records = _made(
        ("option", asked("string", options=["a", "b"])),
        ("between", asked("int", range={"min": 5, "max": 8})),
        ("round", asked("long", iteration={"start": 10, "step": 5, "restart": 30})),
        ("text", asked("string", regex="[A-C]{2}-[0-9]+", prefix="<", suffix=">")),
        ("sized", asked("string", length=4)),
        ("always", asked("boolean", odds=1.0)),
        (
            "list",
            {"type": "array", "items": asked("double", range={"min": 1, "max": 2}), "arg.properties": {"length": 3}},
        ),
        ("maybe", ["null", "int"]),
        ("when", {"type": "long", "logicalType": "timestamp-millis", "arg.properties": {"iteration": {"start": 0}}}),
        ("kind", {"type": "enum", "name": "k", "symbols": ["X"]}),
    )
    assert {each["option"] for each in records} == {"a", "b"}
    assert {each["between"] for each in records} <= {5, 6, 7}
    assert [each["round"] for each in records[:6]] == [10, 15, 20, 25, 10, 15]
    assert all(re.fullmatch("<[A-C]{2}-[0-9]+>", each["text"]) for each in records)
    assert all(len(each["sized"]) == 4 and each["always"] and len(each["list"]) == 3 for each in records)
    assert {each["maybe"] is None for each in records} == {True, False}
    assert records[2]["when"].timestamp() == 0.002


@pytest.mark.parametrize("pattern", [r"\d{3}-\w+\s?", "(a|b)c*", "[^a-z]{2}", r"(x|y)-\1", "a.b", "^z+?$"])
def test_regexes_match_what_they_make(pattern: str) -> None:
    text = RegexText(pattern)
    source = random.Random(3)
    assert all(re.fullmatch(pattern, text.draw(source)) for _ in range(50))


@pytest.mark.parametrize(
    ("configs", "name", "words"),
    [
        ({}, "quickstart", "exactly one of"),
        ({"quickstart": "nope"}, "quickstart", "must be one of: campaign_finance"),
        ({"schema.string": "{"}, "schema.string", "not JSON"),
        (
            {"schema.string": '{"type":"record","name":"r","fields":[{"name":"a","type":"what"}]}'},
            "schema.string",
            "what",
        ),
    ],
)
def test_configs_that_make_no_sense(configs: dict[str, str], name: str, words: str) -> None:
    answers = DatagenConnector.check({"kafka.topic": "t"} | configs)
    wrong = {each.definition.name: each.errors[0] for each in answers if each.errors}
    assert list(wrong) == [name]
    assert words in wrong[name]


def test_a_regex_that_cannot_be_made_is_told() -> None:
    with pytest.raises(ConfigError, match="cannot have assert"):
        RegexText("(?=a)b")


def test_iterations_end_and_a_fast_one_makes_many_at_once() -> None:
    text = json.dumps(QUICKSTARTS["users"][1])
    options = {"schema": text, "seed": "1", "tasks": "2", "interval.ms": "0", "iterations": "12000"}
    reader = DatagenStreamReader(options)
    start = reader.initialOffset()
    first = reader.latestOffset(start, ReadAllAvailable())
    second = reader.latestOffset(first, ReadAllAvailable())
    assert (start, first, second) == ({"0": 0, "1": 0}, {"0": 10_000, "1": 10_000}, {"0": 12_000, "1": 12_000})
    assert reader.latestOffset(second, ReadAllAvailable()) == second
    assert reader.partitions(second, second) == []
