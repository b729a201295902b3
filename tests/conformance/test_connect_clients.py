"""Clients of Kafka Connect from PyPI drive the API: kafka-connect-py and kafkaconnect. The connectors are fakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka_connect import KafkaConnect
from kafkaconnect.connect import Connect

from conformance.running_broker import kinds, run
from e2e.shell import Shell
from e2e.terminal import Terminal
from support.connect_fake_plugins import SINK, SOURCE
from support.connect_worker import ConnectWorker, running_connect

CONFIG = {"connector.class": SOURCE, "topic": "t", "tasks.max": "2", "fake.tasks": "2", "fake.rows": "3"}


@pytest.fixture(scope="module", params=kinds())
def connect(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectWorker]:
    directory = tmp_path_factory.mktemp("clients")
    with run(request.param, directory / "broker") as broker, running_connect(broker.bootstrap, directory) as worker:
        yield worker


def test_kafka_connect_py(connect: ConnectWorker) -> None:
    client = KafkaConnect(url=connect.url)
    assert client.get_cluster_info().keys() == {"version", "commit", "kafka_cluster_id"}
    assert client.create_connector({"name": "py", "config": CONFIG})["name"] == "py"
    connect.until_state("py", "RUNNING")
    assert "py" in client.list_connectors()
    assert client.list_connectors(expand="status", pattern="p.*", state="RUNNING")["py"]["status"]["type"] == "source"
    assert client.get_connector_status("py")["tasks"][1]["state"] == "RUNNING"
    assert client.get_connector_task_status("py", 0)["state"] == "RUNNING"
    tasks = connect.until(lambda: client.list_connector_tasks("py"), bool)
    assert [task["id"]["task"] for task in tasks] == [0, 1]
    assert connect.until(lambda: client.list_connector_topics("py")["py"]["topics"], bool) == ["t"]
    client.update_connector("py", {**CONFIG, "k": "v"})
    assert client.get_connector_config("py")["k"] == "v"
    assert client.get_connector("py")["config"]["name"] == "py"
    client.restart_connector("py", include_tasks=True)
    client.restart_connector_task("py", 0)
    client.pause_connector("py")
    connect.until_state("py", "PAUSED")
    client.resume_connector("py")
    connect.until_state("py", "RUNNING")
    client.stop_connector("py")
    connect.until_state("py", "STOPPED")
    client.reset_connector_topics("py")
    assert [each["class"] for each in client.list_connector_plugins()] == [SINK, SOURCE]
    judged = client.validate_connector_config("FileStreamSource", {"connector.class": SOURCE, "name": "x"})
    assert judged["error_count"] == 1
    client.delete_connector("py")
    assert "py" not in client.list_connectors()


def test_kafkaconnect(connect: ConnectWorker, tmp_path: Path) -> None:
    client = Connect(connect.url)
    client.create_or_update("kc", json.dumps(CONFIG))
    connect.until_state("kc", "RUNNING")
    assert "kc" in json.loads(client.list())
    assert json.loads(client.info("kc"))["type"] == "source"
    assert json.loads(client.status("kc"))["connector"]["state"] == "RUNNING"
    assert json.loads(client.config("kc"))["topic"] == "t"
    assert len(connect.until(lambda: json.loads(client.tasks("kc")), bool)) == 2
    assert json.loads(client.topics("kc"))["kc"]["topics"] in ([], ["t"])
    assert len(json.loads(client.plugins())) == 2
    client.restart("kc")
    client.pause("kc")
    connect.until_state("kc", "PAUSED")
    client.resume("kc")
    connect.until_state("kc", "RUNNING")
    client.create_or_update("kc", json.dumps({**CONFIG, "more": "1"}))
    assert json.loads(client.config("kc"))["more"] == "1"
    assert json.loads(client.validate("FileStreamSource", json.dumps({**CONFIG, "name": "kc"})))["error_count"] == 0
    client.remove("kc")
    assert "kc" not in json.loads(client.list())


def test_our_own_shell_completes_connectors(connect: ConnectWorker, tmp_path: Path) -> None:
    connect.create("shown-in-the-shell", topic="t")
    connect.until_state("shown-in-the-shell", "RUNNING")
    variables = {"TERM": "xterm", "RIACHO_CONNECT_URL": connect.url, "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"}
    shell = Shell(tmp_path, variables)
    with Terminal(shell.command("shell"), shell.environment) as terminal:
        terminal.wait_for("127.0.0.1:1>")
        terminal.write("pipeline show sho")
        terminal.wait_for("shown-in-the-shell +source, RUNNING")
        terminal.write("\t\r")
        terminal.wait_for(r"state +RUNNING")
        terminal.wait_for("127.0.0.1:1>")
        terminal.write("pipeline create shown-in-the-shell -c topic=other\r")
        terminal.wait_for(r"Replace the config of the pipeline shown-in-the-shell on 127\.0\.0\.1:1\? \[y/N\]")
        terminal.write("n\r")
        terminal.wait_for(r"Nothing was done\.")
        terminal.write("exit\r")
        assert terminal.wait_for_exit() == 0
    assert connect.get("/connectors/shown-in-the-shell")[1]["config"]["topic"] == "t"
