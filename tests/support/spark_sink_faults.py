"""Runs the driver of `spark_sink_worker` again and again while it, its Python workers and brokers are killed.

When and what is killed comes from a seed; where things are when it happens is told by the worker's trace.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil

from support.riacho_cluster import SOURCE, RiachoCluster
from support.spark_sink_worker import FILES_PER_EPOCH

TESTS = Path(__file__).parents[1]
KEYS = 9
ROWS_OF_A_KEY = 4
DRIVER, PYTHON, BROKER, EXECUTOR = "driver", "python worker", "broker", "executor"
_WORKERS = ("pyspark.daemon pyspark.worker", "commit_data_source_write", "python_streaming_sink_runner")
_POLL_S = 0.01
# How many of the driver's deaths are to fall into the commit of an epoch, and how long that takes about.
_COMMIT_SHARE = 0.7
_COMMIT_S = 0.06


def write_input(directory: Path, epochs: int) -> dict[str, list[int]]:
    """Files for so many micro-batches; what each key's numbers are, in order. A key is in one file of an epoch."""
    (directory / "input").mkdir(parents=True)
    numbers: dict[str, list[int]] = {f"k{key}": [] for key in range(KEYS)}
    first = time.time() - 100_000
    for epoch in range(epochs):
        for slot in range(FILES_PER_EPOCH):
            lines = []
            for row in range(ROWS_OF_A_KEY):
                for key in range(slot, KEYS, FILES_PER_EPOCH):
                    number = epoch * ROWS_OF_A_KEY + row
                    numbers[f"k{key}"].append(number)
                    lines.append(f"k{key},{number}\n")
            file = directory / "input" / f"{epoch:05d}-{slot}.csv"
            file.write_text("".join(lines))
            # Spark takes files by their times.
            when = first + epoch * FILES_PER_EPOCH + slot
            os.utime(file, (when, when))
    return numbers


class Driver:
    """The worker process, in a process group of its own that dies as one."""

    def __init__(self, bootstrap: str, directory: Path) -> None:
        program = Path(__file__).with_name("spark_sink_worker.py")
        self._output = (directory / "driver.out").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, str(program), bootstrap, str(directory)],
            env=os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}"},
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        try:
            family = [psutil.Process(self._process.pid), *psutil.Process(self._process.pid).children(recursive=True)]
        except psutil.NoSuchProcess:
            family = []
        for process in family:
            _kill(process)
        self._process.wait()
        self._output.close()

    def kill_one(self, is_victim: Callable[[psutil.Process], bool], chooser: random.Random) -> bool:
        """One of the processes below the driver."""
        found = []
        try:
            for process in psutil.Process(self._process.pid).children(recursive=True):
                try:
                    if is_victim(process):
                        found.append(process)
                except psutil.Error:
                    continue
        except psutil.NoSuchProcess:
            return False
        if not found:
            return False
        _kill(chooser.choice(sorted(found, key=lambda process: process.pid)))
        return True


def is_python_worker(process: psutil.Process) -> bool:
    """A child of one of Spark's daemons, whose command line it shares: it runs tasks, or commits for the driver."""
    words, parent = " ".join(process.cmdline()), process.parent()
    return any(name in words for name in _WORKERS) and parent is not None and parent.name() != "java"


def is_executor(process: psutil.Process) -> bool:
    return any("CoarseGrainedExecutorBackend" in word for word in process.cmdline())


def _kill(process: psutil.Process) -> None:
    try:
        os.kill(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


class Faults:
    """Kills after so many more lines of the trace, as often as the plan says; then leaves everything alone."""

    def __init__(
        self, cluster: RiachoCluster, directory: Path, plan: list[str], seed: int, gap: tuple[int, int]
    ) -> None:
        self.kills: Counter[str] = Counter()
        self.starts = 0
        self._cluster = cluster
        self._directory = directory
        self._plan = list(plan)
        self._chooser = random.Random(seed)
        self._gap = gap
        self._down: int | None = None
        self._seen = 0
        self._due = self._next()
        self._waits_for_commit = True

    def _next(self) -> int:
        return self._seen + self._chooser.randint(*self._gap)

    def run(self, deadline_s: float) -> None:
        """Until a driver has come to the end of the input."""
        while True:
            driver = Driver(self._cluster.bootstrap, self._directory)
            self.starts += 1
            try:
                code = self._watch(driver, deadline_s)
            finally:
                driver.kill()
            if code == 0:
                break
        self._restore()

    def _watch(self, driver: Driver, deadline_s: float) -> int | None:
        """Its exit code; None when it was killed."""
        while driver.exit_code is None:
            assert time.monotonic() < deadline_s, f"not done in time: {self.tail()}"
            lines = self.trace()
            self._seen = len(lines)
            if self._plan and self._seen >= self._due and self._is_moment(lines):
                what = self._plan[0]
                if not self._kill(what, driver):
                    self._due = self._seen + 1
                    continue
                self.kills[what] += 1
                self._plan.pop(0)
                self._due = self._next()
                self._waits_for_commit = self._chooser.random() < _COMMIT_SHARE
                if what == DRIVER:
                    return None
            time.sleep(_POLL_S)
        return driver.exit_code

    def _is_moment(self, lines: list[str]) -> bool:
        """Between the commits of an epoch's tasks is where most could go wrong; a worker should be at work."""
        told = Counter(line.split()[0] for line in lines[self._due - 1 :])
        if self._plan[0] == PYTHON:
            return told["task"] > told["written"] + told["skipped"] + told["empty"]
        if self._plan[0] != DRIVER or not self._waits_for_commit:
            return True
        if told["commit"] <= told["committed"]:
            return False
        time.sleep(self._chooser.random() * _COMMIT_S)
        return True

    def _kill(self, what: str, driver: Driver) -> bool:
        self._restore()
        if what == PYTHON:
            return driver.kill_one(is_python_worker, self._chooser)
        if what == EXECUTOR:
            return driver.kill_one(is_executor, self._chooser)
        if what == BROKER:
            self._down = self._chooser.choice(sorted(self._cluster.nodes))
            self._cluster.kill(self._down)
        return True

    def _restore(self) -> None:
        """The broker that was killed before: with two of them down nothing could be written."""
        if self._down is not None:
            self._cluster.start(self._down)
            self._down = None

    def trace(self) -> list[str]:
        file = self._directory / "trace"
        return file.read_text().splitlines() if file.exists() else []

    def tail(self) -> str:
        return (self._directory / "driver.out").read_bytes()[-3_000:].decode(errors="replace")
