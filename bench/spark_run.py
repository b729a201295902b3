"""Spark's source and sink measured: ours beside the official connector, sessions side by side, turn by turn.

Where the jars of the official connector cannot be had, ours is measured alone and the run says so.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from bench.peers import RIACHO, Peer
from bench.plan import Figure
from bench.process_tree import machine_busy_s, spark_memory_mb, tree_cpu_s
from bench.processes import cpu_seconds
from bench.requests import Admin, fetch, read_fetched
from bench.services import Service
from bench.spark_plan import BOTH, GROUP, OFFICIAL, PARTITIONS, Case, Scale, cases
from bench.spark_session import Session
from bench.spark_topics import fill, source_topic, trickle
from bench.summary import Samples
from support.official_connector import connector_jars, missing

TRICKLE, TRICKLE_OUT = "trickle", "trickle-out"
RATE = "rows/s"

Add = Callable[[str, Figure, float], None]
Fail = Callable[[str, Exception], None]
Say = Callable[[str], None]


class SparkRun:
    """`broker` is up already. `add` takes a sample, `fail` what went wrong with a connector; `samples` has them all."""

    def __init__(
        self, broker: Peer, directory: Path, scale: Scale, add: Add, fail: Fail, say: Say, samples: Samples
    ) -> None:
        self._broker, self._directory, self._scale = broker, directory, scale
        self._add, self._fail, self._say, self._samples = add, fail, say, samples
        self._bootstrap = f"127.0.0.1:{broker.port}"
        self._cases = [case for case in cases() if case.quick or not scale.quick]
        self._rows: dict[str, int] = {}
        self._written = 0
        self._registry = ""

    def execute(self) -> None:
        jars = {RIACHO: list[Path](), OFFICIAL: connector_jars()}
        reason = missing()
        if reason is not None:
            del jars[OFFICIAL]
            self._say(f"{OFFICIAL} is left out, {RIACHO} is measured alone: {reason}")
        with Admin(self._broker.port) as admin:
            for size, rows in self._scale.rows.items():
                self._rows[size] = fill(admin, size, rows)
            admin.create_topic(TRICKLE, 1)
            admin.create_topic(TRICKLE_OUT, 1)
        registry = Service("riacho.schema_registry.run", {"kafkastore.bootstrap.servers": self._bootstrap})
        self._registry = f"http://127.0.0.1:{registry.port}"
        try:
            for cores in (2, 1):
                with ExitStack() as stack:
                    self._sessions(cores, jars, stack)
        finally:
            registry.stop()
        self._scaling(list(jars))

    def _sessions(self, cores: int, jars: dict[str, list[Path]], stack: ExitStack) -> None:
        chosen = [case for case in self._cases if cores in case.cores]
        sessions: dict[str, Session] = {}
        for name, paths in jars.items():
            try:
                label = "riacho" if name == RIACHO else "official"
                sessions[name] = Session(label, cores, paths, self._directory)
                stack.callback(sessions[name].stop)
                self._check_counts(sessions[name])
            except (RuntimeError, OSError) as error:
                self._fail(name, error)
                sessions.pop(name, None)
        for number in range(-1, self._scale.rounds):  # the first is the warm-up
            for case in chosen:
                if number >= 0 or case.kind != "latency":  # which has a warm-up of its own
                    self._turn(case, cores, sessions, number)

    def _check_counts(self, session: Session) -> None:
        """Also what loads most of the connector's code for the first time."""
        for size, rows in self._rows.items():
            seen = session.run("count", {"bootstrap": self._bootstrap, "topic": source_topic(size)})["rows"]
            if seen != rows:
                raise RuntimeError(f"{session.name} read {seen:,} rows of the {rows:,} of {source_topic(size)}")

    def _turn(self, case: Case, cores: int, sessions: dict[str, Session], number: int) -> None:
        names = [name for name in sessions if name == RIACHO or case.connectors == BOTH]
        for name in names if number % 2 == 0 else names[::-1]:
            try:
                self._measure(case, cores, name, sessions[name], is_warm_up=number < 0)
            except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                self._fail(name, RuntimeError(f"{case.name}: {error}"))

    def _measure(self, case: Case, cores: int, name: str, session: Session, *, is_warm_up: bool) -> None:
        load = os.getloadavg()[0]
        own, others = self._own_cpu_s(session), machine_busy_s()
        cpu_s, started = tree_cpu_s(session.pid), time.perf_counter()
        figures = self._job(case, session)
        elapsed_s, cpu_s = time.perf_counter() - started, tree_cpu_s(session.pid) - cpu_s
        others = machine_busy_s() - others - (self._own_cpu_s(session) - own)
        if is_warm_up:
            return
        label = f"local[{cores}]: {case.name}"
        if "rows" in figures:
            rate = figures["rows"] / figures["seconds"]
            self._add(name, Figure(GROUP, label, RATE), rate)
            self._add(name, Figure(GROUP, label, "CPU s/M rows"), cpu_s / figures["rows"] * 1e6)
        if case.kind == "source_stream" and "start_s" in figures:
            self._add(
                name, Figure(GROUP, f"local[{cores}]: starting and ending a streaming query", "s"), figures["start_s"]
            )
        for part in ("p50_ms", "p99_ms"):
            if part in figures:
                self._add(name, Figure(GROUP, f"{label}, {part[:3]}", "ms"), figures[part])
        if case.shows_memory:
            for part, megabytes in spark_memory_mb(session.pid).items():
                self._add(name, Figure(GROUP, f"local[{cores}]: memory, {part}", "MB"), megabytes)
        self._add(name, Figure(GROUP, "load average before a run", "load"), load)
        self._add(name, Figure(GROUP, "used by others during a run", "cores"), max(others, 0.0) / elapsed_s)
        self._borrow(case, cores, name)

    def _borrow(self, case: Case, cores: int, name: str) -> None:
        """The official connector has no such case: it stands there with the nearest that it has, of this round."""
        if case.beside is None:
            return
        for unit in (RATE, "CPU s/M rows"):
            seen = self._samples.values.get((OFFICIAL, Figure(GROUP, f"local[{cores}]: {case.beside}", unit)))
            if seen:
                self._add(OFFICIAL, Figure(GROUP, f"local[{cores}]: {case.name}", unit), seen[-1])

    def _job(self, case: Case, session: Session) -> dict[str, float]:
        wanted = {**case.parameters, "bootstrap": self._bootstrap, "size": case.size, "rows": self._rows[case.size]}
        if case.kind == "latency":
            wanted |= {"topic": TRICKLE, "topic_out": TRICKLE_OUT}
            wanted |= {"batches": self._scale.latency_batches, "warm_up": self._scale.latency_warm_up}
            with trickle(self._bootstrap, TRICKLE):
                return session.run(case.kind, wanted)
        if case.kind.startswith("format"):
            return session.run(case.kind, wanted | {"registry": self._registry, "rows": self._scale.format_rows})
        if not case.kind.startswith("sink"):
            return session.run(case.kind, wanted | {"topic": source_topic(case.size)})
        self._written += 1
        topic = f"written-{self._written}"
        with Admin(self._broker.port) as admin:
            admin.create_topic(topic, PARTITIONS)
        try:
            figures = session.run(case.kind, wanted | {"topic_out": topic})
            self._check_written(topic, self._rows[case.size])
            return figures
        finally:
            with Admin(self._broker.port) as admin:
                admin.delete_topic(topic)

    def _check_written(self, topic: str, rows: int) -> None:
        """Ends of transactions have offsets, too: there may be more."""
        with Admin(self._broker.port) as admin:
            asked = (admin.ask(fetch(topic, place, 0, max_wait_ms=0, size_bytes_max=1)) for place in range(PARTITIONS))
            written = sum(read_fetched(memoryview(answer), topic).high_watermark for answer in asked)
        if written < rows:
            raise RuntimeError(f"{written:,} of {rows:,} rows were written")

    def _own_cpu_s(self, session: Session) -> float:
        return tree_cpu_s(session.pid) + cpu_seconds(self._broker.pid) + cpu_seconds(os.getpid())

    def _scaling(self, names: list[str]) -> None:
        """What a second core brings, of the medians."""
        for case in self._cases:
            if 1 in case.cores and case.kind != "latency":
                for name in names:
                    two, one = (
                        self._samples.spread(name, Figure(GROUP, f"local[{cores}]: {case.name}", RATE))
                        for cores in (2, 1)
                    )
                    if two is not None and one is not None:
                        figure = Figure(GROUP, f"local[2] over local[1]: {case.name}", "x")
                        self._add(name, figure, two.median / one.median)
