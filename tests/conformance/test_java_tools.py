"""Apache Kafka's own command line tools, unmodified, against the broker."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from conformance.confluent import create_topic, produce
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from support.java import available, java_tool

pytestmark = pytest.mark.timeout(180)
Tool = Callable[..., str]


@pytest.fixture
def tool(broker: RunningBroker) -> Tool:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")

    def run(name: str, *arguments: str, text: str | None = None) -> str:
        done = java_tool(name, ["--bootstrap-server", broker.bootstrap, *arguments], input=text, timeout=90)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_topics(tool: Tool, name: str) -> None:
    topics = ("--topic", name)
    created = tool("kafka-topics", "--create", *topics, "--partitions", "2", "--config", "retention.ms=5000")
    assert f"Created topic {name}" in created
    described = tool("kafka-topics", "--describe", *topics)
    assert "PartitionCount: 2" in described
    assert "retention.ms=5000" in described
    assert len(re.findall(r"Leader: \d+\s+Replicas: \d+\s+Isr: \d+", described)) == 2
    tool("kafka-topics", "--alter", *topics, "--partitions", "4")
    assert name in tool("kafka-topics", "--list").split()
    assert "PartitionCount: 4" in tool("kafka-topics", "--describe", *topics)
    tool("kafka-topics", "--delete", *topics)
    assert name not in tool("kafka-topics", "--list").split()


def test_console_producer_and_consumer(broker: RunningBroker, tool: Tool, name: str) -> None:
    create_topic(broker.bootstrap, name)
    lines = [f"key{number}:value {number}" for number in range(20)]
    keyed = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    tool("kafka-console-producer", "--topic", name, *keyed, "--compression-codec", "zstd", text="\n".join(lines) + "\n")
    shown = tool(
        "kafka-console-consumer",
        *("--topic", name, "--from-beginning", "--max-messages", "20", "--timeout-ms", "20000"),
        *("--formatter-property", "print.key=true", "--formatter-property", "key.separator=:"),
    )
    assert shown.splitlines() == lines


def test_consumer_groups(broker: RunningBroker, tool: Tool, name: str) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, [{"value": b"%d" % number} for number in range(10)])
    reading = ("--topic", name, "--group", name, "--max-messages", "4", "--timeout-ms", "20000")
    tool("kafka-console-consumer", *reading, "--from-beginning")
    group = ("--group", name)
    assert name in tool("kafka-consumer-groups", "--list").split()
    described = tool("kafka-consumer-groups", "--describe", *group)
    row = next(line.split() for line in described.splitlines() if line.startswith(name))
    assert row[:6] == [name, name, "0", "4", "10", "6"]
    reset = tool("kafka-consumer-groups", "--reset-offsets", *group, "--topic", name, "--to-offset", "8", "--execute")
    assert re.search(rf"{name}\s+{name}\s+0\s+8", reset)
    assert "Empty" in tool("kafka-consumer-groups", "--describe", *group, "--state")
    tool("kafka-consumer-groups", "--delete-offsets", *group, "--topic", name)
    tool("kafka-consumer-groups", "--delete", *group)
    assert name not in tool("kafka-consumer-groups", "--list").split()


def test_configs(broker: RunningBroker, tool: Tool, name: str) -> None:
    create_topic(broker.bootstrap, name)
    entity = ("--entity-type", "topics", "--entity-name", name)
    tool("kafka-configs", "--alter", *entity, "--add-config", "retention.ms=7000,cleanup.policy=[compact,delete]")
    described = eventually(lambda: tool("kafka-configs", "--describe", *entity))
    assert "retention.ms=7000" in described
    assert "DYNAMIC_TOPIC_CONFIG:retention.ms=7000" in described
    tool("kafka-configs", "--alter", *entity, "--delete-config", "retention.ms")
    assert "retention.ms=7000" not in tool("kafka-configs", "--describe", *entity)
    brokers = tool("kafka-configs", "--describe", "--entity-type", "brokers", "--entity-name", "1", "--all")
    assert "offsets.topic.num.partitions=4" in brokers


def test_offsets_log_dirs_and_versions(broker: RunningBroker, tool: Tool, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=2)
    produce(broker.bootstrap, name, [{"value": b"v" * 100, "partition": 1} for _ in range(5)])
    assert tool("kafka-get-offsets", "--topic", name).split() == [f"{name}:0:0", f"{name}:1:5"]
    told = tool("kafka-log-dirs", "--describe", "--topic-list", name)
    answer = json.loads(next(line for line in told.splitlines() if line.startswith("{")))
    [directory] = answer["brokers"][0]["logDirs"]
    sizes = {each["partition"]: each["size"] for each in directory["partitions"]}
    assert sizes[f"{name}-0"] == 0
    assert sizes[f"{name}-1"] > 500
    versions = tool("kafka-broker-api-versions")
    assert re.search(r"Produce\(0\): 0 to 13 \[usable: 13\]", versions)
    assert re.search(r"Fetch\(1\): 4 to 18 \[usable: 18\]", versions)


def test_delete_records(broker: RunningBroker, tool: Tool, name: str, tmp_path: object) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, [{"value": b"v"} for _ in range(5)])
    wanted = {"partitions": [{"topic": name, "partition": 0, "offset": 3}], "version": 1}
    offsets_file = f"{tmp_path}/offsets.json"
    with open(offsets_file, "w") as file:
        json.dump(wanted, file)
    assert "low_watermark: 3" in tool("kafka-delete-records", "--offset-json-file", offsets_file)


def test_producer_and_consumer_perf(broker: RunningBroker, tool: Tool, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=2)
    written = tool(
        "kafka-producer-perf-test",
        *("--topic", name, "--num-records", "5000", "--record-size", "100", "--throughput", "-1"),
        *("--command-property", f"bootstrap.servers={broker.bootstrap}"),
    )
    assert "5000 records sent" in written
    read = tool("kafka-consumer-perf-test", "--topic", name, "--num-records", "5000", "--timeout", "20000")
    assert read.splitlines()[-1].split(",")[4].strip() == "5000"


def test_verifiable_producer_and_consumer(broker: RunningBroker, tool: Tool, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=2)
    written = tool("kafka-verifiable-producer", "--topic", name, "--max-messages", "500")
    acked = [json.loads(line) for line in written.splitlines() if "producer_send_success" in line]
    assert len(acked) == 500
    assert len({(each["partition"], each["offset"]) for each in acked}) == 500
    read = tool(
        "kafka-verifiable-consumer",
        *("--topic", name, "--group-id", name, "--max-messages", "500", "--reset-policy", "earliest"),
    )
    events = [json.loads(line) for line in read.splitlines() if line.startswith("{")]
    assert sum(event["count"] for event in events if event["name"] == "records_consumed") == 500
    assert all(event["success"] for event in events if event["name"] == "offsets_committed")
