"""The tools for clusters, as a script runs them on the smallest cluster there is: words in, bytes and codes out."""

from __future__ import annotations

import json
import re
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.kafka_scripts import run_script, write_scripts
from riacho.testing import KafkaCluster

pytestmark = pytest.mark.timeout(180)
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def run(kafka_cluster_session: KafkaCluster, scripts: Path) -> Run:
    def tool(line: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = run_script(scripts, line.split(), bootstrap=kafka_cluster_session.bootstrap_servers)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return tool


def test_the_quorum_of_one(run: Run) -> None:
    status = dict(line.split(":", 1) for line in run("kafka-metadata-quorum describe --status").stdout.splitlines())
    assert status["LeaderId"].strip() == "1"
    assert status["MaxFollowerLag"].strip() == "0"
    rows = run("kafka-metadata-quorum describe --replication --human-readable").stdout.splitlines()
    assert [row.split("\t")[-2].strip() for row in rows] == ["Status", "Leader"]


def test_features(run: Run) -> None:
    described = run("kafka-features describe").stdout
    assert re.search(r"^Feature: metadata\.version .*FinalizedVersionLevel: 4\.3-IV0", described, re.MULTILINE)
    tried = run("kafka-features upgrade --feature metadata.version=30 --dry-run").stdout
    assert tried == "metadata.version can be upgraded to 30.\n"
    refused = run("kafka-features upgrade --feature metadata.version=31", code=1)
    assert refused.stdout.startswith("Could not upgrade metadata.version to 31.")
    assert refused.stderr == "1 out of 1 operation(s) failed.\n"


def test_elections_and_moves_on_one_broker(run: Run, tmp_path: Path) -> None:
    topic = f"t-{uuid.uuid4().hex[:10]}"
    run(f"kafka-topics --create --topic {topic}")
    elected = run(f"kafka-leader-election --election-type preferred --topic {topic} --partition 0").stdout
    assert elected == f"Valid replica already elected for partitions {topic}-0\n"
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"partitions": [{"topic": topic, "partition": 0, "replicas": [1]}]}))
    started = run(f"kafka-reassign-partitions --execute --reassignment-json-file {plan}").stdout
    assert started.endswith(f"Successfully started partition reassignment for {topic}-0\n")
    verified = run(f"kafka-reassign-partitions --verify --reassignment-json-file {plan}").stdout
    assert verified.startswith(
        f"Status of partition reassignment:\nReassignment of partition {topic}-0 is completed.\n"
    )
    assert run("kafka-reassign-partitions --list").stdout == "No partition reassignments found.\n"


def test_transactions(run: Run) -> None:
    header = run("kafka-transactions list").stdout.splitlines()[0]
    assert [cell.strip() for cell in header.split("\t")[:-1]] == [
        "TransactionalId",
        "Coordinator",
        "ProducerId",
        "TransactionState",
    ]
    topic = f"t-{uuid.uuid4().hex[:10]}"
    run(f"kafka-topics --create --topic {topic}")
    assert len(run(f"kafka-transactions find-hanging --topic {topic}").stdout.splitlines()) == 1
    assert len(run(f"kafka-transactions describe-producers --topic {topic} --partition 0").stdout.splitlines()) == 1
    missing = run(f"kafka-transactions abort --topic {topic} --partition 0 --start-offset 3", code=1)
    assert missing.stderr == f"Could not find any open transactions starting at offset 3 on partition {topic}-0\n"


BAD = [
    "kafka-metadata-quorum",
    "kafka-metadata-quorum describe",
    "kafka-metadata-quorum add-controller --command-config nowhere.properties",
    "kafka-metadata-quorum remove-controller -i 9 -d zz",
    "kafka-features upgrade",
    "kafka-features upgrade --feature x",
    "kafka-features describe --node-id 99 --command-config short.properties",
    "kafka-leader-election --election-type sideways --all-topic-partitions",
    "kafka-leader-election --election-type preferred --path-to-json-file nowhere.json",
    "kafka-reassign-partitions --execute --reassignment-json-file nowhere.json",
    "kafka-reassign-partitions --generate --topics-to-move-json-file nowhere.json --broker-list x",
    "kafka-replica-verification --topics-include there-is-none",
    "kafka-cluster unregister --id 99",
    "kafka-transactions",
    "kafka-transactions describe --transactional-id there-is-none",
    "kafka-transactions abort --topic t --partition 0",
    "kafka-transactions find-hanging",
    "kafka-transactions list --duration-filter soon",
]


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_a_sentence_and_exit_code_1(run: Run, line: str) -> None:
    done = run(line, code=1)
    assert (done.stdout + done.stderr).strip()


@pytest.mark.parametrize("tool", ["metadata-quorum describe", "features describe", "reassign-partitions --list"])
def test_nobody_there(scripts: Path, tmp_path: Path, tool: str) -> None:
    settings = tmp_path / "client.properties"
    settings.write_text("default.api.timeout.ms=300\n")
    words = f"kafka-{tool} --bootstrap-server 127.0.0.1:1 --command-config {settings}".split()
    done = run_script(scripts, [*words, *(["--status"] if "quorum" in tool else [])])
    assert done.returncode == 1
    assert "Cannot reach the cluster. 127.0.0.1:1: connection refused" in done.stdout + done.stderr
