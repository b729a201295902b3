"""Chains on real jobs: order, rows that fail, predicates that change some rows' fields, and how plans grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.records import as_records
from riacho.pipelines.transforms.chain import chain

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def _configs(*transforms: dict[str, str]) -> dict[str, str]:
    configs = {"transforms": ",".join(f"t{at}" for at in range(len(transforms)))}
    for at, each in enumerate(transforms):
        configs |= {f"transforms.t{at}.{name}": value for name, value in each.items()}
    return configs


TEN = [
    {"type": "InsertField$Value", "topic.field": "topic", "timestamp.field": "at"},
    {"type": "Cast$Value", "spec": "amount:int32"},
    {"type": "MaskField$Value", "fields": "card", "replacement": "*"},
    {"type": "ReplaceField$Value", "renames": "amount:sum"},
    {"type": "TimestampConverter$Value", "field": "at", "target.type": "unix"},
    {"type": "HeaderFrom$Value", "fields": "card", "headers": "card", "operation": "copy"},
    {"type": "ValueToKey", "fields": "id"},
    {"type": "ExtractField$Key", "field": "id"},
    {"type": "RegexRouter", "regex": "in-(.*)", "replacement": "out-$1"},
    {"type": "InsertHeader", "header": "h", "value.literal": "1"},
]


def _records(spark: SparkSession) -> DataFrame:
    rows = spark.range(0, 20, numPartitions=2).selectExpr(
        "'in-a' AS topic",
        "id AS offset",
        "timestamp_millis(id) AS timestamp",
        "named_struct('id', id, 'amount', if(id = 7, 'abc', cast(id AS string)), 'card', 'c') AS value",
    )
    return as_records(rows)


def test_ten_transforms_with_one_bad_row(spark: SparkSession) -> None:
    rows = chain(_configs(*TEN)).apply(_records(spark)).collect()
    assert [row["offset"] for row in rows] == list(range(20))
    bad = rows.pop(7)
    assert bad["error"]["class_name"] == "org.apache.kafka.connect.transforms.Cast$Value"
    assert bad["error"]["message"] == "Value (abc) was out of range for requested data type"
    assert bad["value"] is None
    for row in rows:
        number = row["offset"]
        assert row["error"] is None
        assert row["key"] == number
        assert row["topic"] == "out-a"
        assert row["value"].asDict() == {"id": number, "sum": number, "card": "*", "topic": "in-a", "at": number}
        assert [(header["key"], bytes(header["value"])) for header in row["headers"]] == [("card", b"*"), ("h", b"1")]


def test_plans_grow_with_the_number_of_transforms(spark: SparkSession) -> None:
    """Twice the transforms, about twice the plan: nothing is copied into each other over and over."""
    sizes = []
    for count in (4, 8, 16):
        masks = [{"type": "MaskField$Value", "fields": "card", "replacement": str(at)} for at in range(count)]
        plan = chain(_configs(*masks)).apply(_records(spark))
        sizes.append(len(plan._jdf.queryExecution().optimizedPlan().toString()))
    assert sizes[2] < sizes[1] * 3
    assert sizes[1] < sizes[0] * 3


def test_a_predicate_merges_fields(spark: SparkSession) -> None:
    configs = _configs({"type": "InsertField$Value", "static.field": "mark", "static.value": "x", "predicate": "p"})
    configs |= {"predicates": "p", "predicates.p.type": "HasHeaderKey", "predicates.p.name": "h"}
    records = _records(spark).selectExpr(
        "* EXCEPT (headers)",
        "if(offset < 2, array(named_struct('key', 'h', 'value', cast('1' AS binary))), array()) AS headers",
    )
    rows = chain(configs).apply(as_records(records)).collect()
    assert [row["value"]["mark"] for row in rows] == ["x", "x", *[None] * 18]
    assert [row["value"]["id"] for row in rows] == list(range(20))


def test_types_that_cannot_be_merged_are_one_clear_error(spark: SparkSession) -> None:
    configs = _configs({"type": "ExtractField$Value", "field": "id", "predicate": "p"})
    configs |= {"predicates": "p", "predicates.p.type": "TopicNameMatches", "predicates.p.pattern": "in-b"}
    mixed = _records(spark).selectExpr("* EXCEPT (topic)", "if(offset = 3, 'in-b', 'in-a') AS topic")
    with pytest.raises(ConnectError, match="cannot be in one batch"):
        chain(configs).apply(as_records(mixed))
