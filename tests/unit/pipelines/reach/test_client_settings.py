"""What of a connector's config ends in a Kafka client must be allowed there, whatever the worker's policy says."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from riacho.pipelines.connect.plugins.catalog_process import Questions
from riacho.pipelines.connect.plugins.plugins import Plugins
from riacho.pipelines.connect.protocol import Settings, Start
from riacho.pipelines.connect.runner.query_plan import QueryPlan
from riacho.pipelines.plugin import ConnectError

FILE_SINK = {"connector.class": "FileStreamSink", "topics": "t", "file": "out.txt"}
MIRROR = {
    "connector.class": "MirrorSource",
    "source.cluster.alias": "a",
    "source.cluster.bootstrap.servers": "b:1",
}
SPARK = {"connector.class": "SparkSource", "spark.format": "rate", "topic": "t"}
LIBRARY = "plugin.library.paths"
JNDI = 'com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://h/x";'


def judged(config: dict[str, str]) -> Any:
    questions = Questions(Plugins(), {})
    return questions.answer({"ask": "validate", "name": "x", "configs": {"name": "x", **config}})["ok"]


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        (FILE_SINK, f"admin.override.{LIBRARY}"),
        (FILE_SINK, f"consumer.override.{LIBRARY}"),
        (FILE_SINK, f"producer.override.{LIBRARY}"),
        (FILE_SINK, f"riacho.read.kafka.{LIBRARY}"),
        (FILE_SINK, f"riacho.read.KAFKA.{LIBRARY}"),
        (FILE_SINK, "riacho.read.subscribe"),
        (MIRROR, f"source.cluster.{LIBRARY}"),
        (MIRROR, f"target.cluster.{LIBRARY}"),
        (SPARK, f"spark.option.kafka.{LIBRARY}"),
        (SPARK, f"spark.option.Kafka.{LIBRARY}"),
    ],
)
def test_a_setting_that_loads_code_is_refused_by_name(config: dict[str, str], setting: str) -> None:
    told = judged(config | {setting: "/tmp/evil.so"})
    assert len(told["errors"]) == 1
    assert told["errors"][0].startswith(f"{setting} is refused: ")
    assert "/tmp/evil.so" not in str(told)
    shown = {each["value"]["name"]: each["value"] for each in told["answer"]["configs"]}
    assert shown[setting]["errors"] == told["errors"]


def test_settings_that_clients_may_have_pass() -> None:
    login = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";'
    config = FILE_SINK | {
        "consumer.override.auto.offset.reset": "latest",
        "consumer.override.sasl.jaas.config": login,
        "producer.override.compression.type": "lz4",
        "riacho.read.maxOffsetsPerTrigger": "5",
        "riacho.read.kafka.fetch.max.bytes": "5",
    }
    assert judged(config)["errors"] == []
    assert judged(MIRROR | {"source.cluster.security.protocol": "SASL_SSL"})["errors"] == []


def plan(config: dict[str, str], scratch: str) -> QueryPlan:
    kind: Literal["source", "sink"] = "sink" if "topics" in config else "source"
    start = Start(name="x", generation=1, type=kind, configs=config, checkpoint=f"{scratch}/checkpoint")
    return QueryPlan.of(start, Settings(bootstrap_servers="b:1"))


def test_a_value_that_is_filled_in_later_is_judged_when_it_is(tmp_path: Any) -> None:
    setting = "consumer.override.sasl.jaas.config"
    assert judged(FILE_SINK | {setting: "${file:/secrets:login}"})["errors"] == []
    with pytest.raises(ConnectError, match="JndiLoginModule"):
        plan(FILE_SINK | {setting: JNDI}, str(tmp_path))
    assert judged(FILE_SINK | {f"consumer.override.{LIBRARY}": "${file:/secrets:library}"})["errors"]


def test_the_runner_refuses_them_as_well(tmp_path: Any) -> None:
    with pytest.raises(ConnectError, match=r"^source\.cluster\.plugin\.library\.paths is refused"):
        plan(MIRROR | {f"source.cluster.{LIBRARY}": "/tmp/evil.so"}, str(tmp_path))
    assert plan(MIRROR, str(tmp_path)).connector.CLASS.endswith("MirrorSourceConnector")
