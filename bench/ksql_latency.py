"""End to end through a query: `python -m bench.ksql_latency '<json>'`, a process of its own.

Records leave at even intervals, and a row's latency counts from when its record was due. Rows are read over HTTP (a
push query) or from the topic that a statement writes. What is sent before the first row comes back, and during the
warm-up, is not counted.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

from confluent_kafka import Producer

from bench.ksql_topics import Results, key_of, value_of
from bench.latency import percentile

_PROBE_S = 0.2
_TIMEOUT_S = 120.0
_KEYS = 1_000


def main() -> None:
    wanted = json.loads(sys.argv[1])
    print(json.dumps(Measured(wanted).run()))


class Measured:
    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted
        self._producer = Producer({"bootstrap.servers": wanted["bootstrap"], "linger.ms": 0, "acks": "1"})
        self._seen: dict[int, float] = {}
        self._is_up = threading.Event()
        self._problem: Exception | None = None

    def run(self) -> dict[str, float]:
        threading.Thread(target=self._read, daemon=True).start()
        probe = 1_000_000_000
        deadline = time.monotonic() + _TIMEOUT_S
        while not self._is_up.wait(_PROBE_S):
            self._check(deadline)
            self._send(probe)
            probe += 1
        rate, warm_up = self._wanted["rate"], int(self._wanted["rate"] * self._wanted["warm_up_s"])
        total = warm_up + int(rate * self._wanted["duration_s"])
        begun = time.perf_counter() + 0.01
        for number in range(total):
            due = begun + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            self._send(number)
        deadline = time.monotonic() + _TIMEOUT_S
        counted = range(warm_up, total)
        while not all(number in self._seen for number in counted):
            self._check(deadline)
            time.sleep(0.05)
        taken = sorted((self._seen[number] - begun - number / rate) * 1e3 for number in counted)
        return {"p50_ms": percentile(taken, 0.5), "p99_ms": percentile(taken, 0.99), "rows": len(taken)}

    def _check(self, deadline: float) -> None:
        if self._problem is not None:
            raise self._problem
        if time.monotonic() > deadline:
            raise TimeoutError(f"rows did not come within {_TIMEOUT_S:.0f} s")

    def _send(self, number: int) -> None:
        key = key_of(number % _KEYS).encode()
        self._producer.produce(self._wanted["topic"], value_of(number), key)
        self._producer.poll(0)

    def _read(self) -> None:
        try:
            for number in self._pushed() if "sql" in self._wanted else self._written():
                self._seen.setdefault(number, time.perf_counter())
                self._is_up.set()
        except Exception as error:
            self._problem = error

    def _pushed(self) -> Iterator[int]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._wanted['port']}/query-stream",
            json.dumps({"sql": self._wanted["sql"], "properties": {}}).encode(),
            {"content-type": "application/json", "accept": "application/vnd.ksqlapi.delimited.v1"},
        )
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
            for line in answer:
                row = json.loads(line)
                if isinstance(row, list):
                    yield row[0]
                elif "message" in row:
                    raise RuntimeError(row["message"])
        raise RuntimeError("the push query ended")

    def _written(self) -> Iterator[int]:
        results = Results(self._wanted["bootstrap"], self._wanted["topic_out"])
        while True:
            for value in results.values():
                yield json.loads(value)["ID"]


if __name__ == "__main__":
    main()
