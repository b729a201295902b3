"""A program of somebody who has installed Riacho: every public name once, with the type that a checker should see."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import assert_type

from pyspark.sql import Column, DataFrame, SparkSession

import riacho
from riacho.connect import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConfigValue,
    ConnectError,
    Connector,
    Context,
    Definition,
    Importance,
    Limits,
    Outside,
    Rejected,
    RetriableError,
    SinkConnector,
    SourceConnector,
    SourceOffset,
    Validator,
    Value,
    at_least,
    between,
    list_of,
    non_empty,
    one_of,
    one_of_any_case,
    open_within,
)
from riacho.functions import from_avro, from_json_schema, from_protobuf, to_avro, to_json_schema, to_protobuf
from riacho.ksql import UserFunctionError, udaf, udf, udtf
from riacho.testing import ErrorCode, Fault, KafkaCluster, KafkaError, Record

REGISTRY = "http://localhost:8081"


def stream_orders() -> None:
    spark = riacho.spark("shop", master="local[2]", bootstrap="localhost:9092", spark_sql_shuffle_partitions=4)
    assert_type(spark, SparkSession)
    riacho.register_format(spark.newSession(), bootstrap="localhost:9092")
    assert_type(riacho.read_format(spark), str)
    assert_type(riacho.write_to(topic="totals", sink_id="totals"), Callable[[DataFrame, int], None])
    assert_type((riacho.__version__, riacho.KAFKA_VERSION), tuple[str, str])


def typed_columns() -> list[Column]:
    decoded = [
        from_avro("value", REGISTRY, "orders-value"),
        from_protobuf("value", REGISTRY, "orders-value", message="Order"),
        from_json_schema("value", registry=REGISTRY, schema="{}", options={"mode": "PERMISSIVE"}),
    ]
    encoded = [each(decoded[0], REGISTRY, "orders-value") for each in (to_avro, to_protobuf, to_json_schema)]
    return decoded + encoded


def even(name: str, value: Value) -> None:
    if not isinstance(value, int) or value % 2:
        raise ConfigError(f"{name} is {value}: it must be even.")


VALIDATORS: list[Validator] = [
    at_least(1),
    between(1, 10),
    list_of("a", "b", empty=False),
    non_empty,
    one_of("x", "y"),
    one_of_any_case("x", "y"),
    even,
]


class TicketSource(SourceConnector):
    CLASS = "com.example.TicketSourceConnector"
    CONFIG = ConfigDef(
        Definition("topic", ConfigType.STRING, required=True, importance=Importance.HIGH, valid=non_empty),
        Definition("file", ConfigType.STRING, "tickets.txt", outside=Outside.FILE),
    )

    def prepare(self) -> None:
        assert_type(self.context, Context)
        assert_type(self.context.limits, Limits)
        assert_type(self.settings["topic"], Value)
        assert_type(open_within(str(self.settings["file"]), self.context.limits, os.O_RDONLY), int)

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        if offsets:
            raise ConnectError("Tickets have no offsets.")
        return spark.readStream.format("rate").load()

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        return cls.CONFIG.check(configs)


class TicketSink(SinkConnector):
    CLASS = "com.example.TicketSinkConnector"

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        if batch.isEmpty():
            raise RetriableError("There is nothing yet.")
        return [Rejected("tickets", 0, 7, "It is torn.")]


CONNECTORS: list[type[Connector]] = [TicketSource, TicketSink]


@udf("DOUBLED", "(INT) -> INT", "(BIGINT) -> BIGINT")
def doubled(number: int | None) -> int | None:
    return None if number is None else 2 * number


@udtf("LETTERS", "(STRING) -> STRING")
def letters(text: str | None) -> list[str]:
    return list(text or "")


@udaf("LAST_TEXT", "(STRING) -> STRING")
class LastText:
    def init(self) -> str:
        return ""

    def add(self, state: str, text: str | None) -> str:
        return text or state

    def merge(self, left: str, right: str) -> str:
        return right or left

    def result(self, state: str) -> str:
        return state


def functions_for_statements() -> None:
    assert_type(doubled(4), int | None)
    assert_type(letters("ab"), list[str])
    assert_type(LastText().add("", "a"), str)
    try:
        udf("NOTHING", "no signature")(doubled)
    except UserFunctionError as error:
        assert_type(str(error), str)


def run_a_cluster() -> list[Record]:
    with KafkaCluster({"num.partitions": 3}, brokers=3, users={"ana": "hers"}) as cluster:
        assert_type(cluster, KafkaCluster)
        cluster.create_topic("orders", partitions=3, configs={"retention.ms": 1000})
        fault = cluster.fail("Produce", ErrorCode.NOT_LEADER_OR_FOLLOWER, times=2)
        assert_type(fault, Fault)
        assert_type(fault.met, int)
        assert_type(cluster.leader("orders"), int | None)
        try:
            assert_type(cluster.produce("orders", "two books", key="ana"), list[tuple[int, int]])
        except KafkaError as error:
            assert_type(error.code, ErrorCode)
        records = cluster.consume("orders")
        assert_type(records[0].value, bytes | None)
        return records
