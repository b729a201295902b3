"""Our tools and Kafka's own, side by side: the same words to the same broker have to print the same bytes.

Questions are asked of the same topics and groups, so nothing needs to be smoothed over. Commands that change something
work on a twin each, and only the twins' names and ids are made equal. Kafka's tools put Java class names before some
errors and leave rows in the order of a hash table; such commands compare sorted lines, or are not here.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from conformance.confluent import create_topic
from conformance.running_broker import RunningBroker
from e2e.kafka_scripts import run_script, write_scripts
from support.java import available, java_tool

pytestmark = pytest.mark.timeout(300)
Done = subprocess.CompletedProcess[str]
Both = Callable[..., tuple[Done, Done]]

TOPIC, GROUP = "beside", "beside-group"


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="session")
def prepared(broker: RunningBroker, scripts: Path) -> RunningBroker:
    """One topic with two partitions and keyed records, one group that has read part of it."""
    create_topic(broker.bootstrap, TOPIC, 2)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 0})
    for number in range(10):
        headers: list[tuple[str, str | bytes | None]] = [("h", b"1")] if number % 2 else []
        producer.produce(TOPIC, f"value {number}", f"key {number}", partition=number % 2, headers=headers)
        producer.flush()
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": GROUP, "enable.auto.commit": False})
    consumer.commit(offsets=[TopicPartition(TOPIC, p, 3) for p in (0, 1)], asynchronous=False)
    consumer.close()
    return broker


@pytest.fixture
def both(prepared: RunningBroker, scripts: Path) -> Iterator[Both]:
    def run(tool: str, *words: str, text: str | None = None) -> tuple[Done, Done]:
        line = ["--bootstrap-server", prepared.bootstrap, *words]
        ours = run_script(scripts, [tool, *line], text=text)
        assert "Traceback" not in ours.stderr, ours.stderr
        return ours, java_tool(tool, line, input=text, timeout=90)

    return run


QUESTIONS = [
    f"kafka-topics --describe --topic {TOPIC}",
    f"kafka-topics --list --topic {TOPIC}.*",
    "kafka-topics --list --exclude-internal",
    "kafka-topics --describe --topic there-is-none",
    f"kafka-topics --describe --topic {TOPIC} --under-replicated-partitions",
    f"kafka-topics --describe --topic {TOPIC} --at-min-isr-partitions",
    f"kafka-topics --create --topic {TOPIC}",
    "kafka-topics --create --topic bad!name",
    "kafka-topics --create --topic unheard --config no.such=1",
    f"kafka-topics --alter --topic {TOPIC} --partitions 1",
    f"kafka-consumer-groups --describe --group {GROUP}",
    f"kafka-consumer-groups --describe --group {GROUP} --verbose",
    f"kafka-consumer-groups --describe --group {GROUP} --members",
    f"kafka-consumer-groups --describe --group {GROUP} --state --verbose",
    f"kafka-consumer-groups --reset-offsets --group {GROUP} --topic {TOPIC}:1 --to-earliest --dry-run",
    f"kafka-consumer-groups --reset-offsets --group {GROUP} --topic {TOPIC}:1 --shift-by 1 --dry-run --export",
    f"kafka-consumer-groups --reset-offsets --group {GROUP} --topic {TOPIC}:0 --to-datetime 2020-01-01T00:00:00.000",
    f"kafka-configs --describe --topic {TOPIC}",
    f"kafka-configs --describe --topic {TOPIC} --all",
    "kafka-configs --describe --entity-type topics --entity-name there-is-none",
    "kafka-configs --describe --broker 1",
    "kafka-configs --describe --broker-defaults",
    f"kafka-get-offsets --topic {TOPIC}",
    f"kafka-get-offsets --topic {TOPIC} --time earliest",
    f"kafka-get-offsets --topic {TOPIC} --time max-timestamp",
    f"kafka-get-offsets --topic-partitions {TOPIC}:1-",
    "kafka-get-offsets --topic there-is-none",
    "kafka-broker-api-versions",
]


@pytest.mark.parametrize("line", QUESTIONS)
def test_questions(both: Both, line: str) -> None:
    tool, *words = line.split()
    ours, theirs = both(tool, *words)
    assert ours.stdout == theirs.stdout
    assert ours.returncode == theirs.returncode


UNORDERED = [
    "kafka-consumer-groups --list",
    "kafka-consumer-groups --list --state --type",
    "kafka-groups --list",
]


@pytest.mark.parametrize("line", UNORDERED)
def test_questions_with_rows_in_any_order(both: Both, line: str) -> None:
    tool, *words = line.split()
    ours, theirs = both(tool, *words)
    assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())


@pytest.mark.parametrize("command", ["cluster-id", "list-endpoints"])
def test_cluster(prepared: RunningBroker, scripts: Path, command: str) -> None:
    words = [command, "--bootstrap-server", prepared.bootstrap]
    ours, theirs = run_script(scripts, ["kafka-cluster", *words]), java_tool("kafka-cluster", words)
    assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode)


def test_log_directories(both: Both) -> None:
    ours, theirs = (done.stdout.splitlines() for done in both("kafka-log-dirs", "--describe", "--topic-list", TOPIC))
    assert ours[:2] == theirs[:2]

    def sizes(text: str) -> list[tuple[str, int]]:
        directories = json.loads(text)["brokers"][0]["logDirs"]
        return sorted((p["partition"], p["size"]) for d in directories for p in d["partitions"])

    assert sizes(ours[2]) == sizes(theirs[2])


# Not print.epoch: Kafka's tool loses the epoch on its way to the formatter and prints NOT_PRESENT.
PRINTED = [
    [],
    ["print.key=true", "print.offset=true", "print.partition=true", "print.headers=true"],
    ["print.timestamp=true", "key.separator=|", "line.separator=;"],
    ["print.value=false", "print.key=true"],
]


@pytest.mark.parametrize("properties", PRINTED, ids=lambda properties: ",".join(properties) or "plain")
def test_console_consumer(both: Both, properties: list[str]) -> None:
    shown = [word for one in properties for word in ("--formatter-property", one)]
    words = ["--topic", TOPIC, "--partition", "1", "--offset", "1", "--max-messages", "4", *shown]
    ours, theirs = both("kafka-console-consumer", *words)
    assert ours.stdout == theirs.stdout
    assert ours.stderr.splitlines()[-1] == theirs.stderr.splitlines()[-1] == "Processed a total of 4 messages"


def test_console_producer(both: Both, prepared: RunningBroker, name: str) -> None:
    """Each tool sends the same lines; keys have to land in the same partitions, whoever sends them."""
    create_topic(prepared.bootstrap, name, 5)
    lines = "".join(f"h:{number}\tkey {number}\tvalue {number}\n" for number in range(30)) + "NULL\tlast\tNULL\n"
    properties = ["parse.key=true", "parse.headers=true", "null.marker=NULL"]
    reader = [word for one in properties for word in ("--reader-property", one)]
    for done in both("kafka-console-producer", "--topic", name, *reader, text=lines):
        assert done.returncode == 0, done.stderr
    parts = ["print.key=true", "print.headers=true", "print.partition=true"]
    shown = [word for one in parts for word in ("--formatter-property", one)]
    words = ["--topic", name, "--from-beginning", "--max-messages", "62", "--timeout-ms", "20000", *shown]
    read, _ = both("kafka-console-consumer", *words)
    counted = sorted(read.stdout.splitlines())
    assert len(counted) == 62
    assert counted[::2] == counted[1::2]


def twin(text: str, own: str) -> str:
    told = re.sub(r"TopicId: [\w-]{22}", "TopicId: -", text.replace(own, "twin"))
    # Java lists them in the order of a hash table.
    return re.sub(r"Configs: (.*)", lambda found: f"Configs: {','.join(sorted(found[1].split(',')))}", told)


CHANGES = [
    "kafka-topics --create --topic {} --partitions 3 --config retention.ms=5000",
    "kafka-topics --create --topic {} --if-not-exists",
    "kafka-configs --alter --topic {} --add-config max.message.bytes=2000,cleanup.policy=[compact,delete]",
    "kafka-configs --describe --topic {}",
    "kafka-configs --alter --topic {} --delete-config retention.ms",
    "kafka-configs --alter --topic {} --add-config retention.ms=soon",
    "kafka-topics --alter --topic {} --partitions 4",
    "kafka-topics --describe --topic {}",
    "kafka-consumer-groups --reset-offsets --group {} --topic {}:0 --to-latest --execute",
    "kafka-consumer-groups --describe --group {}",
    "kafka-consumer-groups --delete-offsets --group {} --topic {}:0",
    "kafka-topics --delete --topic {}",
    "kafka-topics --delete --topic {}",
]


def test_changes_on_twins(prepared: RunningBroker, scripts: Path, name: str) -> None:
    mine, other = f"a-{name}"[:40], f"b-{name}"[:40]
    for line in CHANGES:
        tool, *words = line.split()
        ours = run_script(
            scripts, [tool, "--bootstrap-server", prepared.bootstrap, *(w.replace("{}", mine) for w in words)]
        )
        theirs = java_tool(tool, ["--bootstrap-server", prepared.bootstrap, *(w.replace("{}", other) for w in words)])
        assert twin(ours.stdout, mine) == twin(theirs.stdout, other), line
        assert ours.returncode == theirs.returncode, line


def test_delete_records(both: Both, prepared: RunningBroker, tmp_path: Path) -> None:
    wanted = tmp_path / "offsets.json"
    wanted.write_text(json.dumps({"partitions": [{"topic": TOPIC, "partition": 0, "offset": 1}], "version": 1}))
    ours, theirs = both("kafka-delete-records", "--offset-json-file", str(wanted))
    assert ours.stdout == theirs.stdout
    assert ours.stdout.endswith(f"partition: {TOPIC}-0\tlow_watermark: 1\n")


STORAGE = ["version-mapping", "version-mapping --release-version 3.9", "feature-dependencies -f group.version=1"]


@pytest.mark.parametrize("line", STORAGE)
def test_storage(scripts: Path, line: str) -> None:
    ours, theirs = run_script(scripts, ["kafka-storage", *line.split()]), java_tool("kafka-storage", line.split())
    assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode)
