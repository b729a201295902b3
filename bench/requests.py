"""The few requests that the load clients send, encoded by hand, and just enough reading of their answers.

Written apart from Riacho's codec on purpose: a bench must not share a mistake with what it measures. Admin calls use
the last versions before flexible encoding; Produce v9 and Fetch v12 are the flexible ones that today's clients send.
"""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import dataclass

PRODUCE, FETCH, METADATA, CREATE_TOPICS, DELETE_TOPICS = 0, 1, 3, 19, 20
HOST = "127.0.0.1"
CLIENT_ID = b"bench"


def _framed(api_key: int, version: int, body: bytes, *, flexible: bool = False) -> bytes:
    # Every request has correlation id 0: answers come in order, so nothing needs telling apart and bytes can be reused.
    header = struct.pack(">hhih", api_key, version, 0, len(CLIENT_ID)) + CLIENT_ID + (b"\0" if flexible else b"")
    return struct.pack(">i", len(header) + len(body)) + header + body


def _string(text: str) -> bytes:
    return struct.pack(">h", len(text)) + text.encode()


def _compact(data: bytes) -> bytes:
    return _unsigned_varint(len(data) + 1) + data


def _unsigned_varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def produce(topic: str, partition: int, batch: bytes, acks: int) -> bytes:
    """Produce v9 with one batch for one partition."""
    body = b"\0" + struct.pack(">hi", acks, 30_000) + b"\x02" + _compact(topic.encode())
    body += b"\x02" + struct.pack(">i", partition) + _compact(batch) + b"\0" + b"\0" + b"\0"
    return _framed(PRODUCE, 9, body, flexible=True)


def produce_error_position(topic: str) -> int:
    """Where the error code lies in a framed Produce v9 answer for one partition of `topic`."""
    return 4 + 4 + 1 + 1 + len(_compact(topic.encode())) + 1 + 4


def fetch(
    topic: str,
    partition: int,
    offset: int,
    *,
    max_wait_ms: int = 500,
    min_bytes: int = 1,
    size_bytes_max: int = 1 << 20,
) -> bytes:
    """Fetch v12 of one partition, without a fetch session."""
    body = struct.pack(">iiiibii", -1, max_wait_ms, min_bytes, 50 << 20, 0, 0, -1) + b"\x02" + _compact(topic.encode())
    body += b"\x02" + struct.pack(">iiqiqi", partition, -1, offset, -1, -1, size_bytes_max) + b"\0" + b"\0"
    return _framed(FETCH, 12, body + b"\x01" + b"\x01" + b"\0", flexible=True)


@dataclass(frozen=True, slots=True)
class Fetched:
    error_code: int
    high_watermark: int
    records_position: int
    records_size_bytes: int


def read_fetched(answer: memoryview, topic: str) -> Fetched:
    """Read a Fetch v12 answer (from its correlation id on) for one partition of `topic`, up to its records."""
    (request_error,) = struct.unpack_from(">h", answer, 9)
    position = 15 + 1
    if request_error != 0 or answer[15] != 2:
        return Fetched(request_error or -1, -1, 0, 0)
    position += len(_compact(topic.encode())) + 1
    _, error_code, high_watermark, _, _ = struct.unpack_from(">ihqqq", answer, position)
    aborted, position = _read_unsigned_varint(answer, position + 30)
    position += max(aborted - 1, 0) * 17  # producer id, first offset, tags
    size_plus_one, position = _read_unsigned_varint(answer, position + 4)  # after the preferred read replica
    return Fetched(error_code, high_watermark, position, max(size_plus_one - 1, 0))


