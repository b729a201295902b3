"""The process of `spark_sink_worker` and all that Spark starts below it: who is who, and killing one or all of them."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil

from support.riacho_cluster import SOURCE

TESTS = Path(__file__).parents[1]
_WORKERS = ("pyspark.daemon pyspark.worker", "commit_data_source_write", "python_streaming_sink_runner")


class Driver:
    def __init__(self, bootstrap: str, directory: Path, master: str) -> None:
        program = Path(__file__).with_name("spark_sink_worker.py")
        self._output = (directory / "driver.out").open("ab")
        self._process = subprocess.Popen(
            [sys.executable, str(program), bootstrap, str(directory), master],
            env=os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}"},
            stdout=self._output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def kill(self, *, is_alone: bool = False) -> list[psutil.Process]:
        """With all that is below it, as when a machine dies; or alone, and then those that it leaves behind: executors
        and Python workers, which go on until they notice."""
        family = self._family()
        victims = [each for each in family if not is_alone or is_driver_jvm(each)]
        # The JVM before the program that waits for it.
        for process in victims:
            kill(process)
        self._process.kill()
        self._process.wait()
        self._output.close()
        return [each for each in family if each not in victims]

    def stop(self) -> None:
        """It stands still with all that is below it, and knows nothing of it when it goes on."""
        self._signal_all(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> None:
        for process in self._family():
            _send(process, number)
        self._process.send_signal(number)

    def kill_one(self, is_victim: Callable[[psutil.Process], bool], chooser: random.Random) -> bool:
        """One of the processes below the driver, if there is such a one."""
        found = [each for each in self._family() if _is(is_victim, each)]
        if not found:
            return False
        kill(chooser.choice(sorted(found, key=lambda process: process.pid)))
        return True

    def _family(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []


def _is(question: Callable[[psutil.Process], bool], process: psutil.Process) -> bool:
    try:
        return question(process)
    except psutil.Error:
        return False


def is_python_worker(process: psutil.Process) -> bool:
    """A child of one of Spark's daemons, whose command line it shares: it runs tasks, or commits for the driver."""
    words, parent = " ".join(process.cmdline()), process.parent()
    return any(name in words for name in _WORKERS) and parent is not None and parent.name() != "java"


def is_executor(process: psutil.Process) -> bool:
    return process.name() == "java" and any("CoarseGrainedExecutorBackend" in word for word in process.cmdline())


def is_driver_jvm(process: psutil.Process) -> bool:
    try:
        return any("org.apache.spark.deploy.SparkSubmit" in word for word in process.cmdline())
    except psutil.Error:
        return False


def remove_executor_directories() -> None:
    """Where executors of a `local-cluster` work, which is below the package of Spark and nowhere else."""
    import pyspark

    for directory in Path(pyspark.__file__).parent.glob("work/app-*"):
        shutil.rmtree(directory, ignore_errors=True)


def kill(process: psutil.Process) -> None:
    """Only what it was when it was found: the number may have been given to another since."""
    _send(process, signal.SIGKILL)


def _send(process: psutil.Process, number: int) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
