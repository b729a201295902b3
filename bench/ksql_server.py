"""The KSQL server under measure: a process of its own, the runner below it, and statements asked of it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.ksql_plan import CORES, TRIGGER_MS
from bench.process_tree import tree
from bench.processes import cpu_seconds, memory
from bench.services import Service

_MODULE = "riacho.pipelines.sql.run"
_ASK_TIMEOUT_S = 120
_STOP_S = 60
EARLIEST = {"auto.offset.reset": "earliest"}


class KsqlService(Service):
    def __init__(self, bootstrap: str, directory: Path, name: str) -> None:
        super().__init__(
            _MODULE,
            {
                "bootstrap.servers": bootstrap,
                "ksql.service.id": f"{name}_",
                "ksql.state.dir": str(directory / name),
                "spark.master": f"local[{CORES}]",
                "riacho.ksql.trigger.ms": str(TRIGGER_MS),
            },
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def execute(self, text: str, properties: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """RuntimeError with what the server says."""
        body = json.dumps({"ksql": text, "streamsProperties": dict(properties or {})}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/ksql", body, {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_ASK_TIMEOUT_S) as answer:
                found: list[dict[str, Any]] = json.load(answer)
                return found
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"'{text}' was refused: {error.read().decode(errors='replace')[:500]}") from None

    def runner_cpu_s(self) -> float:
        """Of all that the server started: Spark's driver, its JVM, its workers."""
        return sum(process.cpu_s for process in tree(self.pid)[1:])

    def own_cpu_s(self) -> float:
        return cpu_seconds(self.pid)

    def memory_mb(self) -> dict[str, float]:
        """PSS: forked workers share pages, which it counts once."""
        server = memory(self.pid).pss_bytes / 1e6
        return {"all processes": pss_mb(self.pid), "the server alone": server}

    def stop(self) -> None:
        started = [process.pid for process in tree(self.pid)]
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        deadline = time.monotonic() + _STOP_S
        while any(Path(f"/proc/{pid}").exists() for pid in started) and time.monotonic() < deadline:
            time.sleep(0.1)


def pss_mb(root: int) -> float:
    whole = 0.0
    for process in tree(root):
        with contextlib.suppress(OSError, KeyError):
            whole += memory(process.pid).pss_bytes / 1e6
    return whole
