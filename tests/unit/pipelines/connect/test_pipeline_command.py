"""`riacho pipeline` on a worker, and the files that connect-standalone reads."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from riacho.cli.kafka.connect_standalone import read_connector, run
from riacho.cli.main import cli
from riacho.cli.pipeline_changes import lines_of, pipeline_config
from riacho.testing import KafkaCluster
from support.connect_worker import running_connect


def _pipeline(url: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["pipeline", *words, "--connect", url])


def test_the_life_of_a_pipeline_on_the_command_line(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    with running_connect(kafka_cluster.bootstrap_servers, tmp_path) as connect:
        assert "There are no pipelines." in _pipeline(connect.url, "list").stderr
        connect.create("or/ders", fake_rows="9", transforms="")
        connect.until(lambda: connect.get("/pipelines/or%2Fders")[1]["errors"], lambda errors: errors == 2)
        listed = _pipeline(connect.url, "list").stdout.splitlines()
        assert listed[0].split() == [
            "PIPELINE",
            "STATE",
            "TASKS",
            "ROWS",
            "S",
            "BATCH",
            "MS",
            "ROWS",
            "LAG",
            "STATE",
            "ROWS",
            "ERRORS",
        ]
        assert listed[1].split() == ["or/ders", "RUNNING", "1/1", "9.0", "12", "9", "-", "3", "2"]
        assert json.loads(_pipeline(connect.url, "list", "-o", "json").stdout)[0]["dead_letters"] == 1
        shown = _pipeline(connect.url, "show", "or/ders").stdout
        assert "FileStreamSourceConnector -> " in shown
        assert "topic t" in shown
        assert "2 (1 dead letters, 1 left out)" in shown
        for word, state in (("pause", "PAUSED"), ("resume", "RUNNING"), ("stop", "STOPPED")):
            assert _pipeline(connect.url, word, "or/ders").exit_code == 0
            connect.until_state("or/ders", state)
        assert _pipeline(connect.url, "restart", "or/ders").stderr == "or/ders restarts.\n"
        assert _pipeline(connect.url, "delete", "or/ders", "-y").exit_code == 0
        gone = _pipeline(connect.url, "show", "or/ders")
        assert (gone.exit_code, gone.stderr) == (1, "Error: Connector or/ders not found.\n")


def test_a_pipeline_is_made_and_checked_on_the_command_line(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    file = tmp_path / "lines.json"
    config = {"connector.class": "FileStreamSource", "tasks.max": 1, "file": str(tmp_path / "in"), "topic": "lines"}
    file.write_text(json.dumps(config))
    with running_connect(kafka_cluster.bootstrap_servers, tmp_path) as connect:
        right = _pipeline(connect.url, "validate", "lines", str(file))
        assert (right.exit_code, right.stderr) == (0, "The config of lines is right.\n")
        wrong = _pipeline(connect.url, "validate", "lines", str(file), "-c", "tasks.max=many", "-o", "json")
        assert wrong.exit_code == 1
        assert [row["setting"] for row in json.loads(wrong.stdout)] == ["tasks.max"]
        assert connect.get("/connectors")[1] == []
        refused = _pipeline(connect.url, "create", "lines", str(file), "-c", "tasks.max=many")
        assert (refused.exit_code, "tasks.max" in refused.stderr) == (1, True)
        assert _pipeline(connect.url, "create", "lines", str(file)).stdout == "Created pipeline lines.\n"
        assert connect.get("/connectors/lines/config")[1]["topic"] == "lines"
        changed = _pipeline(connect.url, "create", "lines", str(file), "-c", "topic=others")
        assert changed.stdout == "Changed pipeline lines.\n"
        assert connect.get("/connectors/lines/config")[1]["topic"] == "others"


def test_a_pipeline_is_restarted_in_part(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    with running_connect(kafka_cluster.bootstrap_servers, tmp_path) as connect:
        connect.create("or/ders")
        connect.until_state("or/ders", "RUNNING")
        for words in (["--only-failed"], ["--no-tasks"], ["--only-failed", "--no-tasks"]):
            assert _pipeline(connect.url, "restart", "or/ders", *words).stderr == "or/ders restarts.\n"
        connect.until(lambda: connect.status("or/ders")["tasks"], lambda tasks: len(tasks) == 1)
        assert _pipeline(connect.url, "restart", "or/ders", "--task", "0").stderr == "Task 0 of or/ders restarts.\n"
        gone = _pipeline(connect.url, "restart", "or/ders", "--task", "7")
        assert (gone.exit_code, "7" in gone.stderr) == (1, True)
        both = _pipeline(connect.url, "restart", "or/ders", "--task", "0", "--only-failed")
        assert (both.exit_code, "neither --only-failed" in both.stderr) == (2, True)


def test_offsets_of_a_pipeline_on_the_command_line(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    first, second = '{"filename": "a.txt"}', '{"filename": "b.txt"}'
    with running_connect(kafka_cluster.bootstrap_servers, tmp_path) as connect:
        connect.create("lines")
        connect.until_state("lines", "RUNNING")
        refused = _pipeline(connect.url, "offsets", "lines", "--set", first, '{"position": 5}')
        assert (refused.exit_code, "STOPPED" in refused.stderr) == (1, True)
        assert _pipeline(connect.url, "stop", "lines").exit_code == 0
        connect.until_state("lines", "STOPPED")
        moved = _pipeline(
            connect.url, "offsets", "lines", "--set", first, '{"position": 5}', "--set", second, '{"position": 7}'
        )
        assert (moved.exit_code, moved.stdout) == (0, "")
        shown = json.loads(_pipeline(connect.url, "offsets", "lines", "-o", "json").stdout)
        assert [each["offset"] for each in shown] == [{"position": 5}, {"position": 7}]
        raw = _pipeline(connect.url, "offsets", "lines", "-o", "raw").stdout
        assert f'{second}\t{{"position": 7}}\n' in raw
        assert _pipeline(connect.url, "offsets", "lines", "--forget", first).exit_code == 0
        assert connect.get("/connectors/lines/offsets")[1]["offsets"] == shown[1:]
        assert _pipeline(connect.url, "offsets", "lines", "--reset", "-y").exit_code == 0
        assert "lines has no offsets." in _pipeline(connect.url, "offsets", "lines").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "a.txt", "{}"], "--set takes objects of JSON"),
        (["--set", "{}", "5"], "--set takes objects of JSON"),
        (["--forget", "[]"], "--forget takes objects of JSON"),
        (["--reset", "--forget", "{}"], "neither --set nor --forget"),
    ],
)
def test_offsets_that_are_none(words: list[str], message: str) -> None:
    found = _pipeline("http://127.0.0.1:1", "offsets", "lines", *words)
    assert (found.exit_code, message in found.stderr) == (2, True), found.stderr


def test_configs_come_from_json_properties_and_flags(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text('{"name": "a", "config": {"connector.class": "X", "n": 3, "on": true}}')
    wanted = {"name": "a", "connector.class": "X", "n": "3", "on": "true"}
    assert pipeline_config("a", file, ()) == wanted
    file.write_text("connector.class=X\nn=3\n")
    assert pipeline_config("a", file, ("n=4",)) == {"name": "a", "connector.class": "X", "n": "4"}
    with pytest.raises(click.UsageError, match=r"no connector\.class"):
        pipeline_config("a", None, ("n=4",))
    with pytest.raises(click.UsageError, match="of 'b', not of 'a'"):
        pipeline_config("a", file, ("name=b",))
    # A setting of that name, and none around the others.
    file.write_text('{"connector.class": "X", "config": 3}')
    assert pipeline_config("a", file, ()) == {"name": "a", "connector.class": "X", "config": "3"}
    file.write_text('{"a":' * 100_000)
    with pytest.raises(click.ClickException, match="is not JSON: it is nested too deeply"):
        pipeline_config("a", file, ())


def test_the_lines_of_a_log_that_name_a_pipeline() -> None:
    log = [
        "2026-01-31 10:00:00 INFO connector is RUNNING name=orders generation=1",
        "2026-01-31 10:00:01 INFO connector is RUNNING name=orders-2 generation=1",
        "2026-01-31 10:00:02 ERROR connector failed name=orders",
        "Traceback: what belongs to it",
        "2026-01-31 10:00:03 INFO other",
        "more of the other",
    ]
    assert lines_of(log, "orders") == [log[0], log[2], log[3]]


def test_the_list_says_why_one_does_not_work_or_not_yet(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    with running_connect(kafka_cluster.bootstrap_servers, tmp_path) as connect:
        connect.create("broken", fake_fail="The file orders.txt is gone.\n  at line 7")
        connect.create("coming", fake_wait="It waits for Spark to start.", fake_tasks="2", tasks_max="2")
        connect.until_state("broken", "FAILED")
        waiting = connect.until(lambda: connect.status("coming"), lambda found: "to start" in str(found["tasks"]))
        assert waiting["connector"]["state"] == "RUNNING"
        states = [(task["state"], task["trace"]) for task in waiting["tasks"]]
        assert states == [("UNASSIGNED", "It waits for Spark to start.")] * 2
        connect.until(lambda: connect.get("/connectors/coming/tasks")[1], lambda found: len(found) == 2)
        listed = _pipeline(connect.url, "list").stdout.splitlines()
        assert listed[3:] == [
            "",
            "broken is FAILED: The file orders.txt is gone.",
            "coming is UNASSIGNED: It waits for Spark to start.",
        ]
        raw = _pipeline(connect.url, "list", "-o", "raw").stdout.splitlines()
        assert len(raw) == 2


def test_a_worker_that_is_not_there() -> None:
    result = _pipeline("http://127.0.0.1:1", "list")
    assert result.exit_code == 1
    assert "Connect at http://127.0.0.1:1 cannot be reached: Connection refused." in result.stderr


@contextmanager
def _answering(answer: bytes) -> Iterator[str]:
    """Something that answers all calls with these bytes; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    taken, _ = listener.accept()
                    with taken:
                        taken.recv(65_536)
                        taken.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(60)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"not http\r\n\r\n", "cannot be reached"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[", "cannot be reached"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", "is no Connect worker of Riacho"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}', "is no Connect worker of Riacho"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "is no Connect worker of Riacho"),
    ],
)
def test_somebody_else_answers(answer: bytes, message: str) -> None:
    with _answering(answer) as address:
        for words in (["list"], ["show", "orders"]):
            found = _pipeline(address, *words)
            assert (found.exit_code, found.stderr.count("\n")) == (1, 1), found.stderr
            assert found.stderr.startswith("Error: ")
            assert message in found.stderr
            assert f"http://{address}" in found.stderr


