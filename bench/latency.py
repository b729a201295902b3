"""End-to-end latency at a fixed rate: from the moment a message is due to be sent until a waiting consumer has it.

One thread holds a produce connection and a long-polling fetch connection. Every message is the same encoded one-record
batch and there is one producer, so the n-th message has offset n and its due time is known without reading records. The
clock starts when a message is due, not when it was sent: a stalled broker cannot hide its stall by stalling the sender.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from dataclasses import dataclass

from bench.batches import batch_of
from bench.requests import HOST, fetch, produce, read_fetched


@dataclass(slots=True)
class _Consumer:
    socket: socket.socket
    topic: str
    batch_size_bytes: int
    offset: int = 0
    buffer: bytearray = None  # type: ignore[assignment]

    def ask(self) -> None:
        self.buffer = bytearray()
        self.socket.sendall(fetch(self.topic, 0, self.offset))

    def receive(self) -> int | None:
        """How many messages an answer brought, None while it is not complete."""
        self.buffer += self.socket.recv(1 << 16)
        if len(self.buffer) < 4 or len(self.buffer) < 4 + struct.unpack_from(">i", self.buffer)[0]:
            return None
        fetched = read_fetched(memoryview(bytes(self.buffer))[4:], self.topic)
        if fetched.error_code != 0:
            raise RuntimeError(f"a fetch was refused with error code {fetched.error_code}")
        return fetched.records_size_bytes // self.batch_size_bytes


def latencies_ms(
    port: int, topic: str, *, rate: int, size_bytes: int, warm_up_s: float, duration_s: float
) -> list[float]:
    """Latency of every message sent after the warm-up, in the order of sending."""
    batch = batch_of(size_bytes, 1)
    request = produce(topic, 0, batch, 1)
    with socket.create_connection((HOST, port)) as producing, socket.create_connection((HOST, port)) as consuming:
        for connection in (producing, consuming):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        consumer = _Consumer(consuming, topic, len(batch))
        consumer.ask()
        total = int(rate * (warm_up_s + duration_s))
        return _run(producing, consumer, request, rate, total)[int(rate * warm_up_s) :]


def _run(producing: socket.socket, consumer: _Consumer, request: bytes, rate: int, total: int) -> list[float]:
    taken: list[float] = []
    sent, begun, interval_s = 0, time.perf_counter() + 0.01, 1 / rate
    give_up = begun + total * interval_s + 30
    while len(taken) < total:
        now = time.perf_counter()
        if now > give_up:
            raise TimeoutError(f"{total - len(taken)} messages never came back")
        while sent < total and begun + sent * interval_s <= now:
            producing.sendall(request)
            sent += 1
        wait_s = max(begun + sent * interval_s - time.perf_counter(), 0) if sent < total else 0.1
        readable, _, _ = select.select([producing, consumer.socket], [], [], wait_s)  # epoll's timeout is too coarse
        if consumer.socket in readable:
            count = consumer.receive()
            if count is not None:
                now = time.perf_counter()
                taken += [
                    (now - begun - offset * interval_s) * 1e3
                    for offset in range(consumer.offset, consumer.offset + count)
                ]
                consumer.offset += count
                consumer.ask()
        if producing in readable and not producing.recv(1 << 16):
            raise ConnectionError("the broker closed the produce connection")
    return taken


def percentile(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
