"""How long a broker keeps a caller waiting who wants next to nothing: `python -m bench.console_probe '<json>'`.

ApiVersions at even intervals over one connection, each asked for when it is due, whether or not the last was answered.
"""

from __future__ import annotations

import json
import selectors
import socket
import struct
import sys
import time
from collections import deque

from bench.latency import percentile

# ApiVersions v0, without a client id.
_REQUEST = struct.pack(">ihhih", 10, 18, 0, 1, -1)


def main() -> None:
    wanted = json.loads(sys.argv[1])
    with socket.create_connection(("127.0.0.1", wanted["port"])) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        latencies = sorted(_latencies_ms(connection, wanted["rate"], wanted["duration_s"]))
    print(json.dumps({"p50_ms": percentile(latencies, 0.5), "p99_ms": percentile(latencies, 0.99),
                      "longest_ms": latencies[-1]}))  # fmt: skip


def _latencies_ms(connection: socket.socket, rate: float, duration_s: float) -> list[float]:
    selector = selectors.DefaultSelector()
    selector.register(connection, selectors.EVENT_READ)
    found: list[float] = []
    asked: deque[float] = deque()
    received = bytearray()
    started = time.perf_counter()
    due, ends = started, started + duration_s
    while (now := time.perf_counter()) < ends or asked:
        while due <= now and due < ends:
            connection.sendall(_REQUEST)
            asked.append(due)
            due += 1 / rate
        if not selector.select(max(0.0, min(due, ends) - now) if now < ends else 1.0):
            continue
        received += connection.recv(65_536)
        while len(received) >= 4 and len(received) >= 4 + (size := struct.unpack_from(">i", received)[0]):
            del received[: 4 + size]
            found.append((time.perf_counter() - asked.popleft()) * 1000)
    return found


if __name__ == "__main__":
    main()
