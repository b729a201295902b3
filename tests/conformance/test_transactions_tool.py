"""kafka-transactions, ours and Kafka's, side by side on the same broker: the same words print the same bytes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer

from conformance.confluent import TIMEOUT_S, create_topic
from conformance.running_broker import RunningBroker
from conformance.tool_cluster import plain
from conformance.waiting import eventually
from e2e.kafka_scripts import run_script, write_scripts
from support.java import available, java_tool

Done = subprocess.CompletedProcess[str]
Tool = Callable[[str], Done]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def ours(broker: RunningBroker, scripts: Path) -> Tool:
    def run(line: str) -> Done:
        words = ["kafka-transactions", "--bootstrap-server", broker.bootstrap, *line.split()]
        done = run_script(scripts, words, timeout=60)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture
def theirs(broker: RunningBroker) -> Tool:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    return lambda line: java_tool("kafka-transactions", ["--bootstrap-server", broker.bootstrap, *line.split()])


@pytest.fixture
def opened(broker: RunningBroker, name: str) -> Producer:
    """A transaction that is open on partition 0 of a topic that is called like its transactional id."""
    create_topic(broker.bootstrap, name, partitions=2)
    # Java's tools take their time.
    config = {"bootstrap.servers": broker.bootstrap, "transactional.id": name, "transaction.timeout.ms": 600_000}
    producer = Producer(config)
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(name, b"open", partition=0)
    assert producer.flush(TIMEOUT_S) == 0
    return producer


def same(ours: Tool, theirs: Tool, line: str, moving: str = "") -> str:
    """`moving` is what differs from one moment to the next."""
    mine, other = ours(line), theirs(line)
    texts = [re.sub(moving, "-", plain(done.stdout)) if moving else plain(done.stdout) for done in (mine, other)]
    assert texts[0] == texts[1], line
    assert mine.returncode == other.returncode, (line, mine.stderr, other.stderr)
    return mine.stdout


def test_what_is_shown(ours: Tool, theirs: Tool, opened: Producer, name: str) -> None:
    listed = same(ours, theirs, f"list --transactional-id-pattern {name}")
    assert [cell.strip() for cell in listed.splitlines()[1].split("\t")][3] == "Ongoing"
    assert (
        len(same(ours, theirs, f"list --transactional-id-pattern {name} --duration-filter 3600000").splitlines()) == 1
    )
    described = same(ours, theirs, f"describe --transactional-id {name}", r"(?m)\d+ *\t(?=\S+-0\t$)")
    assert described.splitlines()[1].split("\t")[8].strip() == f"{name}-0"
    producers = same(ours, theirs, f"describe-producers --topic {name} --partition 0")
    assert producers.splitlines()[1].split("\t")[5].strip() == "0"
    same(ours, theirs, f"describe-producers --topic {name} --partition 1")
    same(ours, theirs, f"find-hanging --topic {name}")
    # The coordinator knows of it, so it does not hang, however old it is.
    assert len(same(ours, theirs, f"find-hanging --topic {name} --max-transaction-timeout 0").splitlines()) == 1
    opened.abort_transaction(TIMEOUT_S)


@pytest.mark.parametrize(
    "line",
    [
        "describe --transactional-id there-is-none",
        "abort --topic there-is-none --partition 0",
        "abort --topic t --partition 0 --producer-id 1",
        "abort --topic t --partition 0 --producer-id 1 --producer-epoch 1",
        "find-hanging",
        "find-hanging --broker-id 1 --partition 0",
        "describe",
        "nonsense",
    ],
)
def test_what_is_refused(ours: Tool, theirs: Tool, line: str) -> None:
    mine, other = ours(line), theirs(line)
    assert (mine.returncode, mine.stdout) == (other.returncode, other.stdout)
    assert mine.stderr


@pytest.mark.parametrize("tool", ["ours", "theirs"])
def test_an_open_transaction_is_aborted(ours: Tool, theirs: Tool, opened: Producer, name: str, tool: str) -> None:
    run = ours if tool == "ours" else theirs
    wrong = run(f"abort --topic {name} --partition 0 --start-offset 7")
    assert wrong.returncode == 1
    assert f"Could not find any open transactions starting at offset 7 on partition {name}-0" in wrong.stderr
    done = run(f"abort --topic {name} --partition 0 --start-offset 0")
    assert done.returncode == 0, done.stderr
    assert "None" in ours(f"describe-producers --topic {name} --partition 0").stdout


@pytest.mark.parametrize("tool", ["ours", "theirs"])
def test_a_transactional_id_is_terminated(ours: Tool, theirs: Tool, opened: Producer, name: str, tool: str) -> None:
    run = ours if tool == "ours" else theirs
    done = run(f"forceTerminateTransaction --transactionalId {name}")
    assert done.returncode == 0, done.stderr
    eventually(lambda: "None" in ours(f"describe-producers --topic {name} --partition 0").stdout, interval_s=0.2)
    with pytest.raises(KafkaException):
        opened.commit_transaction(TIMEOUT_S)
