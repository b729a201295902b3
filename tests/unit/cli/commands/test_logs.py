"""`riacho logs` and `riacho completion`: the end of files that grow, and names for a shell."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from riacho.cli.data_dir import DataDir
from riacho.cli.log_tail import LogTail
from riacho.cli.logs.sources import sources
from riacho.cli.main import cli
from riacho.testing import KafkaCluster


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("RIACHO_DATA_DIR", str(tmp_path / "data"))
    directory = DataDir(tmp_path / "data")
    directory.create()
    return directory


def _fill(data: DataDir) -> None:
    for name in ("error-1", "access-1", "audit-1", "connect", "up"):
        (data.logs / f"{name}.log").write_text(f"first of {name}\nlast of {name}\n")


def test_a_file_is_read_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = LogTail(path)
    assert tail.last(5) == []
    path.write_bytes(b"one\ntwo\nthr")
    assert LogTail(path).last(1) == ["two"]
    assert tail.new() == ["one", "two"]
    with path.open("ab") as file:
        file.write(b"ee\nfour\n\xff\n")
    assert tail.new() == ["three", "four", "�"]
    assert tail.new() == []
    path.write_bytes(b"anew\n")
    assert tail.new() == ["anew"]


def test_logs_go_by_the_names_of_what_writes_them(data: DataDir) -> None:
    _fill(data)
    assert list(sources(data)) == ["access-1", "audit-1", "connect", "broker-1", "supervisor"]
    shown = CliRunner().invoke(cli, ["logs", "-n", "1"])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == [
        "connect: last of connect",
        "broker-1: last of error-1",
        "supervisor: last of up",
    ]
    assert CliRunner().invoke(cli, ["logs", "access-1"]).stdout == "first of access-1\nlast of access-1\n"
    assert f"broker-1\t{data.logs}" in CliRunner().invoke(cli, ["logs", "--list"]).stdout


def test_a_log_that_is_not_there(data: DataDir) -> None:
    nothing = CliRunner().invoke(cli, ["logs"])
    assert (nothing.exit_code, "There are no logs yet" in nothing.stderr) == (1, True)
    _fill(data)
    told = CliRunner().invoke(cli, ["logs", "conect"])
    assert (told.exit_code, "did you mean 'connect'?" in told.stderr) == (2, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_taught(shell: str) -> None:
    told = CliRunner().invoke(cli, ["completion", shell])
    assert told.exit_code == 0
    assert f"_RIACHO_COMPLETE={shell}_complete" in told.stdout


def _completed(words: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    given = words.split(" ")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(given) - 1))
    monkeypatch.setenv("_RIACHO_COMPLETE", "bash_complete")
    shown = CliRunner().invoke(cli, prog_name="riacho")
    return [line.partition(",")[2] for line in shown.stdout.splitlines() if line]


def test_commands_topics_and_groups_are_completed(kafka_cluster: KafkaCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    kafka_cluster.create_topic("orders")
    kafka_cluster.create_topic("others")
    kafka_cluster.create_topic("books")
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", kafka_cluster.bootstrap_servers)
    assert _completed("riacho to", monkeypatch) == ["topic"]
    assert _completed("riacho consume o", monkeypatch) == ["orders", "others"]
    assert _completed("riacho topic describe b", monkeypatch) == ["books"]
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    assert _completed("riacho consume o", monkeypatch) == []
    address = kafka_cluster.bootstrap_servers
    assert _completed(f"riacho consume -b {address} b", monkeypatch) == ["books"]
