"""The schema registry's reads against an empty route of the same framework: `python -m bench.schema_registry`.

A schema by its id, by its version and the latest, read again and again by a few callers over kept connections; the peer
is a service of one route that answers `{}`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import urllib.request
from pathlib import Path

from bench.peers import Riacho
from bench.processes import contention
from bench.services import Comparison, Service, limit_line, load

_TYPE = "application/vnd.schemaregistry.v1+json"
_FIELDS = [{"name": f"field_{number}", "type": ["null", "string"], "default": None} for number in range(10)]
_SCHEMA = json.dumps({"type": "record", "name": "Order", "namespace": "bench", "fields": _FIELDS})


class Bench:
    def __init__(self, directory: Path, duration_s: float) -> None:
        self._duration_s = duration_s
        self._broker = Riacho(directory)
        bootstrap = self._broker.start()
        self._registry = Service("riacho.schema_registry.run", {"kafkastore.bootstrap.servers": bootstrap})
        self.ready_s, self.idle_mb = self._registry.ready_s, self._registry.rss_mb()
        self._empty = Service("bench.empty_service", {})
        schema_id = self._register()
        self._paths = {
            "schema by id": f"/schemas/ids/{schema_id}",
            "schema by version": "/subjects/orders-value/versions/1",
            "latest schema": "/subjects/orders-value/versions/latest",
        }
        self.reads = {name: Comparison(f"reads of a {name}", 0.5) for name in self._paths}

    def close(self) -> None:
        self._empty.stop()
        self._registry.stop()
        self._broker.stop()

    def _register(self) -> int:
        url = f"http://127.0.0.1:{self._registry.port}/subjects/orders-value/versions"
        body = json.dumps({"schema": _SCHEMA}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": _TYPE})
        with urllib.request.urlopen(request, timeout=60) as answer:
            schema_id: int = json.load(answer)["id"]
        return schema_id

    def round(self, number: int) -> None:
        for name, path in self._paths.items():
            self.reads[name].measure(
                lambda path=path: self._rate(self._registry, path),
                lambda: self._rate(self._empty, "/empty"),
                is_service_first=number % 2 == 0,
            )

    def _rate(self, service: Service, path: str) -> float:
        done = load(service.port, "GET", path, headers={"accept": "*/*"}, duration_s=self._duration_s)
        return done["requests"] / done["elapsed_s"]

    def p99_at_half_load_ms(self) -> float:
        path = self._paths["schema by id"]
        rate = self._rate(self._registry, path) / 2
        return load(self._registry.port, "GET", path, rate=rate, duration_s=self._duration_s)["p99_ms"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.schema_registry", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure of a round")
    options = parser.parse_args()
    contended = contention()
    with tempfile.TemporaryDirectory(prefix="riacho-bench-") as directory:
        bench = Bench(Path(directory), options.seconds)
        try:
            for number in range(options.rounds):
                bench.round(number)
            p99_ms = bench.p99_at_half_load_ms()
        finally:
            bench.close()
    for comparison in bench.reads.values():
        print(comparison.line())
    print(limit_line("p99 of a read at half load", p99_ms, "ms", 10))
    print(limit_line("memory when idle", bench.idle_mb, "MB", 80))
    print(limit_line("ready after", bench.ready_s, "s", 1))
    if contended:
        print(f"NOT A FAIR RUN: {contended}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
