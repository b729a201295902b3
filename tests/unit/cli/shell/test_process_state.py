"""What a command changes in its process does not reach the next one."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from pathlib import Path

import pytest

from riacho.cli.shell.process_state import kept_process_state


def snapshot() -> dict[str, object]:
    umask = os.umask(0o077)
    os.umask(umask)
    return {
        "argv": (id(sys.argv), list(sys.argv)),
        "environment": dict(os.environ),
        "directory": os.getcwd(),
        "umask": umask,
        "signals": {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)},
        "hooks": (sys.excepthook, sys.unraisablehook),
        "limit": sys.getrecursionlimit(),
        "logging": (logging.root.level, list(logging.root.handlers), logging.root.manager.disable),
        "level": logging.getLogger("riacho.of.this.test").level,
        "warnings": list(warnings.filters),
        # The test's own time limit may run meanwhile.
        "has_long_timer": signal.getitimer(signal.ITIMER_REAL)[0] > 100_000,
    }


def spoil(tmp_path: Path) -> None:
    sys.argv.append("--more")
    os.environ["RIACHO_LEAK"] = "1"
    os.environ.pop("PATH", None)
    os.chdir(tmp_path)
    os.umask(0o077)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 200_000)
    sys.excepthook = lambda *about: None
    sys.setrecursionlimit(5_000)
    logging.root.setLevel(logging.DEBUG)
    logging.root.addHandler(logging.NullHandler())
    logging.disable(logging.ERROR)
    logging.getLogger("riacho.of.this.test").setLevel(logging.DEBUG)
    warnings.simplefilter("ignore")


@pytest.mark.parametrize("end", [None, SystemExit, KeyboardInterrupt, ValueError])
def test_everything_is_put_back(tmp_path: Path, end: type[BaseException] | None) -> None:
    logging.getLogger("riacho.of.this.test")
    before = snapshot()
    try:
        with kept_process_state(["topic", "list"], {**os.environ, "ONE": "1"}):
            assert sys.argv == ["topic", "list"]
            assert os.environ["ONE"] == "1"
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            spoil(tmp_path)
            if end is not None:
                raise end
    except BaseException as error:
        assert type(error) is end  # noqa: PT017
    assert snapshot() == before


def test_the_environment_within_is_the_one_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIACHO_PROFILE", "other")
    with kept_process_state([], {"PATH": "/bin"}):
        assert dict(os.environ) == {"PATH": "/bin"}
    assert os.environ["RIACHO_PROFILE"] == "other"


def test_a_directory_that_is_gone_meanwhile_harms_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with kept_process_state([], dict(os.environ)):
        pass
