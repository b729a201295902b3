"""HTTP load over keep-alive connections: the same request again and again, `python -m bench.http_load '<json>'`.

A process of its own, without an HTTP library: answers are only cut out of the stream, so that the client costs little
of the two cores that it shares with the service. A few connections with one request each under way are a few callers
that wait for their answers; with a rate, requests leave at even intervals and their latency counts from when they were
due, so that a service that stalls cannot hide it.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field

from bench.latency import percentile

_LENGTH = b"content-length:"
_CHUNKED = b"transfer-encoding: chunked"
_LAST_CHUNK = b"\r\n0\r\n\r\n"


@dataclass(slots=True)
class Connection:
    sock: socket.socket
    received: bytearray = field(default_factory=bytearray)
    due: float = 0.0
    is_busy: bool = False

    def send(self, request: bytes, due: float) -> None:
        self.due, self.is_busy = due, True
        self.sock.sendall(request)

    def answer(self) -> tuple[int, bytes] | None:
        """Status and body of the answer under way; None when it has not come whole."""
        piece = self.sock.recv(262_144)
        if not piece:
            raise ConnectionError("the service closed the connection")
        self.received += piece
        head = self.received.find(b"\r\n\r\n")
        if head < 0 or not self._is_whole(head):
            return None
        status, body = int(self.received[9:12]), bytes(self.received[head + 4 :])
        self.received.clear()
        self.is_busy = False
        return status, body

    def _is_whole(self, head: int) -> bool:
        fields = bytes(self.received[:head]).lower()
        if _CHUNKED in fields:
            # One answer at a time: what ends so has ended.
            return self.received.endswith(_LAST_CHUNK)
        return len(self.received) >= head + 4 + _content_length(fields)


def _content_length(head: bytes) -> int:
    at = head.find(_LENGTH)
    if at < 0 and head.startswith(b"http/1.1 204"):
        return 0
    if at < 0:
        raise ValueError("an answer without content-length")
    return int(head[at + len(_LENGTH) :].split(b"\r\n", 1)[0])


def request_bytes(method: str, path: str, body: bytes, headers: dict[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class Load:
    def __init__(self, port: int, request: bytes, connections: int) -> None:
        self._request = request
        self._selector = selectors.EpollSelector()
        self._idle: deque[Connection] = deque()
        for _ in range(connections):
            sock = socket.create_connection(("127.0.0.1", port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(sock)
            self._selector.register(sock, selectors.EVENT_READ, connection)
            self._idle.append(connection)
        self.latencies_ms: list[float] = []
        self.refused = 0

    def run(self, duration_s: float, rate: float | None) -> float:
        """Seconds from the first request to the last answer."""
        started = time.perf_counter()
        ends, due = started + duration_s, started
        while True:
            now = time.perf_counter()
            while self._idle and now < ends and due <= now:
                self._idle.popleft().send(self._request, now if rate is None else due)
                due = now if rate is None else due + 1 / rate
            if now >= ends and len(self._idle) == len(self._selector.get_map()):
                return time.perf_counter() - started
            wait_s = 0.1 if rate is None or not self._idle else max(0.0, min(due, ends) - now)
            for key, _ in self._selector.select(wait_s):
                self._receive(key.data)

    def _receive(self, connection: Connection) -> None:
        answer = connection.answer()
        if answer is None:
            return
        status, body = answer
        if status == 429:
            self.refused += 1
        elif status != 200 or b'"error_code":5' in body:
            raise RuntimeError(f"the service answered {status}: {body[:200]!r}")
        else:
            self.latencies_ms.append((time.perf_counter() - connection.due) * 1000)
        self._idle.append(connection)


def main() -> None:
    wanted = json.loads(sys.argv[1])
    request = request_bytes(wanted["method"], wanted["path"], wanted["body"].encode(), wanted["headers"])
    load = Load(wanted["port"], request, wanted["connections"])
    load.run(wanted["warm_up_s"], wanted["rate"])
    load.latencies_ms.clear()
    cpu_s = time.process_time()
    elapsed_s = load.run(wanted["duration_s"], wanted["rate"])
    ordered = sorted(load.latencies_ms)
    figures = {
        "requests": len(ordered),
        "refused": load.refused,
        "elapsed_s": elapsed_s,
        "p50_ms": percentile(ordered, 0.5),
        "p99_ms": percentile(ordered, 0.99),
        "longest_ms": ordered[-1],
        "client_busy": (time.process_time() - cpu_s) / elapsed_s,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
