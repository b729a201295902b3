"""One bench run: first the lives of the brokers (start, memory, restart), one at a time; then the loads, alternating.

For the loads both brokers are up and warm, and every load goes to Riacho, then to Apache Kafka, then in the next round
the other way about: two figures that are compared were taken seconds apart, so a machine that slows down in the middle
of a run hurts both. Nothing is pinned to a core: both brokers take what the client leaves.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import ROOT, console_plan, ksql_plan, spark_plan
from bench import cluster as clusters
from bench.console_run import ConsoleRun
from bench.ksql_run import KsqlRun
from bench.lifecycle import first_acked_write_s, idle_memory_mb, restart_s
from bench.peers import Peer, environment, make_peer
from bench.plan import CLIENT_BUSY, RESTART_PARTITIONS, Figure, Load, loads
from bench.spark_run import SparkRun
from bench.summary import Samples
from support.browser import program

CLIENT_TIMEOUT_S = 180


@dataclass(frozen=True, slots=True)
class Scale:
    """How long everything takes. `duration_s` is per load and round: a figure rests on `rounds` times as much."""

    rounds: int = 3
    warm_up_s: float = 0.3
    duration_s: float = 1.8
    broker_warm_up_s: float = 45.0
    idle_s: float = 10.0
    restart_topics: int = 10
    quick: bool = False


QUICK = Scale(rounds=1, broker_warm_up_s=20.0, idle_s=5.0, restart_topics=1, quick=True)


class Run:
    def __init__(
        self,
        names: list[str],
        scale: Scale,
        groups: set[str],
        directory: Path | None,
        say: Callable[[str], None],
        *,
        console_parts: Collection[str] = console_plan.PARTS,
    ) -> None:
        self._names, self._scale, self._groups = names, scale, groups
        self._directory, self._say = directory, say
        self._console_parts = console_parts
        self._loads = [load for load in loads() if load.group in groups and (load.quick or not scale.quick)]
        self.samples = Samples()

    def execute(self) -> Samples:
        for number in range(self._scale.rounds):
            if self._groups & {"start", "memory"}:
                self._each(number, partial(self._start, first=number == 0))
        if "restart" in self._groups:
            self._each(0, self._restart)
        if self._loads:
            self._run_loads()
        if "cluster" in self._groups:
            self._run_clusters()
        if spark_plan.GROUP in self._groups:
            self._run_spark()
        if ksql_plan.GROUP in self._groups:
            self._run_ksql()
        if console_plan.GROUP in self._groups:
            self._run_console()
        return self.samples

    def _run_clusters(self) -> None:
        scale = clusters.QUICK if self._scale.quick else clusters.ClusterScale(rounds=self._scale.rounds)
        run = clusters.ClusterRun(scale, self._directory, self._each, self._add)
        run.execute()
        self.samples.client_busy |= run.client_busy

    def _run_spark(self) -> None:
        """One broker for both connectors: the first of the peers."""
        scale = spark_plan.QUICK if self._scale.quick else spark_plan.Scale(rounds=self._scale.rounds)
        try:
            with self._scratch(self._names[0]) as broker, self._scratch_directory() as directory:
                broker.start()
                SparkRun(broker, directory, scale, self._add, self._fail, self._say, self.samples).execute()
        except (RuntimeError, OSError) as error:
            self._fail("spark", error)

    def _run_ksql(self) -> None:
        """One broker for the server and for the job beside it: the first of the peers."""
        scale = ksql_plan.QUICK if self._scale.quick else ksql_plan.Scale(rounds=self._scale.rounds)
        try:
            with self._scratch(self._names[0]) as broker, self._scratch_directory() as directory:
                broker.start()
                KsqlRun(broker, directory, scale, self._add, self._fail, self._say).execute()
        except (RuntimeError, OSError) as error:
            self._fail("ksql", error)

    def _run_console(self) -> None:
        """Looks at the first of the peers."""
        scale = console_plan.QUICK if self._scale.quick else console_plan.Scale(rounds=self._scale.rounds)
        try:
            with self._scratch(self._names[0]) as broker, self._scratch_directory() as directory:
                broker.start()
                has_browser = program() is not None
                if not has_browser:
                    self._say("the pages are left out: chromium is not installed")
                run = ConsoleRun(broker, directory, scale, self._add, self._fail)
                run.execute(has_browser=has_browser, parts=self._console_parts)
        except (RuntimeError, OSError) as error:
            self._fail("console", error)

    def _each(self, round_number: int, work: Callable[[str], None]) -> None:
        for name in self._names if round_number % 2 == 0 else self._names[::-1]:
            try:
                work(name)
            except (RuntimeError, OSError, AssertionError, subprocess.SubprocessError) as error:
                self._fail(name, error)

    def _start(self, name: str, *, first: bool) -> None:
        with self._scratch(name) as peer:
            self._add(
                name, Figure("start", "process start to first acknowledged write", "s"), first_acked_write_s(peer)
            )
            if first and "memory" in self._groups:
                for kind, megabytes in idle_memory_mb(peer, self._scale.idle_s).items():
                    self._add(name, Figure("memory", f"idle memory, {kind}", "MB"), megabytes)

    def _restart(self, name: str) -> None:
        with self._scratch(name) as peer:
            peer.start()
            for part, seconds in restart_s(peer, self._scale.restart_topics).items():
                title = f"{self._scale.restart_topics * RESTART_PARTITIONS:,} partitions: {part}"
                self._add(name, Figure("restart", title, "s"), seconds)

    def _run_loads(self) -> None:
        with ExitStack() as stack:
            peers: dict[str, Peer] = {}

            def begin(name: str) -> None:
                peer = stack.enter_context(self._scratch(name, has_tls="tls" in self._groups))
                peer.start()
                peers[name] = peer

            self._each(0, begin)
            self._warm_up(peers)
            for number in range(self._scale.rounds):
                for load in self._loads:
                    self._each(number, partial(self._measure, peers, load))

    def _warm_up(self, peers: dict[str, Peer]) -> None:
        """All brokers at once, with each kind of work that is measured.

        A just-in-time compiler needs tens of seconds of each kind of work before it shows what it can do. Too short a
        warm-up flatters Riacho, which has no such need.
        """
        chosen = [
            load
            for load in loads()
            if load.quick and load.kind != "latency" and (load.group != "tls" or load.group in self._groups)
        ]

        def warm(name: str) -> None:
            for load in chosen:
                self._client(peers[name], load, self._scale.broker_warm_up_s / len(chosen))

        with ThreadPoolExecutor() as pool:
            warming = {name: pool.submit(warm, name) for name in peers}
        self._each(0, lambda name: warming[name].result() if name in warming else None)

    def _measure(self, peers: dict[str, Peer], load: Load, name: str) -> None:
        if name not in peers:
            return  # it did not start, which is told already
        try:
            figures = self._client(peers[name], load, self._scale.duration_s)
        except RuntimeError as error:
            raise RuntimeError(f"{load.name}: {error}") from error
        busy = figures.pop(CLIENT_BUSY, None)
        if busy is not None:
            self.samples.client_busy.setdefault(load.name, []).append(busy)
        for label, value in figures.items():
            qualifier, _, unit = label.rpartition("|")
            self._add(name, Figure(load.group, f"{load.name} {qualifier}".strip(), unit), value)

    def _client(self, peer: Peer, load: Load, duration_s: float) -> dict[str, float]:
        spec = {
            "kind": load.kind,
            "port": peer.port,
            "pid": peer.pid,
            "warm_up_s": self._scale.warm_up_s,
            "duration_s": duration_s,
            "parameters": load.parameters,
        }
        if peer.tls is not None:
            spec |= {"tls_port": peer.tls.port, "authority_file": peer.tls.authority_file}
        return run_client(spec)

    @contextmanager
    def _scratch(self, name: str, *, has_tls: bool = False) -> Iterator[Peer]:
        with self._scratch_directory() as scratch:
            peer = make_peer(name, scratch, has_tls=has_tls)
            try:
                peer.prepare()
                yield peer
            finally:
                peer.stop()

    @contextmanager
    def _scratch_directory(self) -> Iterator[Path]:
        scratch = Path(tempfile.mkdtemp(prefix="riacho-bench-", dir=self._directory))
        try:
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _add(self, name: str, figure: Figure, value: float) -> None:
        if figure.group in self._groups:
            self._say(f"{time.strftime('%H:%M:%S')} {name}: {figure.name}: {value:,.2f} {figure.unit}")
            self.samples.add(name, figure, value)

    def _fail(self, name: str, error: Exception) -> None:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        self._say(f"{name}: failed: {error}")
        self.samples.failures.append(f"{name}: {lines[0]} {lines[-1]}" if len(lines) > 1 else f"{name}: {lines[0]}")


def run_client(spec: dict[str, Any]) -> dict[str, float]:
    """Run one load in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load", json.dumps(spec)],
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
