"""A pipeline made from a connector's JSON, told in lines and drawn."""

from __future__ import annotations

from riacho.pipelines.pipeline import Converter, External, Pipeline, Predicate, Topics, Transform

SINK = {
    "connector.class": "riacho.connect.DirectorySinkConnector",
    "topics": "orders",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "transforms": "route",
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.predicate": "isOrder",
    "transforms.route.regex": "a",
    "transforms.route.negate": "true",
    "predicates": "isOrder",
    "predicates.isOrder.type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches",
    "predicates.isOrder.pattern": "orders",
    "value.converter.schemas.enable": "false",
    "riacho.read.maxOffsetsPerTrigger": "5",
    "consumer.override.auto.offset.reset": "Latest",
    "errors.tolerance": "all",
    "errors.deadletterqueue.topic.name": "orders-dlq",
}


def test_a_sink_decodes_and_then_transforms() -> None:
    pipeline = Pipeline.from_connector("parquet", SINK, is_sink=True)
    assert (str(pipeline.source), str(pipeline.sink)) == ("topic orders", "DirectorySinkConnector")
    assert pipeline.source == Topics(("orders",), reset="latest", read_options={"maxOffsetsPerTrigger": "5"})
    assert pipeline.sink == External(SINK["connector.class"])
    is_order = Predicate("isOrder", SINK["predicates.isOrder.type"], {"pattern": "orders"})
    own = {"regex": "a", "predicate": "isOrder", "negate": "true"}
    assert pipeline.steps == (
        Converter("decode", "key", SINK["key.converter"]),
        Converter("decode", "value", SINK["value.converter"], {"schemas.enable": "false"}),
        Transform("route", SINK["transforms.route.type"], own, is_order, negate=True),
    )
    assert pipeline.guarantee == "exactly-once"


def test_a_source_transforms_and_then_encodes() -> None:
    configs = {
        "connector.class": "FileStreamSource",
        "topic": "lines",
        "riacho.trigger.ms": "50",
        "topic.creation.default.partitions": "3",
    }
    pipeline = Pipeline.from_connector("lines", configs, is_sink=False)
    assert (str(pipeline.source), str(pipeline.sink)) == ("FileStreamSource", "topic lines")
    assert pipeline.trigger_ms == 50
    assert pipeline.sink == Topics(("lines",), creation={"topic.creation.default.partitions": "3"})
    assert [step.kind for step in pipeline.steps] == ["encode", "encode"]
    assert pipeline.draw() == "FileStreamSource -> [JsonConverter] -> [JsonConverter] -> topic lines"


def test_it_is_told_in_lines() -> None:
    told = Pipeline.from_connector("parquet", SINK, is_sink=True).explain()
    assert told.splitlines()[0] == "pipeline parquet"
    assert "  errors  bad records go to topic orders-dlq" in told
    assert "  transform route: RegexRouter if not isOrder" in told


def test_the_letters_leave_the_picture_below_the_last_step() -> None:
    line, bar, branch = Pipeline.from_connector("parquet", SINK, is_sink=True).draw().splitlines()
    assert line.startswith("topic orders -> [StringConverter] -> [JsonConverter]")
    assert branch.strip() == "+-- bad records --> topic orders-dlq"
    assert bar.index("|") == branch.index("+")
    assert line.index("[RegexRouter") < bar.index("|") < line.index("]", line.index("[RegexRouter"))


def test_topics_by_pattern() -> None:
    configs = {"connector.class": "FileStreamSink", "topics.regex": "orders-.*"}
    assert str(Pipeline.from_connector("all", configs, is_sink=True).source) == "topics matching orders-.*"
