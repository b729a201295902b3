"""KSQL measured: fresh starts first (statement to first row, memory), then loads on a server and a job that are warm.

The job by hand runs in a session of Spark's own, up beside the server; every load goes to one and right after to the
other, in an order that changes from round to round. Where the jars of Spark's connector cannot be had, KSQL is measured
alone and the run says so.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.ksql_loads import Job, Loads, Statements
from bench.ksql_plan import BESIDE, CORES, GROUP, PARTITIONS, Scale, stateless, stream_of
from bench.ksql_server import EARLIEST, KsqlService, pss_mb
from bench.ksql_topics import Results, batches, write
from bench.peers import RIACHO, Peer
from bench.plan import Figure
from bench.process_tree import others_busy_s
from bench.requests import Admin
from bench.spark_session import Session
from support.official_connector import connector_jars, missing

Add = Callable[[str, Figure, float], None]
Fail = Callable[[str, Exception], None]
Say = Callable[[str], None]
_BEFORE = "before"
_BEFORE_ROWS = 40


class KsqlRun:
    """`broker` is up already. `add` takes a sample, `fail` what went wrong."""

    def __init__(self, broker: Peer, directory: Path, scale: Scale, add: Add, fail: Fail, say: Say) -> None:
        self._broker, self._directory, self._scale = broker, directory, scale
        self._add, self._fail, self._say = add, fail, say
        self._bootstrap = f"127.0.0.1:{broker.port}"
        self._results = 0

    def execute(self) -> None:
        names = [RIACHO]
        reason = missing()
        if reason is None:
            names.append(BESIDE)
        else:
            self._say(f"{BESIDE} is left out, KSQL is measured alone: {reason}")
        with Admin(self._broker.port) as admin:
            admin.create_topic(_BEFORE, PARTITIONS)
            write(admin, _BEFORE, batches(_BEFORE_ROWS))
        lives = {RIACHO: self._server_life, BESIDE: self._job_life}
        for number in range(self._scale.rounds):
            for name in names if number % 2 == 0 else names[::-1]:
                self._measured(name, partial(lives[name], number))
        self._run_loads(names)

    def _measured(self, name: str, work: Callable[[], None]) -> None:
        load, others, started = os.getloadavg()[0], others_busy_s(), time.perf_counter()
        self._tried(name, work)
        others = max(others_busy_s() - others, 0.0) / (time.perf_counter() - started)
        self._add(name, Figure(GROUP, "load average before a measurement", "load"), load)
        self._add(name, Figure(GROUP, "used by others during a measurement", "cores"), others)

    def _tried(self, name: str, work: Callable[[], None]) -> None:
        try:
            work()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            self._fail(name, error)

    def _server_life(self, number: int) -> None:
        server = KsqlService(self._bootstrap, self._directory, f"life{number}")
        try:
            server.execute(stream_of("BEFORE", _BEFORE))

            def ask(place: int, topic: str) -> None:
                server.execute(stateless(f"R{place}", "BEFORE", topic), EARLIEST)

            self._life(RIACHO, ask, server.memory_mb)
        finally:
            server.stop()

    def _job_life(self, number: int) -> None:
        sessions: list[Session] = []

        def ask(place: int, topic: str) -> None:
            if not sessions:
                sessions.append(self._session(f"life{number}"))
            start = {"name": f"r{place}", "what": "stateless", "topic": _BEFORE, "topic_out": topic}
            sessions[0].run("job_start", start | {"bootstrap": self._bootstrap})

        try:
            self._life(BESIDE, ask, lambda: {"all processes": pss_mb(sessions[0].pid)})
        finally:
            for session in sessions:
                session.stop()

    def _life(self, name: str, ask: Callable[[int, str], None], memory_mb: Callable[[], dict[str, float]]) -> None:
        for place in range(1, self._scale.statements + 1):
            self._results += 1
            topic = f"result-{self._results}"
            with Admin(self._broker.port) as admin:
                admin.create_topic(topic, PARTITIONS)
            results = Results(self._bootstrap, topic)
            try:
                started = time.perf_counter()
                ask(place, topic)
                results.wait_for(1)
                seconds = time.perf_counter() - started
                how = "cold" if place == 1 else "warm"
                self._add(name, Figure(GROUP, f"statement to first row, Spark {how}", "s"), seconds)
                results.wait_for(_BEFORE_ROWS)
            finally:
                results.close()
            if place in (1, self._scale.statements):
                count = "1 statement" if place == 1 else f"{place} statements"
                for part, megabytes in memory_mb().items():
                    self._add(name, Figure(GROUP, f"memory with {count}, {part}, PSS", "MB"), megabytes)

    def _session(self, name: str) -> Session:
        return Session("official", CORES, connector_jars(), self._directory / name)

    def _run_loads(self, names: list[str]) -> None:
        with ExitStack() as stack:
            loads = Loads(self._broker.port, self._scale, self._add)

            def begin(name: str) -> None:
                if name == RIACHO:
                    server = KsqlService(self._bootstrap, self._directory, "loads")
                    stack.callback(server.stop)
                    loads.open(name, Statements(server))
                else:
                    session = self._session("loads")
                    stack.callback(session.stop)
                    loads.open(name, Job(session, self._bootstrap))

            for name in names:
                self._tried(name, partial(begin, name))
            for number in range(-self._scale.warm_ups, self._scale.rounds):
                for load in loads.warming if number < 0 else loads.all:
                    for name in loads.opened if number % 2 == 0 else loads.opened[::-1]:
                        if loads.has(name, load):
                            how = self._tried if number < 0 else self._measured
                            how(name, partial(load, name, is_warm_up=number < 0))
