"""The REST proxy against confluent-kafka's own clients: `python -m bench.rest_proxy`.

Produce: calls of 100 JSON records each. Consume: JSON records of a topic that was filled before. Both go through one
proxy to one Riacho broker, and so do those of the peers: one Python process that produces, or consumes, by itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.batches import payloads
from bench.peers import Riacho
from bench.processes import contention
from bench.requests import Admin
from bench.services import Comparison, Service, limit_line, load, printed

_RECORDS = 100
# Callers that wait for their answers: the peer has as much as its queue holds on its way.
_CONNECTIONS = 32
_PARTITIONS = 2
_TO_READ = 400_000
_WARM_UP_S = 0.5
_PRODUCE = {"content-type": "application/vnd.kafka.json.v2+json"}


def values() -> list[str]:
    """JSON objects of about 80 bytes."""
    return [value.partition(b"}")[0].decode() + "}" for value in payloads(_RECORDS, 150)]


def produce_body() -> str:
    return '{"records":[' + ",".join(f'{{"value":{value}}}' for value in values()) + "]}"


class Bench:
    def __init__(self, directory: Path, duration_s: float) -> None:
        self._duration_s = duration_s
        self._broker = Riacho(directory)
        self._bootstrap = self._broker.start()
        with Admin(self._broker.port) as admin:
            admin.create_topic("by-proxy", 1)
            admin.create_topic("by-peer", 1)
            admin.create_topic("to-read", _PARTITIONS)
        self._proxy = Service(
            "riacho.rest_proxy.run", {"bootstrap.servers": self._bootstrap, "schema.registry.url": ""}
        )
        self.ready_s, self.idle_mb = self._proxy.ready_s, self._proxy.rss_mb()
        self.produce = Comparison("records produced, 100 a call", 0.5)
        self.consume = Comparison("records consumed", 0.5)
        # Of a record produced, all threads: what a busy machine changes least.
        self.cpu_us: list[float] = []
        self.peer_cpu_us: list[float] = []

    def close(self) -> None:
        self._proxy.stop()
        self._broker.stop()

    def fill(self) -> None:
        """The topic to read, through the proxy itself."""
        body = produce_body()
        for partition in range(_PARTITIONS):
            path, wanted = f"/topics/to-read/partitions/{partition}", _TO_READ // _PARTITIONS
            while wanted > 0:
                done = load(self._proxy.port, "POST", path, body=body, headers=_PRODUCE, duration_s=1.0, warm_up_s=0.0)
                wanted -= int(done["requests"]) * _RECORDS

    def round(self, number: int) -> None:
        is_service_first = number % 2 == 0
        self.produce.measure(self._produced, lambda: self._peer("produce"), is_service_first=is_service_first)
        self.consume.measure(self._consumed, lambda: self._peer("consume"), is_service_first=is_service_first)

    def _produced(self) -> float:
        cpu_s = self._proxy.cpu_s()
        done = self._produce(None)
        # The load's warm-up is in it; it is a seventh of the whole.
        share = self._duration_s / (self._duration_s + _WARM_UP_S)
        self.cpu_us.append((self._proxy.cpu_s() - cpu_s) * share * 1e6 / (done["requests"] * _RECORDS))
        return done["requests"] * _RECORDS / done["elapsed_s"]

    def p99_at_half_load_ms(self) -> float:
        calls = self._produced() / _RECORDS
        return self._produce(calls / 2)["p99_ms"]

    def _produce(self, rate: float | None) -> dict[str, float]:
        return load(
            self._proxy.port,
            "POST",
            "/topics/by-proxy",
            body=produce_body(),
            headers=_PRODUCE,
            connections=_CONNECTIONS,
            rate=rate,
            duration_s=self._duration_s,
            warm_up_s=_WARM_UP_S,
        )

    def _consumed(self) -> float:
        wanted = {
            "port": self._proxy.port,
            "topic": "to-read",
            "partitions": _PARTITIONS,
            "duration_s": self._duration_s,
        }
        return printed("bench.rest_proxy_consume", wanted)["rate"]

    def _peer(self, kind: str) -> float:
        wanted: dict[str, Any] = {"kind": kind, "bootstrap": self._bootstrap, "duration_s": self._duration_s}
        if kind == "produce":
            wanted |= {"topic": "by-peer", "values": values()}
        else:
            wanted |= {"topic": "to-read", "partitions": _PARTITIONS}
        figures = printed("bench.rest_proxy_peer", wanted)
        if kind == "produce":
            self.peer_cpu_us.append(figures["cpu_us"])
        return figures["rate"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.rest_proxy", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each figure of a round")
    parser.add_argument("--json", type=Path, help="write all figures there, too")
    options = parser.parse_args()
    contended = contention()
    with tempfile.TemporaryDirectory(prefix="riacho-bench-") as directory:
        bench = Bench(Path(directory), options.seconds)
        try:
            bench.fill()
            for number in range(options.rounds):
                bench.round(number)
            p99_ms = bench.p99_at_half_load_ms()
        finally:
            bench.close()
    print(bench.produce.line())
    print(bench.consume.line())
    own, peer = median(bench.cpu_us), median(bench.peer_cpu_us)
    print(
        f"{'processor time of a record produced':<44} {own:>10.2f} us   peer {peer:>10.2f} us   ratio {peer / own:.2f}"
    )
    print(limit_line("p99 of a produce call at half load", p99_ms, "ms", 10))
    print(limit_line("memory when idle", bench.idle_mb, "MB", 80))
    print(limit_line("ready after", bench.ready_s, "s", 1))
    if contended:
        print(f"NOT A FAIR RUN: {contended}")
    if options.json:
        figures = {
            each.name: {"service": each.service, "peer": each.peer, "ratio": each.ratio}
            for each in (bench.produce, bench.consume)
        }
        more = {"p99_ms": p99_ms, "idle_mb": bench.idle_mb, "ready_s": bench.ready_s, "contended": contended}
        options.json.write_text(json.dumps(figures | more, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
