"""The produce load: one encoded Produce request, replayed over a few connections with a window of requests in flight.

The client does next to nothing per request, so what is measured is the broker. Each connection owns a partition and a
blob of `window` copies of its request; it may have sent `(acked + window) * request size` bytes, and a whole window
goes out in one send. Answers have one fixed size, so they are counted by length and their error codes read by stride.
"""

from __future__ import annotations

import selectors
import socket
import time
from dataclasses import dataclass

from bench.processes import cpu_seconds
from bench.requests import HOST, produce, produce_error_position

RECEIVE_SIZE_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Replayed:
    requests: int
    elapsed_s: float
    cpu_s: float
    client_cpu_s: float


class ReplayConnection:
    def __init__(self, port: int, topic: str, partition: int, batch: bytes, acks: int, window: int) -> None:
        request = produce(topic, partition, batch, acks)
        self._request_size_bytes = len(request)
        self._blob = memoryview(request * window)
        self._window = window
        self._error_position = produce_error_position(topic)
        self._answer_size_bytes = 0
        self._tail = b""
        self._sent_bytes = 0
        self.acked = 0
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)

    @property
    def outstanding(self) -> bool:
        return self._sent_bytes > self.acked * self._request_size_bytes

    def send(self) -> bool:
        """Send what the window allows; True when the socket would take no more and there is more to send."""
        allowed_bytes = (self.acked + self._window) * self._request_size_bytes
        return self._send_up_to(allowed_bytes)

    def finish_request(self) -> bool:
        """Send the rest of a half-sent request and no more; True while the socket would not take it all."""
        partial_bytes = self._sent_bytes % self._request_size_bytes
        return self._send_up_to(self._sent_bytes + (self._request_size_bytes - partial_bytes if partial_bytes else 0))

    def _send_up_to(self, allowed_bytes: int) -> bool:
        while self._sent_bytes < allowed_bytes:
            start = self._sent_bytes % self._request_size_bytes
            try:
                self._sent_bytes += self.socket.send(self._blob[start : start + allowed_bytes - self._sent_bytes])
            except BlockingIOError:
                return True
        return False

    def receive(self) -> None:
        try:
            data = self.socket.recv(RECEIVE_SIZE_BYTES)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionError("the broker closed a produce connection")
        data = self._tail + data
        if self._answer_size_bytes == 0:
            if len(data) < 4:
                self._tail = data
                return
            self._answer_size_bytes = 4 + int.from_bytes(data[:4], "big")
        answers = len(data) // self._answer_size_bytes
        whole = answers * self._answer_size_bytes
        self._check(data[:whole], answers)
        self._tail = data[whole:]
        self.acked += answers

    def _check(self, data: bytes, answers: int) -> None:
        step, error = self._answer_size_bytes, self._error_position
        sizes_agree = data[2::step] == data[2:3] * answers and data[3::step] == data[3:4] * answers
        no_errors = not any(data[error::step]) and not any(data[error + 1 :: step])
        if not (sizes_agree and no_errors):
            raise RuntimeError(f"a produce request was refused: {data[: 4 * step].hex()}")


def replay(
    port: int,
    topic: str,
    batch: bytes,
    *,
    pid: int,
    acks: int,
    connections: int,
    partitions: int,
    window: int,
    warm_up_s: float,
    duration_s: float,
    requests_max: int,
) -> Replayed:
    """Produce for `warm_up_s` and then, measured, for `duration_s` or until `requests_max` are acknowledged in all."""
    lines = [ReplayConnection(port, topic, i % partitions, batch, acks, window) for i in range(connections)]
    return replay_lines(lines, pids=[pid], warm_up_s=warm_up_s, duration_s=duration_s, requests_max=requests_max)


def replay_lines(
    lines: list[ReplayConnection], *, pids: list[int], warm_up_s: float, duration_s: float, requests_max: int
) -> Replayed:
    """The same over connections that are made already, perhaps to several brokers."""
    selector = selectors.DefaultSelector()
    for line in lines:
        selector.register(line.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, line)
    _run(selector, lines, time.perf_counter() + warm_up_s, requests_max // 2)
    cpu_s = sum(map(cpu_seconds, pids))
    acked, own_s, started = _total(lines), time.process_time(), time.perf_counter()
    _run(selector, lines, started + duration_s, requests_max)
    elapsed_s, own_s = time.perf_counter() - started, time.process_time() - own_s
    result = Replayed(_total(lines) - acked, elapsed_s, sum(map(cpu_seconds, pids)) - cpu_s, own_s)
    _drain(selector, lines)
    return result


def _total(lines: list[ReplayConnection]) -> int:
    return sum(line.acked for line in lines)


def _run(selector: selectors.BaseSelector, lines: list[ReplayConnection], deadline: float, requests_max: int) -> None:
    both, reading = selectors.EVENT_READ | selectors.EVENT_WRITE, selectors.EVENT_READ
    while time.perf_counter() < deadline and _total(lines) < requests_max:
        for key, events in selector.select(0.1):
            line: ReplayConnection = key.data
            if events & reading:
                line.receive()
            wanted = both if line.send() else reading
            if key.events != wanted:
                selector.modify(line.socket, wanted, line)


def _drain(selector: selectors.BaseSelector, lines: list[ReplayConnection], timeout_s: float = 30) -> None:
    """Collect what is still in flight, so that the topic holds only whole batches when the load is over."""
    deadline = time.perf_counter() + timeout_s
    while any(line.outstanding for line in lines):
        if time.perf_counter() > deadline:
            raise TimeoutError("produce requests were never answered")
        for key, events in selector.select(0.1):
            line: ReplayConnection = key.data
            if events & selectors.EVENT_READ:
                line.receive()
            if not line.finish_request():
                selector.modify(line.socket, selectors.EVENT_READ, line)
    for line in lines:
        line.socket.close()


def replay_one_at_a_time(
    port: int, topic: str, batch: bytes, *, pid: int, warm_up_s: float, duration_s: float
) -> Replayed:
    """One connection, one request in flight, the way a caller waits for each write: a plain blocking socket."""
    request, error = produce(topic, 0, batch, 1), produce_error_position(topic)
    with socket.create_connection((HOST, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for span_s in (warm_up_s, duration_s):
            cpu_s, own_s, started, count = cpu_seconds(pid), time.process_time(), time.perf_counter(), 0
            while time.perf_counter() < started + span_s:
                connection.sendall(request)
                answer = connection.recv(4096)
                if answer[error : error + 2] != b"\0\0" or len(answer) != 4 + int.from_bytes(answer[:4], "big"):
                    raise RuntimeError(f"a produce request was refused: {answer.hex()}")
                count += 1
        elapsed_s, own_s = time.perf_counter() - started, time.process_time() - own_s
        return Replayed(count, elapsed_s, cpu_seconds(pid) - cpu_s, own_s)
