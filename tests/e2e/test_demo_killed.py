"""A demo that is killed with -9 leaves nothing running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from e2e.shell import Shell

DEADLINE_S = 90.0


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc, which is Linux's")
def test_a_demo_that_is_killed_takes_its_broker_with_it(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    demo = subprocess.Popen(
        shell.command("demo", "--broker"), stdout=subprocess.PIPE, env=shell.environment, cwd=tmp_path
    )
    assert demo.stdout is not None
    try:
        # The second step begins when the broker answers.
        while not demo.stdout.readline().lstrip().startswith(b"2 "):
            assert demo.poll() is None
        demo.send_signal(signal.SIGSTOP)
        left = _children(demo.pid)
        assert left
    finally:
        demo.kill()
        demo.wait()
    deadline = time.monotonic() + DEADLINE_S
    while any(map(_is_alive, left)):
        if time.monotonic() > deadline:
            for pid in filter(_is_alive, left):
                os.kill(pid, signal.SIGKILL)
            pytest.fail(f"left behind: {left}")
        time.sleep(0.05)
