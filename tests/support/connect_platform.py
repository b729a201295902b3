"""A platform of real processes for pipelines: three brokers, the registry, two Connect workers that share checkpoints.

    with running_platform(tmp_path) as platform:
        platform.put("archive", {...})
        platform.until_running("archive")
        os.kill(platform.runner_pid(platform.leading()), signal.SIGKILL)

Connectors are made and looked at through the workers' REST API only, at whichever worker is up.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from support.cluster_processes import ProcessCluster
from support.connect_runner import SPARK
from support.connect_worker import ConnectCalls
from support.service_process import ServiceProcess, running_service
from support.spark_brokers import three_brokers

# A busy machine starts Spark several times in here.
TIMEOUT_S = 300.0
_POLL_S = 0.4
_WORKERS = 2
_RUNNER = re.compile(r"runner started session=shared pid=(\d+)")


class RealWorker(ServiceProcess, ConnectCalls):
    """A Connect worker with the runner and the plugins that everybody has."""

    def runner_pids(self) -> list[int]:
        """Of all runners that it ever started, in order."""
        return [int(found) for found in _RUNNER.findall(self.output())]


class ConnectPlatform:
    def __init__(self, cluster: ProcessCluster, registry: ServiceProcess, workers: list[RealWorker]) -> None:
        self.cluster = cluster
        self.registry = registry
        self.workers = workers
        self.may_fail: set[str] = set()

    @property
    def bootstrap(self) -> str:
        return self.cluster.bootstrap

    @property
    def api(self) -> RealWorker:
        return next(worker for worker in self.workers if worker.is_running)

    def put(self, name: str, config: Mapping[str, str]) -> None:
        """The config of a connector, new or not; again where the workers are about to agree on a leader."""

        def ask() -> Any:
            return self.api.call("PUT", f"/connectors/{name}/config", dict(config))

        answer = self.until(ask, lambda found: found[0] != 409)
        assert answer[0] in (200, 201), answer

    def status(self, name: str) -> Any:
        return self.api.status(name)

    def until_running(self, *names: str) -> None:
        for name in names:
            self.until(lambda name=name: self.status(name), _runs)  # type: ignore[misc]

    def until_failed(self, name: str) -> str:
        """Its trace, wherever it is told: of the connector or of a task."""
        return str(self.until(lambda: _trace(self.status(name)), lambda found: found is not None))

    def leading(self) -> RealWorker:
        """The worker that the connectors run at, as the status of any of them says."""
        by_id = {f"127.0.0.1:{worker.port}": worker for worker in self.workers}
        status, answer = self.api.get("/connectors?expand=status")
        assert status == 200, answer
        found = {each["status"]["connector"]["worker_id"] for each in answer.values()}
        assert len(found) == 1, answer
        return by_id[found.pop()]

    def runner_pid(self, worker: RealWorker) -> int:
        return worker.runner_pids()[-1]

    def until(self, ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
        """The first answer that is good. A connector that is to run and has failed ends it."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                found = ask()
                if holds(found):
                    return found
            except OSError as error:
                # A worker that was killed a moment ago, or is not up yet.
                found = error
            self.check_none_failed()
            assert time.monotonic() < deadline, f"still {found}\n{self.words()}"
            time.sleep(_POLL_S)

    def check_none_failed(self) -> None:
        try:
            status, answer = self.api.get("/connectors?expand=status")
        except OSError:
            return
        if status != 200:
            return
        for name, each in answer.items():
            if name in self.may_fail:
                continue
            for part in (each["status"]["connector"], *each["status"]["tasks"]):
                assert part["state"] != "FAILED", f"{name} failed: {part.get('trace')}\n{self.words()}"

    def create_topic(self, name: str, partitions: int = 1) -> None:
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        admin.create_topics([NewTopic(name, partitions, 3)])[name].result(TIMEOUT_S)

    def output(self) -> str:
        """What all workers have written to their logs."""
        return "".join(worker.output() for worker in self.workers)

    def words(self) -> str:
        """The ends of the workers' logs, for a failure."""
        return "\n".join(f"--- worker {worker.port}\n{worker.output()[-3_000:]}" for worker in self.workers)


def is_alive(pid: int) -> bool:
    """Not counting a zombie, whose parent was killed or has not looked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _trace(status: Any) -> str | None:
    parts = [status.get("connector", {}), *status.get("tasks", [])]
    return next((part["trace"] for part in parts if part.get("state") == "FAILED" and part.get("trace")), None)


def _runs(status: Any) -> bool:
    parts = [status.get("connector", {}), *status.get("tasks", [])]
    return len(parts) > 1 and all(part.get("state") == "RUNNING" for part in parts)


@contextmanager
def running_platform(directory: Path, properties: Mapping[str, str] | None = None) -> Iterator[ConnectPlatform]:
    with ExitStack() as stack:
        cluster = stack.enter_context(three_brokers(directory / "brokers"))
        registry = stack.enter_context(running_service("schema-registry", cluster.bootstrap, directory / "registry"))
        settings = {
            "group.id": "pipelines",
            "checkpoint.location": str(directory / "checkpoints"),
            "offset.storage.partitions": "3",
            "riacho.connectors.allowed.urls": f"public,private,{registry.url}",
            **SPARK,
            **(properties or {}),
        }
        workers = [
            RealWorker("connect", cluster.bootstrap, directory / f"worker-{number}", settings)
            for number in range(_WORKERS)
        ]
        for worker in workers:
            stack.callback(_end, worker)
            worker.spawn()
        for worker in workers:
            worker.wait_until_ready()
        yield ConnectPlatform(cluster, registry, workers)


def _end(worker: RealWorker) -> None:
    if worker.process is None or not worker.is_running:
        return
    worker.resume()
    try:
        worker.stop()
    finally:
        # Whatever the end was like, no JVM stays behind.
        for pid in worker.runner_pids():
            if is_alive(pid):
                os.killpg(pid, 9)
