"""The commands that the project's notes give for the inside of the broker container, run as they are written there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.kafka_scripts import script_environment, write_scripts
from e2e.own_loopback import LocalBroker, broker_on_9092

pytestmark = pytest.mark.timeout(180)

CREATE = (
    "kafka-topics --create --topic mytopic-test-2020 --partitions 1 --replication-factor 1 --if-not-exists "
    "--zookeeper zookeeper:2181"
)
LIST = "kafka-topics --list --zookeeper zookeeper:2181"
DESCRIBE = "kafka-topics --describe meu-topico-legal-jeff --zookeeper zookeeper:2181"
PRODUCE = (
    'bash -c "seq 100 | kafka-console-producer --request-required-acks 1 --broker-list localhost:9092 '
    "--topic meu-topico-legal-jeff && echo 'Produced 100 messages.'\""
)
CONSUME = (
    "kafka-console-consumer --bootstrap-server localhost:9092 --topic meu-topico-legal-jeff --from-beginning "
    "--max-messages 100"
)


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalBroker]:
    with broker_on_9092() as running:
        yield running


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("bin"))


def run(broker: LocalBroker, scripts: Path, line: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*broker.prefix, "bash", "-c", line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        env=script_environment(scripts),
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_the_whole_walk(broker: LocalBroker, scripts: Path) -> None:
    created = run(broker, scripts, CREATE)
    assert (created.returncode, created.stdout) == (0, "Created topic mytopic-test-2020.\n")
    assert "--zookeeper is ignored" in created.stderr

    again = run(broker, scripts, CREATE)
    assert (again.returncode, again.stdout) == (0, "")

    missing = run(broker, scripts, DESCRIBE)
    assert missing.returncode == 1
    assert missing.stdout == (
        "Error while executing topic command : Topic 'meu-topico-legal-jeff' does not exist as expected\n"
    )

    named = run(broker, scripts, CREATE.replace("mytopic-test-2020", "meu-topico-legal-jeff"))
    assert named.stdout == "Created topic meu-topico-legal-jeff.\n"

    listed = run(broker, scripts, LIST)
    assert listed.returncode == 0
    assert {"meu-topico-legal-jeff", "mytopic-test-2020"} <= set(listed.stdout.split())

    produced = run(broker, scripts, PRODUCE)
    assert (produced.returncode, produced.stdout) == (0, "Produced 100 messages.\n")

    consumed = run(broker, scripts, CONSUME)
    assert consumed.returncode == 0
    assert consumed.stdout.splitlines() == [str(number) for number in range(1, 101)]
    assert consumed.stderr.splitlines()[-1] == "Processed a total of 100 messages"

    described = run(broker, scripts, DESCRIBE)
    assert described.returncode == 0
    header, partition = described.stdout.splitlines()
    assert header.startswith("Topic: meu-topico-legal-jeff\tTopicId: ")
    assert "\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: " in header
    assert partition.startswith("\tTopic: meu-topico-legal-jeff\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\t")


def test_a_producer_makes_the_topic(broker: LocalBroker, scripts: Path) -> None:
    line = PRODUCE.replace("meu-topico-legal-jeff", "novo-topico")
    assert run(broker, scripts, line).stdout == "Produced 100 messages.\n"
    consumed = run(broker, scripts, CONSUME.replace("meu-topico-legal-jeff", "novo-topico"))
    assert len(consumed.stdout.split()) == 100


@pytest.mark.parametrize("line", [CREATE, LIST, PRODUCE, CONSUME])
def test_names_with_sh_too(broker: LocalBroker, scripts: Path, line: str) -> None:
    with_suffix = line.replace("kafka-topics ", "kafka-topics.sh ").replace("-producer ", "-producer.sh ")
    topic = "com-sufixo"
    with_suffix = with_suffix.replace("-consumer ", "-consumer.sh ").replace("meu-topico-legal-jeff", topic)
    if line == CONSUME:
        run(broker, scripts, PRODUCE.replace("meu-topico-legal-jeff", topic))
    assert run(broker, scripts, with_suffix).returncode == 0
