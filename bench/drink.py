"""The consume load: a fetch loop per partition that reads a topic over and over and throws the bytes away.

The topic was filled with copies of one batch, so the next offset follows from how many bytes came and no record needs
reading: the client costs one copy out of the socket. A batch cut at the end of an answer is asked for again.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from dataclasses import dataclass

from bench.processes import cpu_seconds
from bench.requests import HOST, Fetched, fetch, read_fetched

FETCH_SIZE_BYTES_MAX = 1 << 20  # max.partition.fetch.bytes of the Java consumer


@dataclass(frozen=True, slots=True)
class Drunk:
    batches: int
    elapsed_s: float
    cpu_s: float
    client_cpu_s: float


class FetchConnection:
    def __init__(self, port: int, topic: str, partition: int, batch_size_bytes: int, batch_records: int) -> None:
        self._topic, self._partition = topic, partition
        self._batch_size_bytes, self._batch_records = batch_size_bytes, batch_records
        self._buffer = memoryview(bytearray(4 * FETCH_SIZE_BYTES_MAX + batch_size_bytes))
        self._received_bytes = 0
        self._offset = 0
        self.batches = 0
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self) -> None:
        self.socket.sendall(fetch(self._topic, self._partition, self._offset, size_bytes_max=FETCH_SIZE_BYTES_MAX))

    def receive(self) -> bool:
        """Read what is there; True when an answer is complete and taken in."""
        count = self.socket.recv_into(self._buffer[self._received_bytes :])
        if count == 0:
            raise ConnectionError("the broker closed a fetch connection")
        self._received_bytes += count
        if self._received_bytes < 4:
            return False
        (size,) = struct.unpack_from(">i", self._buffer)
        if self._received_bytes < 4 + size:
            return False
        self._received_bytes = 0
        self._take(read_fetched(self._buffer[4 : 4 + size], self._topic))
        return True

    def _take(self, fetched: Fetched) -> None:
        if fetched.error_code != 0:
            raise RuntimeError(f"a fetch was refused with error code {fetched.error_code}")
        batches = fetched.records_size_bytes // self._batch_size_bytes
        self.batches += batches
        self._offset += batches * self._batch_records
        if self._offset >= fetched.high_watermark:
            self._offset = 0
        elif batches == 0:
            raise RuntimeError("a fetch below the high watermark brought no whole batch")


def drink(
    port: int,
    topic: str,
    *,
    pid: int,
    batch_size_bytes: int,
    batch_records: int,
    partitions: int,
    warm_up_s: float,
    duration_s: float,
) -> Drunk:
    lines = [FetchConnection(port, topic, p, batch_size_bytes, batch_records) for p in range(partitions)]
    selector = selectors.DefaultSelector()
    for line in lines:
        selector.register(line.socket, selectors.EVENT_READ, line)
        line.ask()
    _run(selector, time.perf_counter() + warm_up_s)
    before, cpu_s, own_s = sum(line.batches for line in lines), cpu_seconds(pid), time.process_time()
    started = time.perf_counter()
    _run(selector, started + duration_s)
    elapsed_s, own_s = time.perf_counter() - started, time.process_time() - own_s
    for line in lines:
        line.socket.close()
    return Drunk(sum(line.batches for line in lines) - before, elapsed_s, cpu_seconds(pid) - cpu_s, own_s)


def _run(selector: selectors.BaseSelector, deadline: float) -> None:
    while time.perf_counter() < deadline:
        for key, _ in selector.select(0.1):
            line: FetchConnection = key.data
            if line.receive():
                line.ask()
