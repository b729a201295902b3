"""A test that fails leaves no process to be waited for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.child_process import child_process

_FOR_EVER = [sys.executable, "-c", "import sys; sys.stdin.read()"]


def test_what_nobody_told_to_end_ends_with_the_test_that_failed() -> None:
    with (
        pytest.raises(AssertionError, match="the test failed"),
        child_process(_FOR_EVER, stdin=subprocess.PIPE) as process,
    ):
        raise AssertionError("the test failed")
    assert process.returncode == -9


def test_what_ends_by_itself_is_waited_for() -> None:
    with child_process([sys.executable, "-c", "raise SystemExit(3)"]) as process:
        pass
    assert process.returncode == 3
