"""Pull queries by key at a fixed rate: `python -m bench.ksql_pull '<json>'`, a process of its own.

Requests leave at even intervals over whichever kept-alive connection is free, each for another key, and latency counts
from when a request was due: a server that stalls cannot hide it by making its callers wait.
"""

from __future__ import annotations

import json
import random
import selectors
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field

from bench.http_load import request_bytes
from bench.ksql_topics import key_of
from bench.latency import percentile

_LAST_CHUNK = b"\r\n0\r\n\r\n"
_GIVE_UP_S = 60.0
_HEADERS = {"content-type": "application/json", "accept": "application/vnd.ksqlapi.delimited.v1"}


@dataclass(slots=True)
class Connection:
    sock: socket.socket
    received: bytearray = field(default_factory=bytearray)
    due: float = 0.0


class Pull:
    def __init__(self, port: int, sql: str, keys: int, connections: int) -> None:
        self._requests = [
            request_bytes(
                "POST", "/query-stream", json.dumps({"sql": sql.format(key=key_of(number))}).encode(), _HEADERS
            )
            for number in range(keys)
        ]
        self._selector = selectors.EpollSelector()
        self._idle: deque[Connection] = deque()
        self._count = connections
        for _ in range(connections):
            sock = socket.create_connection(("127.0.0.1", port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(sock)
            self._selector.register(sock, selectors.EVENT_READ, connection)
            self._idle.append(connection)
        self.latencies_ms: list[float] = []

    def run(self, duration_s: float, rate: float) -> float:
        """Seconds from the first request to the last answer."""
        chance = random.Random(rate)
        started = time.perf_counter()
        due, ends = started, started + duration_s
        while True:
            now = time.perf_counter()
            while self._idle and due <= now and due < ends:
                connection = self._idle.popleft()
                connection.due = due
                connection.sock.sendall(chance.choice(self._requests))
                due += 1 / rate
            if due >= ends and len(self._idle) == self._count:
                return time.perf_counter() - started
            if now > ends + _GIVE_UP_S:
                raise TimeoutError(f"{self._count - len(self._idle)} pull queries were not answered")
            wait_s = max(0.0, due - now) if self._idle and due < ends else 0.1
            for key, _ in self._selector.select(wait_s):
                self._receive(key.data)

    def _receive(self, connection: Connection) -> None:
        piece = connection.sock.recv(65_536)
        if not piece:
            raise ConnectionError("the server closed a connection")
        connection.received += piece
        if not connection.received.endswith(_LAST_CHUNK) and not self._is_refusal(connection.received):
            return
        if connection.received[9:12] != b"200" or connection.received.count(b"account-") != 1:
            raise RuntimeError(f"the server answered {bytes(connection.received[-300:])!r}")
        self.latencies_ms.append((time.perf_counter() - connection.due) * 1000)
        connection.received.clear()
        self._idle.append(connection)

    @staticmethod
    def _is_refusal(received: bytearray) -> bool:
        return len(received) > 12 and received[9:12] != b"200" and received.endswith(b"}")


def main() -> None:
    wanted = json.loads(sys.argv[1])
    pull = Pull(wanted["port"], wanted["sql"], wanted["keys"], wanted["connections"])
    pull.run(wanted["warm_up_s"], wanted["rate"])
    pull.latencies_ms.clear()
    cpu_s = time.process_time()
    elapsed_s = pull.run(wanted["duration_s"], wanted["rate"])
    ordered = sorted(pull.latencies_ms)
    figures = {
        "requests": len(ordered),
        "p50_ms": percentile(ordered, 0.5),
        "p99_ms": percentile(ordered, 0.99),
        "client_busy": (time.process_time() - cpu_s) / elapsed_s,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
