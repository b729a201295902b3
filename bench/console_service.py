"""The control center under measure: `riacho console` in a process of its own, and calls of its API."""

from __future__ import annotations

import atexit
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from bench.peers import broker_environment
from bench.processes import cpu_seconds, memory
from support.ports import free_port

CLUSTER = "/api/v1/clusters/default"
_START_TIMEOUT_S = 60
_STOP_S = 30
_ASK_TIMEOUT_S = 120
_POLL_S = 0.005


class ConsoleService:
    """Up when it is made. `first_answer_s` is from spawning it until its page was answered with 200."""

    def __init__(self, broker_port: int, metrics_port: int | None, directory: Path) -> None:
        self.port = free_port()
        directory.mkdir(parents=True, exist_ok=True)
        properties = {
            "bootstrap.servers": f"127.0.0.1:{broker_port}",
            "listeners": f"http://127.0.0.1:{self.port}",
            "riacho.console.dir": str(directory / "kept"),
            # All who follow are one here.
            "riacho.console.follows.each.max": "1000",
        }
        if metrics_port is not None:
            properties["metrics.url"] = f"http://127.0.0.1:{metrics_port}"
        file = directory / "console.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        environment = broker_environment()
        started = time.perf_counter()
        with (directory / "console.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "riacho", "console", str(file)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
            )
        atexit.register(self._process.kill)
        self._log = directory / "console.log"
        self._wait(started + _START_TIMEOUT_S)
        self.first_answer_s = time.perf_counter() - started

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu_s(self) -> float:
        return cpu_seconds(self.pid)

    def rss_mb(self) -> float:
        return memory(self.pid).rss_bytes / 1e6

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=_ASK_TIMEOUT_S) as answer:
            return json.load(answer)

    def wait_for(self, *, topics: int, groups: int, timeout_s: float = 120) -> None:
        """Until a look has seen as many."""
        deadline = time.monotonic() + timeout_s
        for kind, wanted in (("topics", topics), ("groups", groups)):
            while self._total(kind) < wanted:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the console has not seen {wanted} {kind}")
                time.sleep(0.2)

    def _total(self, kind: str) -> int:
        try:
            return int(self.get(f"{CLUSTER}/{kind}?page_size=1")["total"])
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            return -1  # nothing was seen yet

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        atexit.unregister(self._process.kill)

    def _wait(self, deadline: float) -> None:
        while not _is_answered(self.port):
            if self._process.poll() is not None or time.perf_counter() > deadline:
                self._process.kill()
                raise RuntimeError(f"the console did not start: {self._log.read_text(errors='replace')[-2_000:]}")
            time.sleep(_POLL_S)


def _is_answered(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return connection.recv(12)[8:] == b" 200"
    except OSError:
        return False
