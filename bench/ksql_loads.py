"""The loads on a warm KSQL server and on the same jobs by hand: backlogs, rows end to end, pull queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from confluent_kafka import Producer

from bench.ksql_plan import (
    GROUP,
    LATENCY_RATE,
    PARTITIONS,
    PULL_CONNECTIONS,
    PULL_RATE,
    Scale,
    aggregating,
    stateless,
    stream_of,
)
from bench.ksql_server import EARLIEST, KsqlService
from bench.ksql_topics import Results, batches, key_of, value_of, write
from bench.plan import Figure
from bench.process_tree import tree_cpu_s
from bench.requests import Admin
from bench.services import printed
from bench.spark_session import Session

_WRITES_S = 0.01


class Load(Protocol):
    def __call__(self, name: str, *, is_warm_up: bool) -> None: ...


class Runs(Protocol):
    """What runs the three queries: statements of a server, or jobs of a session."""

    label: str

    def start(self, what: str, topic: str, topic_out: str) -> None: ...
    def cpu_s(self) -> float: ...


class Statements:
    label = "ksql"

    def __init__(self, server: KsqlService) -> None:
        self.server = server

    def start(self, what: str, topic: str, topic_out: str) -> None:
        source, result = name_of(topic), name_of(topic_out)
        self.server.execute(stream_of(source, topic))
        made = aggregating if what == "aggregating" else stateless
        self.server.execute(made(result, source, topic_out), EARLIEST)

    def cpu_s(self) -> float:
        return self.server.runner_cpu_s()


class Job:
    label = "job"

    def __init__(self, session: Session, bootstrap: str) -> None:
        self.session, self._bootstrap = session, bootstrap

    def start(self, what: str, topic: str, topic_out: str) -> None:
        wanted = {"name": name_of(topic_out), "what": what, "topic": topic, "topic_out": topic_out}
        self.session.run("job_start", wanted | {"bootstrap": self._bootstrap})

    def cpu_s(self) -> float:
        return tree_cpu_s(self.session.pid)


class Loads:
    def __init__(self, port: int, scale: Scale, add: Callable[[str, Figure, float], None]) -> None:
        self._port, self._scale, self._add = port, scale, add
        self._bootstrap = f"127.0.0.1:{port}"
        self._runs: dict[str, Runs] = {}
        self._flat, self._keyed = batches(scale.rows), batches(scale.keys)
        # The others have warm-ups of their own.
        self.warming: tuple[Load, ...] = (self._stateless, self._aggregating)
        self.all: tuple[Load, ...] = (*self.warming, self._end_to_end, self._pull)

    @property
    def opened(self) -> list[str]:
        return list(self._runs)

    def has(self, name: str, load: Load) -> bool:
        """A job by hand answers no queries."""
        return load != self._pull or isinstance(self._runs[name], Statements)

    def open(self, name: str, runs: Runs) -> None:
        """The queries are started, and have written their first rows; of the aggregation, every key."""
        for what, first in (("stateless", self._flat[:1]), ("aggregating", self._keyed), ("trickling", self._flat[:1])):
            topic, out = self._topics(runs, what)
            with Admin(self._port) as admin:
                admin.create_topic(topic, PARTITIONS)
                admin.create_topic(out, PARTITIONS)
                write(admin, topic, first)
            results = Results(self._bootstrap, out)
            runs.start("aggregating" if what == "aggregating" else "stateless", topic, out)
            results.wait_for(self._scale.keys if what == "aggregating" else 1)
            results.close()
        self._runs[name] = runs

    @staticmethod
    def _topics(runs: Runs, what: str) -> tuple[str, str]:
        return f"{runs.label}-{what}", f"{runs.label}-{what}-out"

    def _stateless(self, name: str, *, is_warm_up: bool) -> None:
        self._backlog(name, "stateless", self._flat, self._scale.rows, "rows", is_warm_up)

    def _aggregating(self, name: str, *, is_warm_up: bool) -> None:
        self._backlog(name, "aggregating", self._keyed, self._scale.keys, "keys", is_warm_up)

    def _backlog(
        self, name: str, what: str, made: list[tuple[int, bytes]], count: int, unit: str, is_warm_up: bool
    ) -> None:
        runs = self._runs[name]
        topic, out = self._topics(runs, what)
        results = Results(self._bootstrap, out)
        server = runs.server if isinstance(runs, Statements) else None
        try:
            cpu_s, own_cpu_s = runs.cpu_s(), server.own_cpu_s() if server else 0.0
            with Admin(self._port) as admin:
                write(admin, topic, made)
            results.wait_for(count)
            cpu_s = runs.cpu_s() - cpu_s
        finally:
            results.close()
        if is_warm_up:
            return
        self._add(name, Figure(GROUP, f"{what} statement, Spark", f"CPU s/M {unit}"), cpu_s / count * 1e6)
        if server is not None and what == "aggregating":
            own = (server.own_cpu_s() - own_cpu_s) / count * 1e6
            self._add(name, Figure(GROUP, f"{what} statement, the server itself", f"CPU s/M {unit}"), own)

    def _end_to_end(self, name: str, *, is_warm_up: bool) -> None:
        runs = self._runs[name]
        topic, out = self._topics(runs, "trickling")
        self._rows(name, "produce to result's topic, stateless statement", {"topic": topic, "topic_out": out})
        if isinstance(runs, Statements):
            source, port = name_of(topic), runs.server.port
            tailed = {"topic": topic, "port": port, "sql": f"SELECT id FROM {source} WHERE cents >= 0 EMIT CHANGES;"}
            self._rows(name, "produce to row over HTTP, push query that is tailed", tailed)
            on_spark = tailed | {"sql": f"SELECT id, UCASE(kind) AS kind FROM {source} WHERE cents >= 0 EMIT CHANGES;"}
            self._rows(name, "produce to row over HTTP, push query on Spark", on_spark)

    def _rows(self, name: str, label: str, wanted: dict[str, Any]) -> None:
        scale = self._scale
        timing = {"rate": LATENCY_RATE, "warm_up_s": scale.latency_warm_up_s, "duration_s": scale.latency_s}
        figures = printed("bench.ksql_latency", wanted | timing | {"bootstrap": self._bootstrap})
        self._percentiles(name, label, figures)

    def _pull(self, name: str, *, is_warm_up: bool) -> None:
        runs = self._runs[name]
        assert isinstance(runs, Statements)
        topic, out = self._topics(runs, "aggregating")
        wanted = {
            "port": runs.server.port,
            "sql": f"SELECT * FROM {name_of(out)} WHERE account = '{{key}}';",
            "keys": min(1_000, self._scale.keys),
            "connections": PULL_CONNECTIONS,
            "rate": PULL_RATE,
            "warm_up_s": self._scale.pull_warm_up_s,
            "duration_s": self._scale.pull_s,
        }
        with self._writing(topic):
            figures = printed("bench.ksql_pull", wanted)
        self._percentiles(name, f"pull by key over HTTP, {PULL_RATE} a second, table changing", figures)

    def _percentiles(self, name: str, label: str, figures: dict[str, float]) -> None:
        for part in ("p50", "p99"):
            self._add(name, Figure(GROUP, f"{label}, {part}", "ms"), figures[f"{part}_ms"])

    @contextmanager
    def _writing(self, topic: str) -> Iterator[None]:
        """A hundred records a second for the keys that are asked for."""
        producer = Producer({"bootstrap.servers": self._bootstrap, "linger.ms": 0})
        is_over = threading.Event()

        def send() -> None:
            number = 0
            while not is_over.wait(_WRITES_S):
                producer.produce(topic, value_of(number), key_of(number % 1_000).encode())
                producer.poll(0)
                number += 1

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
            producer.flush(30)


def name_of(topic: str) -> str:
    return topic.replace("-", "_").upper()
