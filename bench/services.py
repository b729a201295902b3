"""The HTTP services under measure: a process each, its readiness, its memory, and loads against it.

Every figure is a ratio of two taken in the same run, one after the other and round by round, on the machine's own
cores: the service and the peer are slowed down by the same neighbours.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bench.peers import environment
from bench.processes import cpu_seconds, memory
from support.ports import free_port

_LOAD_TIMEOUT_S = 180
_START = "import json,sys; from {module} import run; sys.exit(run(json.loads(sys.argv[1]), {ready}))"
_READY = "lambda addresses: print('ready', flush=True)"


class Service:
    """`run(properties, on_ready)` of a module in a process, with a port of its own; ready when it says so."""

    def __init__(self, module: str, properties: Mapping[str, str]) -> None:
        self.port = free_port()
        wanted = {"listeners": f"http://127.0.0.1:{self.port}", **properties}
        code = _START.format(module=module, ready=_READY)
        started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, json.dumps(wanted)], stdout=subprocess.PIPE, env=environment()
        )
        atexit.register(self._process.kill)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"{module} did not start")
        self.ready_s = time.perf_counter() - started

    def cpu_s(self) -> float:
        return cpu_seconds(self._process.pid)

    def rss_mb(self) -> float:
        return memory(self._process.pid).rss_bytes / 1e6

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


def load(
    port: int,
    method: str,
    path: str,
    *,
    body: str = "",
    headers: Mapping[str, str] | None = None,
    connections: int = 8,
    rate: float | None = None,
    duration_s: float = 3.0,
    warm_up_s: float = 0.5,
) -> dict[str, float]:
    """Figures of `bench.http_load`, in a process of its own."""
    wanted = {
        "port": port,
        "method": method,
        "path": path,
        "body": body,
        "headers": dict(headers or {}),
        "connections": connections,
        "rate": rate,
        "duration_s": duration_s,
        "warm_up_s": warm_up_s,
    }
    return printed("bench.http_load", wanted)


def printed(module: str, wanted: Mapping[str, Any], timeout_s: float = _LOAD_TIMEOUT_S) -> dict[str, float]:
    """What a module prints as JSON when it is run with its wishes as JSON."""
    argv = [sys.executable, "-m", module, json.dumps(wanted)]
    answer = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=timeout_s)
    if answer.returncode != 0:
        raise RuntimeError(f"{module} failed: {answer.stderr[-2_000:]}")
    figures: dict[str, float] = json.loads(answer.stdout)
    return figures


@dataclass(slots=True)
class Comparison:
    """Rounds of the service's figure and of the peer's; the ratio is that of each round, in the middle."""

    name: str
    wanted: float
    service: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)

    def measure(self, service: Callable[[], float], peer: Callable[[], float], *, is_service_first: bool) -> None:
        for is_service in (is_service_first, not is_service_first):
            (self.service if is_service else self.peer).append((service if is_service else peer)())

    @property
    def ratio(self) -> float:
        return median(own / other for own, other in zip(self.service, self.peer, strict=True))

    def line(self) -> str:
        verdict = "reached" if self.ratio >= self.wanted else "MISSED"
        return (
            f"{self.name:<44} {median(self.service):>10,.0f} /s   peer {median(self.peer):>10,.0f} /s   "
            f"ratio {self.ratio:.2f} (wanted {self.wanted:.2f}: {verdict})"
        )


def limit_line(name: str, value: float, unit: str, limit: float) -> str:
    verdict = "reached" if value <= limit else "MISSED"
    return f"{name:<44} {value:>10.2f} {unit:<4} (wanted at most {limit:g}: {verdict})"
