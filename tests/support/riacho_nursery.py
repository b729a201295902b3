"""Nodes by fork: one process has imported all of the broker, and each node of a cluster is a copy of it.

Most of what a node does until it serves is importing Python modules. Tests start hundreds of nodes on a machine that
has little to spare, so they pay for that once. What runs is what `python -m riacho` runs, in a process of its own with
its own arguments, environment, directory and output; it is stopped, paused and killed like any other.

The nursery takes orders as lines of JSON on its standard input and answers each with a line. It reaps a node only when
asked to, so that an id is a node's until its end has been seen.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
FORKED = 0


class Nursery:
    """Its process ends when its standard input does: with the tests' process, after whatever that does at its end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
            text=True,
        )

    def start(self, words: Sequence[str], environment: Mapping[str, str], directory: Path, output: Path) -> NurseryNode:
        """`python -m riacho` with these words; `output` gets what it says."""
        pid = self._order("start", list(words), dict(environment), str(directory), str(output))
        return NurseryNode(self, pid, words)

    def ended(self, pid: int) -> int | None:
        """The exit code of a node, once it has ended, as `Popen.returncode` has it; to be asked until then only."""
        code: int | None = self._order("ended", pid)
        return code

    def _order(self, name: str, *arguments: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps([name, *arguments]) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        assert answer, "the nursery ended"
        return json.loads(answer)


class NurseryNode:
    """What tests use of `subprocess.Popen`."""

    def __init__(self, nursery: Nursery, pid: int, words: Sequence[str]) -> None:
        self._nursery = nursery
        self._lock = threading.Lock()
        self.pid = pid
        self.args = list(words)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        with self._lock:
            if self.returncode is None:
                self.returncode = self._nursery.ended(self.pid)
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.poll() is None:
            # Gone at once where another thread has seen its end meanwhile.
            with suppress(ProcessLookupError):
                end = os.pidfd_open(self.pid)
                try:
                    waiting = select.poll()
                    waiting.register(end, select.POLLIN)
                    waiting.poll(None if timeout is None else timeout * 1_000)
                finally:
                    os.close(end)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@functools.cache
def nursery() -> Nursery:
    """The one of this process, from its first use on."""
    return Nursery()


# Inside the nursery's process


def serve() -> list[str]:
    """Obey. Returns in every child, with the words of its command."""
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        if name == "ended":
            pid, status = os.waitpid(arguments[0], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            words, environment, directory, output = arguments
            answer = os.fork()
            if answer == FORKED:
                become(environment, directory, output)
                return list(words)
        print(json.dumps(answer), flush=True)
    sys.exit(0)


def become(environment: Mapping[str, str], directory: str, output: str) -> None:
    """A process like one that was started here."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)
    for path, flags, targets in (
        (os.devnull, os.O_RDONLY, (0,)),
        (output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, (1, 2)),
    ):
        opened = os.open(path, flags, 0o644)
        for target in targets:
            os.dup2(opened, target)
        os.close(opened)


def import_everything() -> None:
    """What a node imports, and compiles, in its first seconds."""
    from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE

    for name in ("riacho.broker.run", "riacho.cli.commands.broker"):
        import_module(name)
    for api in (*TABLE, *CONTROLLER_TABLE):
        api.handle()
    for api in CONTROLLER_TABLE:
        api.codec(api.version_max)
        api.response_decoder(api.version_max)


def main() -> None:
    # Ctrl-C is for the tests, which end their nodes in good order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import_everything()
    from riacho.cli.main import main as riacho_main

    # Shared by all, for as long as nobody touches it; a collector would.
    gc.collect()
    gc.freeze()
    sys.argv = ["riacho", *serve()]
    riacho_main()


if __name__ == "__main__":
    main()
