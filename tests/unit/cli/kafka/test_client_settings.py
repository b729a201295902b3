"""Java client settings for librdkafka."""

from __future__ import annotations

import pytest

from riacho.cli.kafka.console_consumer import consumer_config
from riacho.cli.kafka.console_producer import producer_config
from riacho.cli.kafka.flags.jopt import UsageError, parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.librdkafka import translate
from riacho.cli.kafka.properties import key_value_pairs

PRODUCER = TOOLS["kafka-console-producer"]
CONSUMER = TOOLS["kafka-console-consumer"]


def test_names_are_translated_and_a_jvms_own_left_out() -> None:
    given = {
        "linger.ms": "5",
        "buffer.memory": "1048576",
        "send.buffer.bytes": "1000",
        "key.serializer": "org.apache.kafka.common.serialization.StringSerializer",
        "max.block.ms": "1",
        "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RoundRobinAssignor",
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": 'org.example.PlainLoginModule required username="u" password="p;";',
    }
    assert translate(given) == {
        "linger.ms": "5",
        "queue.buffering.max.kbytes": 1024,
        "socket.send.buffer.bytes": "1000",
        "partition.assignment.strategy": "roundrobin",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "u",
        "sasl.password": "p;",
        "log_level": 2,
    }


def test_pairs_divide_at_the_first_equals() -> None:
    assert key_value_pairs(["key.separator==", "a="], "property") == {"key.separator": "=", "a": ""}
    with pytest.raises(ToolError, match="--property takes key=value, not 'x'"):
        key_value_pairs(["x"], "property")


def test_console_producer_flags() -> None:
    words = ["--topic", "t", "--request-required-acks", "1", "--compression-codec", "--command-property", "linger.ms=7"]
    config = producer_config(parse(PRODUCER, words))
    assert config["acks"] == "1"
    assert config["compression.type"] == "gzip"
    assert config["linger.ms"] == "7"
    assert config["partitioner"] == "murmur2_random"
    assert "enable.idempotence" not in config


def test_a_flag_goes_before_a_property() -> None:
    config = producer_config(parse(PRODUCER, ["--topic", "t", "--timeout", "9", "--producer-property", "linger.ms=7"]))
    assert config["linger.ms"] == "9"


def test_acks_all_is_idempotent_as_in_java() -> None:
    assert producer_config(parse(PRODUCER, ["--topic", "t"]))["enable.idempotence"] == "true"
    off = ["--topic", "t", "--command-property", "enable.idempotence=false"]
    assert producer_config(parse(PRODUCER, off))["enable.idempotence"] == "false"


def test_an_unknown_codec() -> None:
    with pytest.raises(UsageError, match="'brotli' is not a compression codec"):
        producer_config(parse(PRODUCER, ["--topic", "t", "--compression-codec", "brotli"]))


def test_console_consumer_groups() -> None:
    made_up = consumer_config(parse(CONSUMER, ["--topic", "t"]))
    assert made_up["group.id"].startswith("console-consumer-")
    assert made_up["enable.auto.commit"] == "false"
    assert made_up["auto.offset.reset"] == "latest"
    assert made_up["isolation.level"] == "read_uncommitted"
    named = consumer_config(parse(CONSUMER, ["--topic", "t", "--group", "g", "--from-beginning"]))
    assert named["group.id"] == "g"
    assert "enable.auto.commit" not in named
    assert named["auto.offset.reset"] == "earliest"


def test_patterns_leave_internal_topics_out() -> None:
    assert "__consumer_offsets" in consumer_config(parse(CONSUMER, ["--include", ".*"]))["topic.blacklist"]
    assert "topic.blacklist" not in consumer_config(parse(CONSUMER, ["--topic", "__consumer_offsets"]))


def test_from_beginning_against_the_properties() -> None:
    words = ["--topic", "t", "--from-beginning", "--command-property", "auto.offset.reset=latest"]
    with pytest.raises(UsageError, match="Can't simultaneously specify --from-beginning"):
        consumer_config(parse(CONSUMER, words))
