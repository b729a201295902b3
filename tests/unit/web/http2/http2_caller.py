"""A caller that speaks HTTP/2 by the library h2 over a plain socket, well or badly, frame by frame.

with caller(port) as one:
    status, body = one.answer(one.request("GET", "/"))
    one.send_raw(frame(PING, payload=b"8 bytes.") * 10_000)
    code = one.end()
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import h2.connection
import h2.errors
import h2.events
from h2.config import H2Configuration

from support.web_service import connected

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 0x1, 0x4
Header = tuple[str, str]


def frame(kind: int, flags: int = 0, stream_id: int = 0, payload: bytes = b"", size: int | None = None) -> bytes:
    """`size`: what it says its payload has."""
    length = len(payload) if size is None else size
    return struct.pack(">BHBBI", length >> 16, length & 0xFFFF, kind, flags, stream_id) + payload


class Caller:
    """`upgraded`: what came after the answer that HTTP/2 is spoken from now on."""

    def __init__(
        self, sock: socket.socket, settings: dict[int, int] | None = None, upgraded: bytes | None = None
    ) -> None:
        self.sock = sock
        self.state = h2.connection.H2Connection(H2Configuration(client_side=True, header_encoding="latin-1"))
        self.events: list[h2.events.Event] = []
        self._raw = bytearray()
        if settings:
            self.state.local_settings.update(settings)
            self.state.local_settings.acknowledge()
        if upgraded is None:
            self.state.initiate_connection()
        else:
            self.state.initiate_upgrade_connection()
            self.events += self.state.receive_data(upgraded)
        self.flush()

    def flush(self) -> None:
        self.sock.sendall(self.state.data_to_send())

    def send_raw(self, data: bytes) -> None:
        """As much as is taken: whoever was refused may find the door shut."""
        with suppress(ConnectionError):
            self.sock.sendall(data)

    def block(self, method: str = "GET", path: str = "/", headers: Sequence[Header] = ()) -> bytes:
        """A header block by itself."""
        return self.state.encoder.encode(self.fields(method, path, headers))

    def fields(self, method: str, path: str, headers: Sequence[Header] = ()) -> list[Header]:
        return [(":method", method), (":path", path), (":scheme", "http"), (":authority", "localhost"), *headers]

    def request(self, method: str, path: str, headers: Sequence[Header] = (), *, body: bytes | None = b"") -> int:
        """Body None: it is still to come."""
        stream_id = self.state.get_next_available_stream_id()
        self.state.send_headers(stream_id, self.fields(method, path, headers), end_stream=body == b"")
        if body:
            self.state.send_data(stream_id, body, end_stream=True)
        self.flush()
        return stream_id

    def send(self, stream_id: int, data: bytes, *, ends: bool = False) -> None:
        self.state.send_data(stream_id, data, end_stream=ends)
        self.flush()

    def reset(self, stream_id: int) -> None:
        self.state.reset_stream(stream_id, h2.errors.ErrorCodes.CANCEL)
        self.flush()

    def receive(self, *, is_acknowledged: bool = True) -> bool:
        """What comes next; False when the other side has closed."""
        data = self._received()
        if not data:
            return False
        self._raw += data
        for event in self.state.receive_data(data):
            self.events.append(event)
            if is_acknowledged and isinstance(event, h2.events.DataReceived):
                self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        self.flush()
        return True

    def answer(self, stream_id: int, *, is_acknowledged: bool = True) -> tuple[int, bytes]:
        """(status, body), once it is whole."""
        while not self.of(h2.events.StreamEnded, stream_id):
            assert not self.of(h2.events.StreamReset, stream_id), "the answer was broken off"
            assert self.receive(is_acknowledged=is_acknowledged), "the connection ended"
        return self.status(stream_id), self.body(stream_id)

    def status(self, stream_id: int) -> int:
        [head] = self.of(h2.events.ResponseReceived, stream_id)
        return int(dict(head.headers)[":status"])

    def body(self, stream_id: int) -> bytes:
        return b"".join(event.data for event in self.of(h2.events.DataReceived, stream_id))

    def of(self, kind: type, stream_id: int) -> list:
        return [event for event in self.events if isinstance(event, kind) and event.stream_id == stream_id]

    def until(self, kind: type, stream_id: int) -> None:
        while not self.of(kind, stream_id):
            assert self.receive(), "the connection ended"

    def end(self) -> int | None:
        """The code of GOAWAY, when the other side has closed; None where there was none. What else comes is not looked
        at: whoever sends nonsense is not answered what the library expects."""
        while data := self._received():
            self._raw += data
        codes, at = [], 0
        while at + 9 <= len(self._raw):
            size = int.from_bytes(self._raw[at : at + 3], "big")
            if self._raw[at + 3] == GOAWAY:
                codes.append(int.from_bytes(self._raw[at + 13 : at + 17], "big"))
            at += 9 + size
        return codes[-1] if codes else None

    def _received(self) -> bytes:
        try:
            return self.sock.recv(65536)
        except ConnectionError:
            return b""


@contextmanager
def caller(port: int, settings: dict[int, int] | None = None) -> Iterator[Caller]:
    with connected(port) as sock:
        yield Caller(sock, settings)
