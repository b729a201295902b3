"""Raw conversations with a broker: one socket, one request after another, every byte of the answer accounted for."""

from __future__ import annotations

import itertools
import socket
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.waiting import eventually
from riacho.wire import codec
from riacho.wire.apis import APIS, request_class, response_class
from riacho.wire.header import decode_response_header, encode_request_header
from riacho.wire.records import Record, build_batch
from riacho.wire.schema import WireStruct

KEYS = {api.name: api.key for api in APIS.values()}
TIMEOUT_S = 15.0


class ClosedByBroker(Exception):
    """The broker ended the connection instead of answering."""


def build(cls: type[Any], version: int, values: Mapping[str, Any]) -> Any:
    """A message out of plain dicts and lists; fields that the version does not have are left out."""
    arguments = {}
    for field in cls.FIELDS:
        if field.name in values and field.versions[0] <= version <= field.versions[1]:
            value = values[field.name]
            if not isinstance(field.type, str) and value is not None:
                nested = field.type
                value = (
                    [build(nested, version, each) for each in value] if field.array else build(nested, version, value)
                )
            arguments[field.name] = value
    unknown = set(values) - {field.name for field in cls.FIELDS}
    assert not unknown, f"{cls.__name__} has no {unknown}"
    return cls(**arguments)


def batch(*values: bytes | None, key: bytes | None = b"key", base_timestamp: int = 1_000, **options: Any) -> bytearray:
    """One v2 batch with a record for each value; the timestamps count up by one from `base_timestamp`."""
    records = [
        Record(offset_delta=at, timestamp_delta=at, key=key, value=value, headers=[]) for at, value in enumerate(values)
    ]
    return build_batch(records, base_timestamp=base_timestamp, **options)


def error_codes(message: Any) -> Iterator[int]:
    """Every error code in an answer, however deep."""
    for field in message.FIELDS:
        value = getattr(message, field.name)
        if field.name == "error_code":
            yield value
        elif isinstance(value, WireStruct):
            yield from error_codes(value)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, WireStruct):
                    yield from error_codes(each)


class RawConnection:
    def __init__(self, address: tuple[str, int], client_id: str | None = "raw") -> None:
        self.socket = socket.create_connection(address, timeout=TIMEOUT_S)
        self.client_id = client_id
        self._correlation_ids = itertools.count(100)

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, api: str, version: int, **values: Any) -> Any:
        """Send a request and read its answer."""
        return self.receive(api, version, self.send(api, version, **values))

    def send(self, api: str, version: int, **values: Any) -> int:
        """Send a request without waiting; returns its correlation id."""
        message = build(request_class(KEYS[api]), version, values)
        correlation_id = next(self._correlation_ids)
        out = bytearray()
        encode_request_header(KEYS[api], version, correlation_id, self.client_id, out)
        codec.encoder(type(message), version)(message, out, None)
        self.send_frame(out)
        return correlation_id

    def send_frame(self, frame: bytes | bytearray) -> None:
        self.socket.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self, api: str, version: int, correlation_id: int) -> Any:
        """Read one answer; it must carry this correlation id and end where its body ends."""
        frame = self.receive_frame()
        found, position = decode_response_header(KEYS[api], version, frame)
        assert found == correlation_id, f"answer to {found}, expected one to {correlation_id}"
        message, end = codec.decoder(response_class(KEYS[api]), version)(frame, position)
        assert end == len(frame), f"{len(frame) - end} bytes after the end of {api} v{version}"
        return message

    def receive_frame(self) -> bytes:
        (size,) = struct.unpack(">i", self._receive_exactly(4))
        return self._receive_exactly(size)

    def _receive_exactly(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            try:
                part = self.socket.recv(size - len(received))
            except ConnectionError as error:
                raise ClosedByBroker from error
            if not part:
                raise ClosedByBroker
            received += part
        return bytes(received)

    def is_closed(self) -> bool:
        """Whether the broker ends the connection; waits for it up to the time limit."""
        try:
            return self.socket.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True


def wait_until_served(connection: RawConnection, topic: str, partitions: int = 1) -> None:
    """Metadata may name a leader a moment before that broker serves the partition."""
    asked = [{"name": topic, "partitions": [{"partition_index": each, "timestamp": -1} for each in range(partitions)]}]
    eventually(lambda: not any(error_codes(connection.ask("ListOffsets", 5, replica_id=-1, topics=asked))))


def wait_for_coordinator(connection: RawConnection, group: str) -> None:
    """The first question for a coordinator creates the offsets topic; until that is there, groups have none."""
    asked = {"key_type": 0, "coordinator_keys": [group]}
    eventually(lambda: not any(error_codes(connection.ask("FindCoordinator", 4, **asked))))

    def is_loaded() -> bool:
        answer = connection.ask("DescribeGroups", 5, groups=[group])
        return not any(error_codes(answer))

    eventually(is_loaded)
