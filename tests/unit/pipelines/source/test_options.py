"""Options of the source: what each gives, and the one sentence that refuses it."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.pipelines.source.options import SourceOptions, source_options
from riacho.pipelines.source.positions import At, Position, Times

BASE = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "t"}


def parsed(streaming: bool = False, **options: str) -> SourceOptions:
    return source_options(BASE | {k.replace("__", "."): v for k, v in options.items()}, streaming=streaming)


def test_defaults_are_those_of_sparks_own_connector() -> None:
    batch, stream = parsed(), parsed(streaming=True)
    assert (batch.starting, batch.ending) == (Position(everywhere=At.EARLIEST), Position(everywhere=At.LATEST))
    assert stream.starting == Position(everywhere=At.LATEST)
    assert batch.fail_on_data_loss
    assert not batch.include_headers
    assert not batch.committed_only
    assert (batch.retries, batch.retry_interval_ms, batch.poll_timeout_ms) == (3, 1000, 120_000)
    assert stream.offsets_per_trigger_max is None
    assert stream.trigger_delay_ms_max == 900_000


def test_names_are_taken_in_any_case() -> None:
    options = source_options(
        {"KAFKA.bootstrap.servers": "a:1,b:2", "SUBSCRIBE": "x, y,x", "minpartitions": "4", "INCLUDEHEADERS": "True"},
        streaming=True,
    )
    assert options.client.bootstrap == (("a", 1), ("b", 2))
    assert options.subscription.topics == ("x", "y")
    assert options.partitions_min == 4
    assert options.include_headers


def test_a_time_has_precedence_over_offsets() -> None:
    options = parsed(startingTimestamp="5", startingOffsetsByTimestamp='{"t":{"0":6}}', startingOffsets="earliest")
    assert options.starting == Times(everywhere=5)
    options = parsed(endingOffsetsByTimestamp='{"t":{"0":6}}', endingOffsets='{"t":{"0":9}}')
    assert options.ending == Times(each={("t", 0): 6})


def test_client_settings_keep_javas_names() -> None:
    options = parsed(
        kafka__isolation__level="read_committed",
        kafka__max__partition__fetch__bytes="1000",
        kafka__fetch__max__bytes="900",
        **{"kafka.request.timeout.ms": "777", "kafka.client.rack": "r1", "kafka.group.id": "g", "groupIdPrefix": "p"},
    )
    assert options.committed_only
    assert options.fetch_size_bytes_max == 900
    assert options.rack == "r1"
    assert options.client.request_timeout_ms == 777


def test_secrets_are_not_shown() -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hunter2";'
    options = parsed(
        **{"kafka.security.protocol": "SASL_PLAINTEXT", "kafka.sasl.mechanism": "PLAIN", "kafka.sasl.jaas.config": jaas}
    )
    assert options.client.security.mechanism == "PLAIN"
    assert "hunter2" not in repr(options)


@pytest.mark.parametrize(
    ("text", "milliseconds"), [("15m", 900_000), ("30s", 30_000), ("250ms", 250), ("2h", 7_200_000)]
)
def test_delays_are_written_with_a_unit(text: str, milliseconds: int) -> None:
    assert parsed(streaming=True, minOffsetsPerTrigger="1", maxTriggerDelay=text).trigger_delay_ms_max == milliseconds


@pytest.mark.parametrize(
    ("streaming", "options", "sentence"),
    [
        (False, {"assign": '{"t":[0]}'}, "Only one of the following options can be specified"),
        (False, {"kafka.bootstrap.servers": ""}, "Option 'kafka.bootstrap.servers' must be specified"),
        (False, {"subscribe": " , "}, "No topics to subscribe to"),
        (False, {"startingOffsets": "latest"}, "The starting offset can't be latest for batch queries"),
        (False, {"startingOffsets": '{"t":{"0":-1}}'}, "for t-0 can't be latest for batch queries"),
        (False, {"endingOffsets": "earliest"}, "The ending offset can't be earliest for batch queries"),
        (False, {"endingOffsets": '{"t":{"0":-2}}'}, "for t-0 can't be earliest for batch queries"),
        (False, {"startingOffsets": '{"t":{"0":-3}}'}, "has offset -3 for t-0"),
        (False, {"startingOffsets": "newest"}, "Option 'startingOffsets' cannot be read"),
        (False, {"startingOffsets": '{"t":{"0":"x"}}'}, "Option 'startingOffsets' cannot be read"),
        (True, {"endingOffsets": "latest"}, "Option 'endingOffsets' is not valid in streaming queries."),
        (True, {"endingTimestamp": "1"}, "Option 'endingTimestamp' is not valid in streaming queries."),
        (True, {"endingOffsetsByTimestamp": "{}"}, "Option 'endingOffsetsByTimestamp' is not valid in streaming"),
        (True, {"startingOffsetsByTimestampStrategy": "x"}, "write 'error' or 'latest'"),
        (True, {"startingTimestamp": "-5"}, "Option 'startingTimestamp' is '-5', which is no number."),
        (True, {"startingTimestamp": "\N{SUPERSCRIPT TWO}"}, "which is no number."),
        (True, {"minPartitions": "0"}, "Option 'minPartitions' must be positive."),
        (True, {"maxRecordsPerPartition": "many"}, "Option 'maxRecordsPerPartition' is 'many'"),
        (True, {"maxOffsetsPerTrigger": "0"}, "Option 'maxOffsetsPerTrigger' must be positive."),
        (True, {"minOffsetsPerTrigger": "5", "maxOffsetsPerTrigger": "4"}, "(5) is above 'maxOffsetsPerTrigger' (4)"),
        (True, {"maxTriggerDelay": "soon"}, "write a time such as 15m"),
        (True, {"failOnDataLoss": "maybe"}, "write true or false"),
        (True, {"kafka.auto.offset.reset": "earliest"}, "set the option 'startingOffsets'"),
        (True, {"kafka.key.deserializer": "X"}, "Kafka option 'key.deserializer' is not supported"),
        (True, {"kafka.value.deserializer": "X"}, "Kafka option 'value.deserializer' is not supported"),
        (True, {"kafka.enable.auto.commit": "true"}, "Kafka option 'enable.auto.commit' is not supported"),
        (True, {"kafka.interceptor.classes": "X"}, "Kafka option 'interceptor.classes' is not supported"),
        (True, {"kafka.isolation.level": "none"}, "write read_committed or read_uncommitted"),
        (True, {"kafka.fetch.max.bytes": "big"}, "Kafka option 'fetch.max.bytes' is 'big'"),
        (True, {"kafka.bootstrap.servers": "host:port:x"}, "The Kafka client settings cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(
    streaming: bool, options: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        source_options(BASE | options, streaming=streaming)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "One of the following options must be specified"),
        ({"subscribePattern": "("}, "Option 'subscribePattern' is no pattern"),
        ({"subscribePattern": " "}, "Pattern to subscribe is empty"),
        ({"assign": "t:0"}, "Option 'assign' cannot be read"),
        ({"assign": "{}"}, "No topic partitions to assign"),
    ],
)
def test_subscriptions_are_checked(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence.replace("(", r"\(")):
        source_options({"kafka.bootstrap.servers": "h:1"} | options, streaming=True)


def test_partitions_can_be_assigned() -> None:
    options = source_options({"kafka.bootstrap.servers": "h:1", "assign": '{"b":[1,0],"a":[2]}'}, streaming=True)
    assert options.subscription.partitions == (("a", 2), ("b", 0), ("b", 1))
