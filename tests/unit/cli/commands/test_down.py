"""`riacho down` where the supervisor was killed: its children are stopped, and what was temporary is deleted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from riacho.cli.commands.down import _stop_all
from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.process_mark import ProcessMark, mark
from riacho.cli.supervisor.run_state import BrokerState, RunState, ServiceState, write_state


def _child() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def _dead() -> ProcessMark:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    marked = mark(ended.pid)
    ended.wait()
    return marked


@pytest.mark.parametrize("is_ephemeral", [True, False])
def test_orphans_are_stopped_and_temporary_data_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_ephemeral: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    directory = DataDir(tmp_path / "data")
    directory.create()
    broker, service = _child(), _child()
    try:
        state = RunState(
            str(directory.path),
            _dead(),
            0,
            (BrokerState(1, mark(broker.pid), "127.0.0.1:1", None),),
            is_ephemeral=is_ephemeral,
            services=(ServiceState("rest-proxy", mark(service.pid), "http://127.0.0.1:2", ""),),
        )
        write_state(directory, state)
        _stop_all(state, 60.0)
        assert broker.wait(60) != 0
        assert service.wait(60) != 0
        assert directory.path.exists() is not is_ephemeral
        assert not directory.state_file.exists()
    finally:
        for child in (broker, service):
            child.kill()
            child.wait()
