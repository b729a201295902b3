"""When `riacho up` says that it is up: at once when the last child is ready, and not before."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, cast

import pytest

from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor import supervisor as module
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.cli.supervisor.run_state import Phase, RunState, ServiceState
from riacho.cli.supervisor.supervised_service import SupervisedService
from riacho.cli.supervisor.supervisor import Supervisor

SOON_S, LATER_S = 0.02, 5.0
MARK = ProcessMark(1, 1)


class Child:
    """Ready with the look of that number; like a real one it then wishes to be left alone for long."""

    def __init__(self, name: str, looks: int) -> None:
        self.name, self.looks = name, looks
        self.phase = Phase.STOPPED

    @property
    def state(self) -> ServiceState:
        return ServiceState(self.name, MARK, "http://127.0.0.1:1", "log", 0, self.phase)

    def start(self) -> None:
        self.phase = Phase.STARTING

    def stop(self, timeout_s: float) -> None:
        self.phase = Phase.STOPPED

    def step(self) -> float:
        self.looks -= 1
        if self.phase is Phase.STARTING and self.looks <= 0:
            self.phase = Phase.RUNNING
        return SOON_S if self.phase is Phase.STARTING else LATER_S


class Signals:
    """None comes until somebody was told that all is up."""

    def __init__(self) -> None:
        self.waits_s: list[float] = []
        self.ready: list[RunState] = []

    def __call__(self, numbers: Sequence[int]) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass

    def wait(self, timeout_s: float) -> list[int]:
        if self.ready:
            return [signal.SIGTERM]
        self.waits_s.append(timeout_s)
        return []


@pytest.mark.parametrize("looks", [[1], [3], [1, 4], [4, 1, 2]])
def test_it_is_told_with_the_look_that_finds_all_ready(
    looks: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signals = Signals()
    monkeypatch.setattr(module, "SignalQueue", signals)
    monkeypatch.setattr(module, "add_running", lambda directory: None)
    monkeypatch.setattr(module, "remove_running", lambda directory: None)
    children = [Child(f"service-{index}", count) for index, count in enumerate(looks)]
    directory = DataDir(tmp_path)
    directory.create()
    Supervisor(directory, [], MARK, services=cast(list[SupervisedService], children)).run(signals.ready.append)
    [told] = signals.ready
    assert [service.phase for service in told.services] == [Phase.RUNNING] * len(looks)
    assert signals.waits_s == [SOON_S] * (max(looks) - 1)
