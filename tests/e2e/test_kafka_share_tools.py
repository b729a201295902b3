"""The tools of share groups, as scripts, against a broker in this process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e.kafka_scripts import run_script, write_scripts
from riacho.testing.cluster import KafkaCluster

pytestmark = pytest.mark.timeout(180)
Run = Callable[..., subprocess.CompletedProcess[str]]
TOPIC = "jobs"


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    settings = {"group.share.heartbeat.interval.ms": "300", "group.share.min.heartbeat.interval.ms": "100"}
    with KafkaCluster(settings) as cluster:
        cluster.create_topic(TOPIC, partitions=2)
        yield cluster


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def run(cluster: KafkaCluster, scripts: Path) -> Run:
    def go(tool: str, *words: str, text: str | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
        line = [tool, "--bootstrap-server", cluster.bootstrap_servers, *words]
        done = run_script(scripts, line, text=text)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return go


def test_a_queue_from_the_shell(run: Run) -> None:
    earliest = ("--add-config", "share.auto.offset.reset=earliest")
    run("kafka-configs", "--alter", "--entity-type", "groups", "--entity-name", "workers", *earliest)
    run("kafka-console-producer", "--topic", TOPIC, text="one\ntwo\nthree\n")
    consumer = ("kafka-console-share-consumer", "--topic", TOPIC, "--group", "workers", "--timeout-ms", "20000")
    released = run(*consumer, "--max-messages", "3", "--release")
    assert sorted(released.stdout.split()) == ["one", "three", "two"]
    again = run(*consumer, "--max-messages", "3", "--formatter-property", "print.delivery=true")
    assert sorted(again.stdout.splitlines()) == ["Delivery:2\tone", "Delivery:2\tthree", "Delivery:2\ttwo"]
    assert again.stderr == "Processed a total of 3 messages\n"
    described = run("kafka-share-groups", "--describe", "--group", "workers")
    rows = [line.split() for line in described.stdout.splitlines() if line.startswith("workers")]
    # A partition without records has not been begun with.
    assert {row[-1] for row in rows} in ({"0"}, {"0", "-"})
    assert run("kafka-share-groups", "--list").stdout.split() == ["workers"]
    run("kafka-share-groups", "--reset-offsets", "--group", "workers", "--all-topics", "--to-earliest", "--execute")
    third = run(*consumer, "--max-messages", "3", "--reject")
    assert sorted(third.stdout.split()) == ["one", "three", "two"]
    assert "Successful" in run("kafka-share-groups", "--delete-offsets", "--group", "workers", "--topic", TOPIC).stdout
    assert "was successful" in run("kafka-share-groups", "--delete", "--group", "workers").stdout
    missing = run("kafka-share-groups", "--describe", "--group", "workers", code=1)
    assert missing.stdout == "\nError: Share group 'workers' does not exist.\n"


def test_what_is_left_when_the_time_is_up(run: Run) -> None:
    done = run("kafka-console-share-consumer", "--topic", TOPIC, "--group", "idle", "--timeout-ms", "1500")
    assert (done.stdout, done.stderr) == ("", "Processed a total of 0 messages\n")


@pytest.mark.parametrize("mode", ["auto", "sync", "async"])
def test_verifiable_share_consumer(run: Run, mode: str) -> None:
    run("kafka-console-producer", "--topic", TOPIC, text="".join(f"{n}\n" for n in range(20)))
    done = run(
        "kafka-verifiable-share-consumer",
        *("--topic", TOPIC, "--group-id", f"verify-{mode}", "--max-messages", "20", "--verbose"),
        *("--acknowledgement-mode", mode, "--offset-reset-strategy", "earliest"),
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    names = [event["name"] for event in events]
    assert names[:2] == ["startup_complete", "offset_reset_strategy_set"]
    assert names[-1] == "shutdown_complete"
    consumed = sum(event["count"] for event in events if event["name"] == "records_consumed")
    acknowledged = [event for event in events if event["name"] == "offsets_acknowledged"]
    assert all(event["success"] for event in acknowledged)
    assert consumed >= sum(event["count"] for event in acknowledged) >= 20
    assert names.count("record_data") == consumed


def test_share_consumer_perf_test(run: Run) -> None:
    run("kafka-configs", "--alter", "--entity-type", "groups", "--entity-name", "perf",
        "--add-config", "share.auto.offset.reset=earliest")  # fmt: skip
    run("kafka-console-producer", "--topic", TOPIC, text="".join(f"{n}\n" for n in range(50)))
    words = ("--topic", TOPIC, "--group", "perf", "--num-records", "50", "--threads", "2", "--show-consumer-stats")
    lines = run("kafka-share-consumer-perf-test", *words).stdout.splitlines()
    assert lines[0].startswith("start.time, end.time, data.consumed.in.MB, MB.sec, nMsg.sec, data.consumed.in.nMsg")
    assert [line.startswith("Share consumer ") for line in lines[1:]] == [True, True, False]
    assert int(lines[-1].split(", ")[5]) >= 50
