"""A child known by its id alone: how it fares, how it ends, and that it can be ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from riacho.cli.supervisor.adopted_process import AdoptedProcess

WAITS = "import sys; sys.stdin.read(); sys.exit(7)"


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", WAITS], stdin=subprocess.PIPE)
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


def test_it_ends_by_itself(child: subprocess.Popen[bytes]) -> None:
    adopted = AdoptedProcess(child.pid)
    assert adopted.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        adopted.wait(0.05)
    assert child.stdin is not None
    child.stdin.close()
    assert adopted.wait(30) == 7
    assert adopted.poll() == 7


@pytest.mark.parametrize(("act", "code"), [("terminate", -15), ("kill", -9)])
def test_it_is_ended(child: subprocess.Popen[bytes], act: str, code: int) -> None:
    adopted = AdoptedProcess(child.pid)
    getattr(adopted, act)()
    assert adopted.wait(30) == code
    adopted.kill()


def test_one_that_is_no_child_of_ours_is_gone() -> None:
    assert AdoptedProcess(2**22 + 1).poll() == 0