def _read_unsigned_varint(buffer: memoryview, position: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = buffer[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7


class Admin:
    """A blocking connection for topics and metadata, outside the measured time."""

    def __init__(self, port: int, timeout_s: float = 120) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=timeout_s)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Admin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, request: bytes) -> bytes:
        """Send one framed request; the answer from its correlation id on."""
        self._socket.sendall(request)
        (size,) = struct.unpack(">i", self._receive(4))
        return self._receive(size)

    def create_topics(self, names: list[str], partitions: int) -> None:
        topics = b"".join(_string(name) + struct.pack(">ihii", partitions, 1, 0, 0) for name in names)
        body = struct.pack(">i", len(names)) + topics + struct.pack(">i?", 120_000, False)
        answer = self.ask(_framed(CREATE_TOPICS, 4, body))
        _check_topic_errors("CreateTopics", answer, 8, with_message=True)

    def create_topic(self, name: str, partitions: int) -> None:
        """Make a topic and wait until each partition can be read: Kafka names a leader a moment before it leads."""
        self.create_topics([name], partitions)
        self.wait_for_leaders({name: partitions})
        self.wait_until_read(name, partitions)

    def wait_until_read(self, name: str, partitions: int, timeout_s: float = 30) -> None:
        deadline = time.monotonic() + timeout_s
        for partition in range(partitions):
            while read_fetched(memoryview(self.ask(fetch(name, partition, 0, max_wait_ms=0))), name).error_code != 0:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{name}-{partition} cannot be read")
                time.sleep(0.01)

    def delete_topic(self, name: str) -> None:
        answer = self.ask(_framed(DELETE_TOPICS, 3, struct.pack(">i", 1) + _string(name) + struct.pack(">i", 60_000)))
        _check_topic_errors("DeleteTopics", answer, 8, with_message=False)

    def led_partitions(self, topics: list[str] | None = None, *, auto_create: bool = False) -> dict[str, int]:
        """How many partitions of each topic have a leader, by Metadata v4. None asks for every topic."""
        names = b"" if topics is None else b"".join(map(_string, topics))
        body = struct.pack(">i", -1 if topics is None else len(topics)) + names + struct.pack(">?", auto_create)
        return _read_metadata(self.ask(_framed(METADATA, 4, body)))

    def wait_for_leaders(self, wanted: dict[str, int], timeout_s: float = 300) -> None:
        deadline = time.monotonic() + timeout_s
        while True:
            led = self.led_partitions(list(wanted))
            if all(led.get(name, 0) >= partitions for name, partitions in wanted.items()):
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"partitions without a leader after {timeout_s} s")
            time.sleep(0.01)

    def _receive(self, size_bytes: int) -> bytes:
        data = bytearray(size_bytes)
        view, received = memoryview(data), 0
        while received < size_bytes:
            count = self._socket.recv_into(view[received:])
            if count == 0:
                raise ConnectionError("the broker closed the connection")
            received += count
        return bytes(data)


def _check_topic_errors(api: str, answer: bytes, position: int, *, with_message: bool) -> None:
    (count,) = struct.unpack_from(">i", answer, position)
    position += 4
    for _ in range(count):
        (length,) = struct.unpack_from(">h", answer, position)
        name = answer[position + 2 : position + 2 + length].decode()
        (error_code,) = struct.unpack_from(">h", answer, position + 2 + length)
        position += 4 + length
        if with_message:
            (length,) = struct.unpack_from(">h", answer, position)
            position += 2 + max(length, 0)
        if error_code != 0:
            raise RuntimeError(f"{api} of {name} was refused with error code {error_code}")


def _read_metadata(answer: bytes) -> dict[str, int]:
    (brokers,) = struct.unpack_from(">i", answer, 8)
    position = 12
    for _ in range(brokers):
        position += 4
        position = _skip_string(answer, position) + 4
        position = _skip_string(answer, position)
    position = _skip_string(answer, position) + 4  # cluster id, controller id
    (topics,) = struct.unpack_from(">i", answer, position)
    position += 4
    led: dict[str, int] = {}
    for _ in range(topics):
        end = _skip_string(answer, position + 2)
        name = answer[position + 4 : end].decode()
        (partitions,) = struct.unpack_from(">i", answer, end + 1)
        position = end + 5
        led[name] = 0
        for _ in range(partitions):
            error_code, _, leader, replicas = struct.unpack_from(">hiii", answer, position)
            (isr,) = struct.unpack_from(">i", answer, position + 14 + 4 * replicas)
            position += 18 + 4 * (replicas + isr)
            led[name] += error_code == 0 and leader >= 0
    return led


def _skip_string(answer: bytes, position: int) -> int:
    return position + 2 + max(int.from_bytes(answer[position : position + 2], "big", signed=True), 0)
