"""A bench that is killed takes along what it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A bench that started a broker, of which this stands for, and waits for it. It tells both process ids.
_PROGRAM = """
import os, subprocess, sys
from bench.guard import guarded

def main():
    broker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        # Whoever reads this may end us before the next line.
        print(os.getpid(), broker.pid, flush=True)
        broker.wait()
    finally:
        print("stopped in good order", flush=True)
    return 0

sys.exit(guarded(main))
"""


class Bench:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.output = self.process.stdout
        self.child, self.broker = map(int, self.output.readline().split())

    def ended(self) -> str:
        """The rest of what it said, once all who could say more have gone."""
        said = self.output.read()
        self.process.wait(30)
        deadline = time.monotonic() + 30
        while _is_alive(self.child) or _is_alive(self.broker):
            assert time.monotonic() < deadline, "left running"
            time.sleep(0.01)
        return said


def _is_alive(pid: int) -> bool:
    """Not so as one that is dead and only waits to be noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    for pid in (made.process.pid, made.child, made.broker):
        if _is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    made.process.wait()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_bench_that_is_ended_stops_its_brokers_in_good_order(bench: Bench, number: int) -> None:
    bench.process.send_signal(number)
    assert bench.ended() == "stopped in good order\n"


def test_a_bench_that_dies_is_cleared_up_after(bench: Bench) -> None:
    os.kill(bench.child, signal.SIGKILL)
    assert bench.ended() == ""
    assert bench.process.returncode == 128 + signal.SIGKILL


def test_a_broker_that_ends_is_no_end_of_the_guard(bench: Bench) -> None:
    os.kill(bench.broker, signal.SIGKILL)
    assert bench.ended() == "stopped in good order\n"
    assert bench.process.returncode == 0
