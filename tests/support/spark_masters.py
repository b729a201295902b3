"""Spark as a cluster of processes on loopback: a standalone master with workers, and a Spark Connect server.

    with StandaloneCluster(directory) as cluster, ConnectServer(directory, master=cluster.url) as server:
        ConnectRunner(..., spark={"spark.master": server.url})

Everything runs from the pyspark package. Each process leads a group of its own: what a worker or a server has started
(executors, Python workers) ends with it, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from riacho.pipelines.spark.session import CHECKPOINT_FILES
from riacho.pipelines.spark.worker_python import worker_python
from support.ports import free_port

SOURCE = Path(__file__).parents[2] / "src"
START_S = 180.0
END_S = 60.0
_POLL_S = 0.05
# Many short-lived JVMs: compiling less costs less.
_CHEAP_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
DRIVER = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": _CHEAP_JVM,
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
}
EXECUTOR = {
    "spark.executor.memory": "600m",
    "spark.executor.cores": "1",
    "spark.executor.extraJavaOptions": _CHEAP_JVM,
}


class SparkProcess:
    """One JVM with its output in a file."""

    def __init__(self, name: str, directory: Path, command: Sequence[str], variables: Mapping[str, str]) -> None:
        import pyspark

        self.name = name
        self._log = directory / f"{name}.log"
        directory.mkdir(parents=True, exist_ok=True)
        home = Path(pyspark.__file__).parent
        surroundings = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(directory / "local"),
            # What a session on this machine gets by itself (spark/session.py) a server has to be told.
            "PYSPARK_PYTHON": worker_python(sys.executable),
            "PYTHONPATH": str(SOURCE),
            **variables,
        }
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(home / "bin" / command[0]), *command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=surroundings,
            )

    def wait_for(self, words: str) -> None:
        """Until the log has them."""
        self._wait(lambda: words in self.log(), f"say '{words}'")

    def wait_until_listening(self, port: int) -> None:
        self._wait(lambda: _listens(port), "listen")

    def _wait(self, is_so: Callable[[], bool], wanted: str) -> None:
        deadline = time.monotonic() + START_S
        while not is_so():
            ended = self.process.poll()
            assert ended is None, f"{self.name} ended with {ended}: {self.log()[-3000:]}"
            assert time.monotonic() < deadline, f"{self.name} did not {wanted}: {self.log()[-3000:]}"
            time.sleep(_POLL_S)

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def stop(self) -> None:
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_S)
        # Whatever it has started and left behind.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(END_S)


class StandaloneCluster:
    """A master and workers of one core each."""

    def __init__(self, directory: Path, workers: int = 2, variables: Mapping[str, str] | None = None) -> None:
        self._directory = directory
        self._count = workers
        self._variables = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": _CHEAP_JVM, **(variables or {})}
        self._processes: list[SparkProcess] = []
        self.port = free_port()
        self.url = f"spark://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        while self._processes:
            self._processes.pop().stop()

    def _start(self) -> None:
        names = ("org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker")
        own = ["--host", "127.0.0.1", "--webui-port", "0"]
        master = self._run("master", [names[0], *own, "--port", str(self.port)])
        # Workers try again by themselves, but seldom.
        master.wait_until_listening(self.port)
        for number in range(self._count):
            work = ["--cores", "1", "--memory", "1g", "--work-dir", str(self._directory / f"work-{number}")]
            self._run(f"worker-{number}", [names[1], *own, *work, self.url])
        for worker in self._processes[1:]:
            worker.wait_for("Successfully registered with master")

    def _run(self, name: str, arguments: list[str]) -> SparkProcess:
        process = SparkProcess(name, self._directory, ["spark-class", *arguments], self._variables)
        self._processes.append(process)
        return process


@contextmanager
def connect_server(directory: Path, master: str, path: str = "") -> Iterator[str]:
    """Its `sc://` address. `path` is where else it finds Python modules."""
    port = free_port()
    settings = DRIVER | EXECUTOR
    settings |= {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.python.authenticate.socketTimeout": "120s",
        "spark.sql.streaming.checkpointFileManagerClass": CHECKPOINT_FILES,
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    given = [part for name, text in settings.items() for part in ("--conf", f"{name}={text}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = ["spark-submit", "--master", master, *given, "--class", server, "spark-internal"]
    python_path = os.pathsep.join(filter(None, (str(SOURCE), path)))
    process = SparkProcess("connect", directory, command, {"PYTHONPATH": python_path})
    try:
        process.wait_until_listening(port)
        yield f"sc://127.0.0.1:{port}"
    finally:
        process.stop()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
