"""`kafka-reassign-partitions --verify --wait`: it ends when the moves do, and knows how much has arrived till then."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from riacho.cli.kafka.launch import run_tool
from riacho.cli.kafka.reassign_partitions import run
from riacho.cli.kafka.reassignment_progress import copied
from riacho.client.cluster import Cluster
from riacho.client.reassignments import list_reassignments
from riacho.client.settings import client_settings
from riacho.testing import KafkaCluster

RECORDS, SIZE_BYTES = 40, 100_000


@pytest.mark.timeout(120)
def test_waiting_for_a_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.json"
    with KafkaCluster(brokers=2) as cluster:
        cluster.create_topic("orders", partitions=1, replication_factor=1)
        for _ in range(RECORDS):
            cluster.produce("orders", "x" * SIZE_BYTES)
        with Cluster(client_settings(cluster.bootstrap_servers, {})) as client:
            [topic] = client.metadata(["orders"]).topics
            [here] = topic.partitions[0].replica_nodes
            plan.write_text(json.dumps({"partitions": [{"topic": "orders", "partition": 0, "replicas": [3 - here]}]}))

            def tool(*words: str) -> int:
                at = ["--bootstrap-server", cluster.bootstrap_servers, "--reassignment-json-file", str(plan)]
                return run_tool("kafka-reassign-partitions", run, [*words, *at])

            # A byte a second: what is under way stays so.
            assert tool("--execute", "--throttle", "1") == 0
            codes: list[int] = []
            waiting = threading.Thread(target=lambda: codes.append(tool("--verify", "--wait")))
            waiting.start()
            while not (under_way := list_reassignments(client)):
                time.sleep(0.01)
            [(done, total)] = copied(client, under_way).values()
            assert total >= RECORDS * SIZE_BYTES
            assert 0 <= done < total
            assert waiting.is_alive()
            assert tool("--execute", "--additional", "--throttle", "1000000000") == 0
            waiting.join(60)
            assert codes == [0]
            assert not list_reassignments(client)
    assert "Reassignment of partition orders-0 is completed." in capsys.readouterr().out


def test_waiting_is_for_verify_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("kafka-reassign-partitions", run, ["--list", "--wait", "--bootstrap-server", "localhost:1"]) == 1
    assert 'Option "[wait]" can\'t be used with action "[list]"' in capsys.readouterr().err
