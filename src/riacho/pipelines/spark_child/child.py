"""A child process that is spoken to in lines: a runner of Spark, or the catalog of plugins.

It has a process group of its own, so that what it starts (a JVM, its workers) ends with it, however that comes about.
Lines are bounded; what it writes to standard error is kept in part, for the sentence that tells why it ended.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress

LINE_BYTES_MAX = 16 * 1024 * 1024
_TAIL_LINES = 40
_TAIL_LINE_BYTES = 4_096
# What Spark logs on the way, which is no reason to end.
_REMARK = re.compile(r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d (?:INFO|WARN) ")


class ChildEnded(Exception):
    """The process is gone; one sentence."""


class Child:
    """`start` first; then `tell` and `hear`, each from one task at a time. `end` may be called from anywhere."""

    def __init__(self, label: str, words: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.label = label
        self._words = list(words)
        self._environment = dict(os.environ if environment is None else environment)
        self._process: asyncio.subprocess.Process | None = None
        self._errors: asyncio.Task[None] | None = None
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def _started(self) -> asyncio.subprocess.Process:
        assert self._process is not None, "not started"
        return self._process

    async def start(self) -> None:
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env=self._environment,
                limit=LINE_BYTES_MAX,
                start_new_session=True,
            )
        except OSError as error:
            raise ChildEnded(f"The {self.label} cannot be started: {error.strerror or error}.") from None
        self._errors = asyncio.create_task(self._keep_errors(), name=f"{self.label}-errors")

    async def send(self, line: bytes) -> None:
        stdin = self._started.stdin
        assert stdin is not None, "a pipe was asked for"
        try:
            stdin.write(line)
            await stdin.drain()
        except (OSError, RuntimeError):
            raise ChildEnded(self.farewell()) from None

    def remind(self, line: bytes) -> None:
        """As `tell`, but without waiting: where it has not read the last yet, this one is left out."""
        stdin = self._started.stdin
        assert stdin is not None, "a pipe was asked for"
        if not stdin.is_closing() and stdin.transport.get_write_buffer_size() == 0:
            stdin.write(line)

    async def receive(self) -> bytes:
        """The next line; ChildEnded when there is none any more."""
        process = self._started
        stdout = process.stdout
        assert stdout is not None, "a pipe was asked for"
        try:
            line = await stdout.readline()
        except (ValueError, OSError):
            raise ChildEnded(f"The {self.label} wrote a line that is too long.") from None
        if not line:
            await process.wait()
            if self._errors is not None:
                await asyncio.wait([self._errors], timeout=1.0)
            raise ChildEnded(self.farewell())
        return line

    def farewell(self) -> str:
        code = None if self._process is None else self._process.returncode
        how = "" if code is None else f" (exit code {code})" if code >= 0 else f" (signal {-code})"
        last = next((line for line in reversed(self._tail) if line.strip() and not _REMARK.match(line)), "")
        return f"The {self.label} ended{how}{': ' + last if last else '.'}"

    async def end(self, patience_s: float = 0.0) -> None:
        """Its input is closed, which asks it to end; after `patience_s` it is killed with all that it started."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        if patience_s > 0 and process.returncode is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(process.wait()), patience_s)
        self.kill()
        await process.wait()
        if self._errors is not None:
            # A grandchild may still hold the pipe.
            self._errors.cancel()
            await asyncio.wait([self._errors])

    def kill(self) -> None:
        """At once; nothing is awaited. The group is killed even where its leader is gone already."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _keep_errors(self) -> None:
        stderr = self._started.stderr
        assert stderr is not None, "a pipe was asked for"
        while True:
            try:
                line = await stderr.readline()
            except ValueError:
                continue
            if not line:
                return
            self._tail.append(line[:_TAIL_LINE_BYTES].decode(errors="replace").rstrip())

    def tail(self) -> str:
        """The last of what it wrote to standard error."""
        return "\n".join(self._tail)


def python_module(module: str) -> list[str]:
    return [sys.executable, "-m", module]
