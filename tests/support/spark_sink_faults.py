"""Runs the driver of `spark_sink_worker` again and again while it, its executors and workers, and brokers die.

What is killed and when comes from a seed; where things are when it happens is told by the worker's trace.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import psutil

from support.cluster_processes import ProcessCluster
from support.spark_sink_driver import Driver, is_executor, is_python_worker, kill, remove_executor_directories
from support.spark_sink_input import Input
from support.spark_sink_progress import Progress

DRIVER, PYTHON, BROKER, EXECUTOR = "driver", "python worker", "broker", "executor"
# Not killed: it stands still, and goes on when another has taken over.
ZOMBIE = "stopped driver"
_ANY, _WRITING, _COMMITTING = "any", "writing", "committing"
# Between the commits of an epoch's tasks is where most could go wrong; a worker should be at work.
_MOMENTS = {
    DRIVER: (_COMMITTING, _COMMITTING, _ANY),
    PYTHON: (_WRITING, _WRITING, _COMMITTING),
    BROKER: (_WRITING, _COMMITTING, _ANY),
    EXECUTOR: (_WRITING, _COMMITTING, _ANY),
    ZOMBIE: (_WRITING, _COMMITTING),
}
_POLL_S = 0.01
# How long the commit of an epoch takes about.
_COMMIT_S = 0.06
_MORE_EPOCHS = 4
# How many lines a driver that stood still lags behind the one that took over, and how many it is left to live then.
_ZOMBIE_LINES = (4, 24)
# A driver may give up by itself, when what it needs is away for too long; not again and again.
_GIVEN_UP_MAX = 5


class Faults:
    """Kills after so many more lines of the trace, until the plan is done; then leaves everything alone.

    Input that is used up before that is added to: `source.epochs` says how many there were in the end.
    """

    def __init__(
        self, cluster: ProcessCluster, directory: Path, source: Input, plan: list[str], seed: int, gap: tuple[int, int]
    ) -> None:
        self.kills: Counter[str] = Counter()
        self.moments: Counter[str] = Counter()
        self.starts = 0
        self.progress = Progress(directory / "trace")
        self._cluster = cluster
        self._directory = directory
        self._source = source
        self._plan = list(plan)
        self._chooser = random.Random(seed)
        self._gap = gap
        self._down: int | None = None
        self._left_behind: list[psutil.Process] = []
        self._given_up = 0
        self._zombie: Driver | None = None
        self._is_zombie_still = False
        self._zombie_wakes, self._zombie_ends = _ZOMBIE_LINES
        self._choose_next()

    def _choose_next(self) -> None:
        gap = self._chooser.randint(*self._gap)
        self._due = self.progress.lines + gap
        self._restore_at = self.progress.lines + gap // 2
        self._moment = self._chooser.choice(_MOMENTS[self._plan[0]]) if self._plan else _ANY

    def run(self, master: str, deadline_s: float) -> None:
        """Until the plan is done and a driver has come to the end of the input."""
        try:
            while True:
                driver = Driver(self._cluster.bootstrap, self._directory, master)
                self.starts += 1
                try:
                    code = self._watch(driver, deadline_s)
                finally:
                    if driver is not self._zombie:
                        self._left_behind += driver.kill(is_alone=self._chooser.random() < 0.5)
                if code == 0 and not self._plan:
                    break
                if code == 0:
                    self._source.add(_MORE_EPOCHS)
                elif code is not None:
                    self._given_up += 1
                    assert self._given_up <= _GIVEN_UP_MAX, f"the driver ends by itself: {self.tail()}"
        finally:
            self._end_zombie()
            for process in self._left_behind:
                kill(process)
            remove_executor_directories()
        self._restore()

    def _watch(self, driver: Driver, deadline_s: float) -> int | None:
        """Its exit code; None when it was killed."""
        while driver.exit_code is None:
            assert time.monotonic() < deadline_s, f"not done in time, {self._plan} left: {self.tail()}"
            self.progress.read()
            if self.progress.lines >= self._restore_at:
                self._restore()
            self._tend_zombie()
            if self._plan and self.progress.lines >= self._due and self._is_moment():
                what = self._plan[0]
                if not self._kill(what, driver):
                    self._due = self.progress.lines + 1
                    continue
                self.kills[what] += 1
                self.moments[self._moment] += 1
                self._plan.pop(0)
                self._choose_next()
                if what in (DRIVER, ZOMBIE):
                    return None
            time.sleep(_POLL_S)
        return driver.exit_code

    def _is_moment(self) -> bool:
        if self._moment == _WRITING:
            return self.progress.is_writing
        if self._moment == _COMMITTING:
            if not self.progress.is_committing:
                return False
            time.sleep(self._chooser.random() * _COMMIT_S)
        return True

    def _kill(self, what: str, driver: Driver) -> bool:
        if what == PYTHON:
            return driver.kill_one(is_python_worker, self._chooser)
        if what == EXECUTOR:
            return driver.kill_one(is_executor, self._chooser)
        if what == BROKER:
            self._down = self._chooser.choice(sorted(self._cluster.nodes))
            self._cluster.kill(self._down)
        if what == ZOMBIE:
            self._end_zombie()
            driver.stop()
            self._zombie, self._is_zombie_still = driver, True
            self._zombie_wakes, self._zombie_ends = (self.progress.lines + each for each in _ZOMBIE_LINES)
        return True

    def _tend_zombie(self) -> None:
        if self._zombie is None or self.progress.lines < self._zombie_wakes:
            return
        if self._is_zombie_still:
            self._zombie.go_on()
            self._is_zombie_still = False
        elif self.progress.lines >= self._zombie_ends:
            self._end_zombie()

    def _end_zombie(self) -> None:
        if self._zombie is not None:
            self._zombie.kill()
            self._zombie = None

    def _restore(self) -> None:
        """The broker that was killed before, well ahead of the next kill: with two down nothing could be written."""
        if self._down is not None:
            self._cluster.start(self._down)
            self._down = None

    def tail(self) -> str:
        return (self._directory / "driver.out").read_bytes()[-3_000:].decode(errors="replace")
