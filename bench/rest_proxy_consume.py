"""Consumer instances of the REST proxy read for a while, `python -m bench.rest_proxy_consume '<json>'`.

An instance for each partition, each with one caller that asks for records again and again; one that has come to the end
begins anew. Records are counted by their offsets in the answers, and nothing else of them is looked at.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from typing import Any

from bench.http_load import Connection, request_bytes

_V2 = "application/vnd.kafka.v2+json"
_JSON_V2 = "application/vnd.kafka.json.v2+json"
_BYTES_MAX = 1_000_000


class Reader:
    """One instance, with a connection of its own."""

    def __init__(self, port: int, topic: str, partition: int) -> None:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = Connection(sock)
        group, name = f"bench-{time.time_ns()}", f"reader-{partition}"
        self._path = f"/consumers/{group}/instances/{name}"
        self._place = {"partitions": [{"topic": topic, "partition": partition}]}
        settings = {"name": name, "format": "json", "auto.offset.reset": "earliest", "auto.commit.enable": "false"}
        self._call("POST", f"/consumers/{group}", settings)
        self._call("POST", f"{self._path}/assignments", self._place)
        self.rewind()
        query = f"timeout=1000&max_bytes={_BYTES_MAX}"
        self._ask = request_bytes("GET", f"{self._path}/records?{query}", b"", {"accept": _JSON_V2})
        self.count = 0

    def _call(self, method: str, path: str, body: Any = None) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.connection.send(request_bytes(method, path, content, {"content-type": _V2}), 0.0)
        while (answer := self.connection.answer()) is None:
            pass
        if answer[0] >= 300:
            raise RuntimeError(f"{method} {path} was answered {answer[0]}: {answer[1][:300]!r}")

    def rewind(self) -> None:
        self._call("POST", f"{self._path}/positions/beginning", self._place)

    def ask(self) -> None:
        self.connection.send(self._ask, 0.0)

    def receive(self) -> bool:
        """Whether the answer is whole."""
        answer = self.connection.answer()
        if answer is None:
            return False
        status, body = answer
        if status != 200:
            raise RuntimeError(f"records were answered {status}: {body[:300]!r}")
        found = body.count(b',"offset":')
        self.count += found
        if not found:
            self.rewind()
        return True

    def close(self) -> None:
        self._call("DELETE", self._path)
        self.connection.sock.close()


def run(readers: list[Reader], duration_s: float) -> tuple[int, float]:
    """Records, and the seconds from the first question to the last answer."""
    selector = selectors.EpollSelector()
    for reader in readers:
        reader.count = 0
        selector.register(reader.connection.sock, selectors.EVENT_READ, reader)
    started = time.perf_counter()
    asking = set()
    for reader in readers:
        reader.ask()
        asking.add(reader)
    while asking:
        for key, _ in selector.select(1.0):
            reader = key.data
            if reader.receive():
                asking.discard(reader)
                if time.perf_counter() < started + duration_s:
                    reader.ask()
                    asking.add(reader)
    return sum(reader.count for reader in readers), time.perf_counter() - started


def main() -> None:
    wanted = json.loads(sys.argv[1])
    readers = [Reader(wanted["port"], wanted["topic"], number) for number in range(wanted["partitions"])]
    run(readers, 0.5)
    cpu_s = time.process_time()
    count, elapsed_s = run(readers, wanted["duration_s"])
    busy = (time.process_time() - cpu_s) / elapsed_s
    for reader in readers:
        reader.close()
    print(json.dumps({"rate": count / elapsed_s, "client_busy": busy}))


if __name__ == "__main__":
    main()
