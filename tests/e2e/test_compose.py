"""docker-compose.yaml: the notes' lines that begin with `docker-compose`, as written there, and what the file lets in.

The lines are run by a stand-in (`e2e/compose.py`), since no engine can be had everywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.compose import FILE, ROOT, Compose, composed
from e2e.kafka_scripts import SOURCES
from e2e.own_loopback import namespaces_are_allowed

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(not namespaces_are_allowed(), reason="no network namespace can be made here"),
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="there is no curl or no jq here"),
]

CREATE = (
    "docker-compose exec broker kafka-topics --create --topic mytopic-test-2020 --partitions 1 --replication-factor 1 "
    "--if-not-exists --zookeeper zookeeper:2181"
)
LIST = "docker-compose exec broker kafka-topics --list --zookeeper zookeeper:2181"
DESCRIBE = "docker-compose exec broker kafka-topics --describe meu-topico-legal-jeff --zookeeper zookeeper:2181"
PRODUCE = (
    "docker-compose exec broker  \\\n"
    '  bash -c "seq 100 | kafka-console-producer --request-required-acks 1 --broker-list localhost:9092 '
    "--topic meu-topico-legal-jeff && echo 'Produced 100 messages.'\""
)
CONSUME = (
    "docker-compose exec broker  \\\n"
    "  kafka-console-consumer --bootstrap-server localhost:9092 --topic meu-topico-legal-jeff --from-beginning "
    "--max-messages 100"
)
PORTS = {"schema-registry": 8081, "rest-proxy": 8082, "connect": 8083, "ksqldb-server": 8088, "control-center": 9021}


@pytest.fixture(scope="module")
def compose(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compose]:
    with composed(tmp_path_factory.mktemp("c")) as running:
        yield running


def run(compose: Compose, line: str) -> subprocess.CompletedProcess[str]:
    """In a shell of the machine that the containers are on."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("KAFKA_", "RIACHO_"))}
    variables["PATH"] = f"{compose.directory / 'bin'}{os.pathsep}{variables['PATH']}"
    variables["PYTHONPATH"] = f"{SOURCES}{os.pathsep}{ROOT / 'tests'}"
    done = subprocess.run(
        ["nsenter", "--target", str(compose.host), "--net", "--", "bash", "-c", line],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, env=variables, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_the_notes_lines_in_the_broker(compose: Compose) -> None:
    assert set(run(compose, "docker-compose ps").stdout.split()) >= {"broker", "zookeeper", *PORTS}
    created = run(compose, CREATE)
    assert (created.returncode, created.stdout) == (0, "Created topic mytopic-test-2020.\n")
    assert "--zookeeper is ignored" in created.stderr
    assert "mytopic-test-2020" in run(compose, LIST).stdout.split()

    produced = run(compose, PRODUCE)
    assert (produced.returncode, produced.stdout) == (0, "Produced 100 messages.\n")
    consumed = run(compose, CONSUME)
    assert consumed.returncode == 0
    assert consumed.stdout.splitlines() == [str(number) for number in range(1, 101)]
    described = run(compose, DESCRIBE)
    assert described.stdout.startswith("Topic: meu-topico-legal-jeff\tTopicId: "), described.stderr


def test_the_zookeeper_container_has_the_tools(compose: Compose) -> None:
    """The notes say that they are in both."""
    for line in (CREATE.replace("mytopic-test-2020", "from-zookeeper"), LIST):
        done = run(compose, line.replace("exec broker", "exec zookeeper"))
        assert done.returncode == 0, done.stderr
        assert "--zookeeper is ignored" in done.stderr
    assert "from-zookeeper" in done.stdout.split()
    for line, instead in (
        ("zookeeper-shell zookeeper:2181 ls /brokers/ids", "kafka-metadata-quorum describe"),
        ("kafka-preferred-replica-election --zookeeper zookeeper:2181", "kafka-leader-election --bootstrap-server"),
    ):
        gone = run(compose, f"docker-compose exec zookeeper {line}")
        assert (gone.returncode, gone.stdout, gone.stderr.count("\n")) == (1, "", 1)
        assert instead in gone.stderr


def test_the_notes_lines_for_the_proxy(compose: Compose) -> None:
    """The rest of its lines are in test_seed_curl.py; these show that compose's proxy has the names of the notes."""
    sent = run(
        compose,
        'curl -s -X POST -H "Content-Type: application/vnd.kafka.json.v2+json" '
        '-H "Accept: application/vnd.kafka.v2+json" '
        """--data '{"records":[{"value":{"msg":"success 4"}}]}' "http://localhost:8082/topics/topicgo1" """,
    )
    assert json.loads(sent.stdout)["offsets"][0]["offset"] == 0
    made = run(
        compose,
        'curl -s -X POST -H "Content-Type: application/vnd.kafka.v2+json" '
        """--data '{"name": "my_consumer_instance", "format": "json", "auto.offset.reset": "earliest"}' """
        "http://localhost:8082/consumers/go_json_consumer",
    )
    assert json.loads(made.stdout) == {
        "instance_id": "my_consumer_instance",
        "base_uri": "http://rest-proxy:8082/consumers/go_json_consumer/instances/my_consumer_instance",
    }
    assert "topicgo1" in json.loads(run(compose, 'curl -s "http://localhost:8082/topics" | jq').stdout)


def test_the_browser_sees_the_cluster_on_9021(compose: Compose) -> None:
    assert "<title>" in run(compose, "curl -s http://localhost:9021/").stdout
    topics = run(compose, "curl -s http://localhost:9021/api/v1/clusters/default/topics").stdout
    assert "error_code" not in json.loads(topics), topics


@pytest.mark.parametrize("service", PORTS)
def test_services_answer_to_their_names_alone(compose: Compose, service: str) -> None:
    """A page whose site's name was made to point to this machine would otherwise be one of the service's own."""
    asked = f"curl -s -o /dev/null -w '%{{http_code}}' http://localhost:{PORTS[service]}/health -H 'Host: "
    assert run(compose, f"{asked}evil.example'").stdout == "403"
    assert run(compose, f"{asked}{service}:{PORTS[service]}'").stdout == "200"
    assert run(compose, f"{asked}localhost:{PORTS[service]}'").stdout == "200"


def test_zookeeper_says_what_it_is(compose: Compose) -> None:
    assert compose.log("zookeeper").startswith("There is no ZooKeeper here, and none is needed")


def test_nothing_runs_as_root_or_is_open_to_other_machines(compose: Compose) -> None:
    service: dict[str, Any]
    for name, service in compose.services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["user"] == "10001:10001", name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
    # Without users it stays on this machine whatever is set.
    assert '"127.0.0.1:9021:9021"' in Path(FILE).read_text()