@pytest.mark.parametrize(
    ("url", "code"), [("file:///etc/passwd", 2), ("ftp://x", 2), ("http://a b", 1), ("http://", 2)]
)
def test_addresses_that_are_none(url: str, code: int) -> None:
    result = _pipeline(url, "list")
    assert result.exit_code == code
    assert result.stderr.splitlines()[-1].startswith("Error: ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.properties", "name=a\nconnector.class=X\ntasks.max=1\n"),
        ("a.json", '{"name": "a", "config": {"connector.class": "X", "tasks.max": 1}}'),
        ("a.json", '{"name": "a", "connector.class": "X", "tasks.max": "1"}'),
    ],
)
def test_files_of_connectors(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert read_connector(tmp_path / name) == ("a", {"name": "a", "connector.class": "X", "tasks.max": "1"})


def test_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worker = tmp_path / "worker.properties"
    worker.write_text("bootstrap.servers=127.0.0.1:1\n")
    for name, text in (("a.json", "{"), ("b.json", "[]"), ("c.properties", "x=1"), ("d.json", '{"name":"a","x":[]}')):
        (tmp_path / name).write_text(text)
        assert run([str(worker), str(tmp_path / name)]) == 1
        assert "is not a connector's file" in capsys.readouterr().err
    assert run([str(tmp_path / "none.properties")]) == 1
    assert run([]) == 1
