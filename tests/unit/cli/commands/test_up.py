"""What `riacho up` checks before it starts anything, and the files by which `status` and `down` find it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner

from riacho.cli.data_dir import DataDir, default_data_dir
from riacho.cli.main import cli
from riacho.cli.supervisor.broker_process import BrokerProcess
from riacho.cli.supervisor.process_mark import ProcessMark, birth_of, mark
from riacho.cli.supervisor.readiness import answers
from riacho.cli.supervisor.run_state import BrokerState, RunState, read_state, write_state
from riacho.cli.supervisor.running import add_running, all_running, newest_running, remove_running, the_running
from riacho.cli.supervisor.services import PARTS
from riacho.cli.supervisor.signals import SignalQueue
from riacho.cli.target import resolve_bootstrap
from riacho.client.loopback import free_port, is_free

GONE = ProcessMark(2**22 + 1, 1)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("RIACHO_DATA_DIR", "RIACHO_PORT", "RIACHO_ONLY", "KAFKA_BOOTSTRAP_SERVERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--only", "broker,mail"],
            f"There is no service 'mail'; there is: {', '.join(PARTS)}.",
        ),
        (
            ["--only", ","],
            f"--only names no service; there is: {', '.join(PARTS)}.",
        ),
        (["--only", "rest-proxy"], "The services need a broker: --only broker,rest-proxy."),
        (["--ephemeral", "--data-dir", "x"], "not both"),
        (["-c", "num.partitions"], "--config takes KEY=VALUE"),
        (["-c", "log.dirs=/x"], "log.dirs is set by `riacho up` itself"),
        (["-c", "num.partitons=4"], "num.partitons is not known and is ignored; did you mean num.partitions?"),
        (["-c", "process.roles=broker"], "process.roles is set by `riacho up` itself"),
    ],
)
def test_what_cannot_be_is_told_before_anything_starts(words: list[str], told: str, home: Path) -> None:
    result = CliRunner().invoke(cli, ["up", *words])
    assert result.exit_code == 2
    assert told in result.stderr
    assert not (home / "share").exists()


def test_a_port_that_is_taken() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert not is_free(port)
        result = CliRunner().invoke(cli, ["up", "--port", str(port), "--ephemeral"])
    assert result.exit_code == 1
    assert f"Port {port} on 127.0.0.1 is taken" in result.stderr
    assert not answers("127.0.0.1", port)


def test_the_default_data_directory() -> None:
    assert default_data_dir({"RIACHO_DATA_DIR": "/a", "XDG_DATA_HOME": "/b"}) == Path("/a")
    assert default_data_dir({"XDG_DATA_HOME": "/b"}) == Path("/b/riacho")
    assert default_data_dir({}) == Path.home() / ".local" / "share" / "riacho"


def test_a_process_is_known_by_its_birth_too() -> None:
    me = mark(os.getpid())
    assert me.is_alive
    assert not GONE.is_alive
    if birth_of(os.getpid()) is not None:
        stranger = ProcessMark(os.getpid(), 1)
        assert not stranger.is_alive
        assert not stranger.send(signal.SIGTERM)


def test_a_child_that_ended_but_was_not_waited_for_is_not_alive() -> None:
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as child:
        process = mark(child.pid)
        assert process.is_alive
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not process.is_alive


def _state(directory: DataDir, process: ProcessMark, port: int = 9092, started_ms: int = 5) -> RunState:
    directory.create()
    state = RunState(str(directory.path), process, started_ms, (BrokerState(1, process, f"127.0.0.1:{port}", None),))
    write_state(directory, state)
    return state


def test_the_state_comes_back_from_its_file(tmp_path: Path) -> None:
    directory = DataDir(tmp_path / "d")
    assert read_state(directory) is None
    state = _state(directory, mark(os.getpid()))
    assert read_state(directory) == state
    directory.state_file.write_text("half a fi")
    assert read_state(directory) is None


def test_what_runs_is_found_without_flags_and_what_is_gone_is_not(tmp_path: Path) -> None:
    dead, alive = DataDir(tmp_path / "dead"), DataDir(tmp_path / "alive")
    _state(dead, GONE, 1111)
    add_running(dead)
    state = _state(alive, mark(os.getpid()), 2222)
    add_running(alive)
    assert all_running() == [state]
    assert the_running(None) == state
    assert resolve_bootstrap(None) == "127.0.0.1:2222"
    with pytest.raises(click.ClickException, match="not running on"):
        the_running(dead.path)
    remove_running(alive)
    with pytest.raises(click.ClickException, match="Start it with `riacho up`"):
        the_running(None)
    assert resolve_bootstrap(None) == "localhost:9092"


def test_two_that_run_must_be_told_apart(tmp_path: Path) -> None:
    me = mark(os.getpid())
    for number in (1, 2):
        directory = DataDir(tmp_path / str(number))
        _state(directory, me, number, started_ms=number)
        add_running(directory)
    with pytest.raises(click.ClickException, match="choose with --data-dir"):
        the_running(None)
    newest = newest_running()
    assert newest is not None
    assert newest.bootstrap == "127.0.0.1:2"
    assert the_running(tmp_path / "1").bootstrap == "127.0.0.1:1"


def test_an_ephemeral_one_is_found_beside_the_directory_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = mark(os.getpid())
    monkeypatch.setenv("RIACHO_DATA_DIR", str(tmp_path / "mine"))
    other, temporary = DataDir(tmp_path / "other"), DataDir(tmp_path / "temporary")
    _state(other, me, 1)
    add_running(other)
    with pytest.raises(click.ClickException, match=r"not running on .*mine"):
        the_running(None)
    assert newest_running() is None
    write_state(temporary, msgspec.structs.replace(_state(temporary, me, 2), is_ephemeral=True))
    add_running(temporary)
    assert the_running(None).bootstrap == "127.0.0.1:2"
    assert resolve_bootstrap(None) == "127.0.0.1:2"
    _state(DataDir(tmp_path / "mine"), me, 3)
    assert the_running(None).bootstrap == "127.0.0.1:3"


def test_a_property_like_no_other_is_warned_of(home: Path) -> None:
    result = CliRunner().invoke(cli, ["up", "-c", "my.plugin.colour=blue", "--port", "70000"])
    assert result.exit_code == 2
    result = CliRunner().invoke(
        cli, ["up", "-c", "my.plugin.colour=blue", "--only", "broker", "--port", "65535", "--brokers", "3"]
    )
    assert "Warning: property my.plugin.colour is not known and is ignored." in result.stderr


def test_properties_without_effect_are_warned_of_in_one_line(home: Path) -> None:
    given = ["-c", "num.io.threads=16", "-c", "num.partitions=3", "-c", "background.threads=2"]
    result = CliRunner().invoke(cli, ["up", *given, "--only", "broker", "--port", "65535", "--brokers", "3"])
    assert "Warning: these properties have no effect here: background.threads, num.io.threads." in result.stderr


def test_the_flag_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "env:1,env:2")
    assert resolve_bootstrap(None) == "env:1,env:2"
    assert resolve_bootstrap("flag") == "flag:9092"


def test_signals_wait_in_a_queue() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with SignalQueue([signal.SIGUSR1]) as signals:
        assert signals.wait(0) == []
        os.kill(os.getpid(), signal.SIGUSR1)
        assert signals.wait(5) == [signal.SIGUSR1]
    assert signal.getsignal(signal.SIGUSR1) == before


def test_only_a_metrics_port_that_nobody_asked_for_moves_when_it_is_taken(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        moving = BrokerProcess(DataDir(tmp_path), 1, metrics_port=taken, may_move_metrics=True)
        fixed = BrokerProcess(DataDir(tmp_path), 1, metrics_port=taken)
        for broker in (moving, fixed):
            broker._settle_metrics_port()
    assert moving.metrics_port != taken
    assert moving.properties["riacho.metrics.port"] == str(moving.metrics_port)
    assert fixed.properties["riacho.metrics.port"] == str(taken)


def test_a_broker_that_lost_its_metrics_port_while_it_started_gets_another(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        broker = BrokerProcess(DataDir(tmp_path), free_port(), metrics_port=free_port(), may_move_metrics=True)
        broker._settle_metrics_port = lambda: None
        other.listen()
        broker.metrics_port = taken = other.getsockname()[1]
        broker.properties["riacho.metrics.port"] = str(taken)
        # The first look happened before the port was lost.
        broker.spawn()
        del broker._settle_metrics_port
        try:
            broker.wait_until_ready()
            assert broker.metrics_port != taken
            assert broker.is_running
        finally:
            broker.stop()


def test_a_broker_that_cannot_start_leaves_its_last_words(tmp_path: Path) -> None:
    broker = BrokerProcess(DataDir(tmp_path), free_port(), properties={"num.partitions": "none"})
    broker.spawn()
    try:
        with pytest.raises(Exception, match=r"did not start: Invalid value none .*num\.partitions"):
            broker.wait_until_ready()
    finally:
        broker.kill()
    assert broker.exit_text == "exit code 1"
