"""The control center measured: a small cluster first, then many topics and groups, then many messages."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.console_answers import ANSWERS
from bench.console_others import others
from bench.console_plan import (
    ANSWER_GOAL_MS,
    CLIENT_GOAL_KB,
    CODECS,
    FRAME_GOAL_MS,
    GOAL,
    GROUP,
    MEMORY_GOAL_MB,
    PARTS,
    SEARCH_GOAL_S,
    SEARCHED_PARTITIONS,
    START_GOAL_S,
    Scale,
)
from bench.console_service import CLUSTER, ConsoleService
from bench.console_streams import followers
from bench.console_world import fill_groups, fill_messages, fill_topics, topic_name
from bench.peers import RIACHO, Peer
from bench.plan import Figure
from bench.process_tree import others_busy_s
from bench.processes import cpu_seconds
from bench.services import load, printed

Add = Callable[[str, Figure, float], None]
Fail = Callable[[str, Exception], None]
_FEW_TOPICS, _FEW_GROUPS = 10, 5
_PROBE_RATE = 200
_SCROLL_TIMEOUT_S = 900


class ConsoleRun:
    """`broker` is up already. `add` takes a sample, `fail` what went wrong."""

    def __init__(self, broker: Peer, directory: Path, scale: Scale, add: Add, fail: Fail) -> None:
        self._broker, self._directory, self._scale = broker, directory, scale
        self._add, self._fail = add, fail
        self._consoles = 0

    def execute(self, *, has_browser: bool, parts: Collection[str] = PARTS) -> None:
        """`parts`: those of PARTS that are measured."""
        scale, wanted = self._scale, set(parts)
        fill_topics(self._broker.port, _FEW_TOPICS)
        fill_groups(self._broker.port, _FEW_GROUPS, _FEW_TOPICS)
        for _ in range(scale.rounds if "few" in wanted else 0):
            self._measured(self._few)
        if wanted <= {"few"}:
            return
        fill_topics(self._broker.port, scale.topics, first=_FEW_TOPICS)
        fill_groups(self._broker.port, scale.groups, scale.topics, first=_FEW_GROUPS)
        if wanted & {"answers", "looking"}:
            with others(self._broker.port):
                for _ in range(scale.rounds):
                    self._measured(lambda: self._many(wanted))
        for _ in range(scale.rounds if "followers" in wanted else 0):
            for name, path in _STREAMS.items():
                self._measured(lambda name=name, path=path: self._followers(name, path))  # type: ignore[misc]
        if "search" in wanted:
            self._messages(has_browser=has_browser)

    def _messages(self, *, has_browser: bool) -> None:
        scale = self._scale
        for codec in CODECS:
            for partitions in SEARCHED_PARTITIONS:
                fill_messages(self._broker.port, _searched(codec, partitions), scale.messages, partitions, codec)
        for _ in range(scale.rounds):
            self._measured(self._search)
            if has_browser:
                self._measured(self._browse)

    # --- what is measured

    def _few(self) -> None:
        with self._console(_FEW_TOPICS, _FEW_GROUPS) as console:
            self._figure("start to the first page", "s", console.first_answer_s, START_GOAL_S)
            time.sleep(self._scale.idle_s)
            self._figure("memory, few topics and groups", "MB", console.rss_mb(), MEMORY_GOAL_MB)

    def _many(self, parts: Collection[str]) -> None:
        size = f"{self._scale.topics:,} topics, {self._scale.groups:,} groups"
        before = self._broker_answers() if "looking" in parts else {}
        with self._console(self._scale.topics, self._scale.groups) as console:
            time.sleep(self._scale.idle_s)
            self._figure(f"memory, {size}", "MB", console.rss_mb(), MEMORY_GOAL_MB)
            if "answers" in parts:
                self._answers(console)
            if "looking" in parts:
                self._looking(console, before)

    def _answers(self, console: ConsoleService) -> None:
        for name, (path, rate) in ANSWERS.items():
            cpu_s, seconds = console.cpu_s(), self._scale.answers_s
            told = load(console.port, "GET", path, connections=1, rate=rate, duration_s=seconds, warm_up_s=0.0)
            self._figure(f"{name}, p50", "ms", told["p50_ms"])
            self._figure(f"{name}, p99", "ms", told["p99_ms"], ANSWER_GOAL_MS)
            self._figure(name, "CPU ms", (console.cpu_s() - cpu_s) * 1000 / told["requests"])

    def _looking(self, console: ConsoleService, before: dict[str, float]) -> None:
        """What looks cost those who want something else."""
        console_s, broker_s, began = console.cpu_s(), cpu_seconds(self._broker.pid), time.perf_counter()
        health = load(console.port, "GET", "/health", connections=8, rate=_PROBE_RATE, duration_s=self._scale.looking_s)
        elapsed_s = time.perf_counter() - began
        self._figure("console while it looks: answers of /health, p99", "ms", health["p99_ms"], ANSWER_GOAL_MS)
        self._figure("console while it looks: answers of /health, longest", "ms", health["longest_ms"])
        self._figure("console while it looks: processor", "cores", (console.cpu_s() - console_s) / elapsed_s)
        self._figure(
            "broker while it is looked at: processor", "cores", (cpu_seconds(self._broker.pid) - broker_s) / elapsed_s
        )
        looked_at = self._broker_answers()
        for when, told in (("without a console", before), ("while it is looked at", looked_at)):
            self._figure(f"broker {when}: answers, p99", "ms", told["p99_ms"])
            self._figure(f"broker {when}: answers, longest", "ms", told["longest_ms"])

    def _broker_answers(self) -> dict[str, float]:
        wanted = {"port": self._broker.port, "rate": _PROBE_RATE, "duration_s": self._scale.looking_s}
        return printed("bench.console_probe", wanted)

    def _followers(self, name: str, path: str) -> None:
        count = self._scale.followers
        with self._console(self._scale.topics, self._scale.groups) as console:
            time.sleep(self._scale.idle_s)
            with followers(console.port, path, 20) as some:
                some.read(2.0)
            before_mb = console.rss_mb()
            with followers(console.port, path, count) as all_:
                all_.read(self._scale.idle_s / 3)
                self._figure(f"memory of {name}", "KB", (console.rss_mb() - before_mb) * 1000 / count, CLIENT_GOAL_KB)

    def _search(self) -> None:
        with self._console(self._scale.topics, self._scale.groups) as console:
            for codec, shown in CODECS.items():
                for partitions in SEARCHED_PARTITIONS:
                    for origin, number in (("newest", 0), ("oldest", self._scale.messages - 1)):
                        cpu_s = console.cpu_s()
                        seconds = search_s(console, _searched(codec, partitions), origin, number, self._scale.messages)
                        where = f"{shown}, partitions: {partitions}, {origin} first"
                        self._figure(f"one key of {self._scale.messages:,}: {where}", "s", seconds, SEARCH_GOAL_S)
                        self._figure(f"one key of {self._scale.messages:,}: {where}", "CPU s", console.cpu_s() - cpu_s)

    def _browse(self) -> None:
        with self._console(self._scale.topics, self._scale.groups) as console:
            wanted = {
                "url": console.url,
                "topic": _searched("none", 6),
                "rows": min(self._scale.rows, self._scale.messages),
                "key": "key-00000000",
                "duration_s": self._scale.scroll_s,
            }
            told = printed("bench.console_scroll", wanted, timeout_s=_SCROLL_TIMEOUT_S)
        shown = f"{int(told['rows']):,} rows"
        self._figure("page: one key, until its row is there", "s", told["found_s"], SEARCH_GOAL_S)
        self._figure(f"page: loading {shown}", "s", told["loaded_s"])
        self._figure("frames of a page that stands still, p95", "ms", told["still_p95_ms"])
        self._figure(f"scrolling {shown}: frames, p50", "ms", told["frame_p50_ms"], FRAME_GOAL_MS)
        self._figure(f"scrolling {shown}: frames, p95", "ms", told["frame_p95_ms"], FRAME_GOAL_MS)
        self._figure(f"scrolling {shown}: frames within 25 ms", "%", told["on_time_percent"])
        self._figure(f"scrolling {shown}: frames with a hole", "% lost", told["holes_percent"])
        self._figure(f"scrolling {shown}: main thread, a frame", "ms", told["main_thread_ms_a_frame"], FRAME_GOAL_MS)
        self._figure(f"scrolling {shown}: processor time, a turn of the wheel", "ms", told["processor_ms_a_wheel"])

    # --- how

    def _figure(self, name: str, unit: str, value: float, goal: float | None = None) -> None:
        figure = Figure(GROUP, name, unit)
        self._add(RIACHO, figure, value)
        if goal is not None:
            self._add(GOAL, figure, goal)

    def _measured(self, work: Callable[[], None]) -> None:
        began_load, others, started = os.getloadavg()[0], others_busy_s(), time.perf_counter()
        try:
            work()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            self._fail(RIACHO, error)
        others = max(others_busy_s() - others, 0.0) / (time.perf_counter() - started)
        self._figure("load average before a measurement", "load", began_load)
        self._figure("used by others during a measurement", "cores", others)

    @contextmanager
    def _console(self, topics: int, groups: int) -> Iterator[ConsoleService]:
        self._consoles += 1
        metrics_port = getattr(self._broker, "metrics_port", None)
        console = ConsoleService(self._broker.port, metrics_port, self._directory / f"console-{self._consoles}")
        try:
            console.wait_for(topics=topics, groups=groups)
            yield console
        finally:
            console.stop()


_STREAMS = {
    "a page that follows figures": f"{CLUSTER}/events",
    "a page that follows a topic of one partition": (
        f"{CLUSTER}/topics/{topic_name(1)}/messages?{urllib.parse.urlencode({'follow': 'true', 'limit': 0})}"
    ),
}


def _searched(codec: str, partitions: int) -> str:
    return f"messages.{codec}.{partitions}"


def search_s(console: ConsoleService, topic: str, origin: str, number: int, messages: int) -> float:
    """Until the answer has ended; RuntimeError unless it has that message alone, and all were looked at."""
    key = f"key-{number:08}"
    query = urllib.parse.urlencode({"from": origin, "key": key, "limit": 2})
    started = time.perf_counter()
    with urllib.request.urlopen(f"{console.url}{CLUSTER}/topics/{topic}/messages?{query}", timeout=120) as answer:
        told = answer.read().decode()
    elapsed_s = time.perf_counter() - started
    if told.count("event: message") != 1 or key not in told or f'"scanned":{messages}' not in told:
        raise RuntimeError(f"the search of {topic} found something else: {told[-300:]}")
    return elapsed_s
