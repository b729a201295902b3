"""Three Riacho brokers beside three of Apache Kafka: fail-over, replicated writes, and many partitions.

Both clusters run as three combined brokers and controllers on loopback from the same properties, with default settings
for every timeout, replication factor 3 and min ISR 2. Fail-over and partitions are measured with one cluster up at a
time; for the replicated writes both are up and warm, and every load goes to one and right after to the other.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.cluster_failover import controller_gaps_s, leader_gaps_s
from bench.cluster_partitions import create_s, restart_s
from bench.peers import broker_environment, commit_of, environment, is_riacho
from bench.plan import CLIENT_BUSY, Figure, Load, cluster_loads
from conformance.raw import RawConnection
from support.apache_cluster import ApacheCluster
from support.apache_kafka import STOCK_JVM_FLAGS
from support.cluster_processes import ProcessCluster
from support.cluster_raw import fetch
from support.cluster_topics import create_topic
from support.cluster_view import PartitionState, settled
from support.riacho_cluster import RiachoCluster

GROUP = "cluster"
PROPERTIES = {
    "offsets.topic.num.partitions": "50",
    "transaction.state.log.num.partitions": "50",
    "log.segment.delete.delay.ms": "500",
}
PARTITIONS = 6
CLIENT_TIMEOUT_S = 180


@dataclass(frozen=True, slots=True)
class ClusterScale:
    rounds: int = 3
    kills: int = 5
    warm_up_s: float = 0.5
    duration_s: float = 4.0
    broker_warm_up_s: float = 40.0
    created: int = 5_000
    restarted: int = 10_000


QUICK = ClusterScale(rounds=1, kills=1, duration_s=2.0, broker_warm_up_s=10.0, created=500, restarted=1_000)

Add = Callable[[str, Figure, float], None]
Each = Callable[[int, Callable[[str], None]], None]


class ClusterRun:
    """`each` runs work for every peer, in an order that depends on the round; `add` takes a sample."""

    def __init__(self, scale: ClusterScale, directory: Path | None, each: Each, add: Add) -> None:
        self._scale, self._directory = scale, directory
        self._each, self._add = each, add
        self.client_busy: dict[str, list[float]] = {}

    def execute(self) -> None:
        self._each(0, self._fail_over)
        self._run_loads()
        self._each(0, self._create)
        self._each(1, self._restart)

    def _fail_over(self, name: str) -> None:
        with self._cluster(name) as cluster:
            for gap_s in leader_gaps_s(cluster, self._scale.kills):
                self._add(name, Figure(GROUP, "kill -9 of a partition leader: longest gap between acks", "s"), gap_s)
            for gap_s in controller_gaps_s(cluster, self._scale.kills):
                self._add(name, Figure(GROUP, "kill -9 of the controller: longest gap between acks", "s"), gap_s)

    def _create(self, name: str) -> None:
        with self._cluster(name) as cluster:
            for part, seconds in create_s(cluster, self._scale.created).items():
                self._add(
                    name, Figure(GROUP, f"create a topic of {self._scale.created:,} partitions: {part}", "s"), seconds
                )

    def _restart(self, name: str) -> None:
        with self._cluster(name) as cluster:
            for part, seconds in restart_s(cluster, self._scale.restarted).items():
                title = f"whole cluster with {self._scale.restarted:,} partitions: {part}"
                self._add(name, Figure(GROUP, title, "s"), seconds)

    # Replicated writes

    def _run_loads(self) -> None:
        with ExitStack() as stack:
            clusters: dict[str, ProcessCluster] = {}

            def begin(name: str) -> None:
                clusters[name] = stack.enter_context(self._cluster(name))

            def warm(name: str) -> None:
                chosen = [load for load in cluster_loads() if load.quick]
                for load in chosen:
                    self._client(clusters[name], load, self._scale.broker_warm_up_s / len(chosen))

            self._each(0, begin)
            self._each(0, warm)
            for number in range(self._scale.rounds):
                for load in cluster_loads():
                    self._each(number, partial(self._measure, clusters, load))

    def _measure(self, clusters: dict[str, ProcessCluster], load: Load, name: str) -> None:
        if name not in clusters:
            return  # it did not start, which is told already
        figures = self._client(clusters[name], load, self._scale.duration_s)
        busy = figures.pop(CLIENT_BUSY)
        self.client_busy.setdefault(load.name, []).append(busy)
        for unit, value in figures.items():
            self._add(name, Figure(GROUP, load.name, unit), value)

    def _client(self, cluster: ProcessCluster, load: Load, duration_s: float) -> dict[str, float]:
        """Run one load in a process of its own, on a topic of its own."""
        topic = "bench-replicated"
        create_topic(cluster, topic, PARTITIONS, {"min.insync.replicas": "2"})
        try:
            leaders = cluster.view.partitions(topic)
            _wait_until_served(cluster, topic, leaders)
            spec = {
                "topic": topic,
                "ports": [cluster.nodes[leaders[index].leader].port for index in range(PARTITIONS)],
                "pids": [node.pid for node in cluster.nodes.values()],
                "bootstrap": cluster.bootstrap,
                "warm_up_s": self._scale.warm_up_s,
                "duration_s": duration_s,
                "kind": load.kind,
                "parameters": load.parameters,
            }
            return _run(spec)
        finally:
            delete_topic(cluster, topic)

    @contextmanager
    def _cluster(self, name: str) -> Iterator[ProcessCluster]:
        scratch = Path(tempfile.mkdtemp(prefix="riacho-bench-", dir=self._directory))
        try:
            with make_cluster(name, scratch) as cluster:
                yield cluster
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def make_cluster(name: str, directory: Path) -> ProcessCluster:
    if is_riacho(name):
        return InstalledCluster(directory, commit_of(name))
    return ApacheCluster(directory, properties=PROPERTIES, jvm_flags=STOCK_JVM_FLAGS)


class InstalledCluster(RiachoCluster):
    """As users install it, or as it was at another commit."""

    def __init__(self, directory: Path, commit: str | None) -> None:
        self._environment = broker_environment(commit)
        super().__init__(directory, properties=PROPERTIES, is_forked=False)

    def environment(self) -> dict[str, str]:
        return self._environment


def delete_topic(cluster: ProcessCluster, topic: str) -> None:
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    admin.delete_topics([topic], operation_timeout=30)[topic].result(60)


def _wait_until_served(cluster: ProcessCluster, topic: str, leaders: Mapping[int, PartitionState]) -> None:
    """Kafka names a leader a moment before that broker leads."""
    for index, state in leaders.items():
        node = cluster.nodes[state.leader]
        with RawConnection((node.host, node.port)) as connection:
            settled(
                lambda c=connection, i=index: fetch(c, topic, i, 0).error_code,  # type: ignore[misc]
                lambda code: code == 0,
            )


def _run(spec: dict[str, Any]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.cluster_load", json.dumps(spec)],
        capture_output=True,
        text=True,
        timeout=CLIENT_TIMEOUT_S,
        cwd=ROOT,
        env=environment(),
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"the load client ended with {done.returncode}")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures
