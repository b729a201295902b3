"""One connection over a scripted socket: versions, fall-back, and answers that are none."""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Callable

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.client_security import ClientSecurity
from riacho.client.connection import Connection, HungUp
from riacho.client.settings import ClientSettings
from riacho.wire.codec import encode
from riacho.wire.header import decode_request_header, encode_response_header
from riacho.wire.messages.api_versions_response import ApiVersion, ApiVersionsResponse
from riacho.wire.messages.metadata_request import MetadataRequest
from riacho.wire.messages.metadata_response import MetadataResponse
from riacho.wire.schema import Message

Reply = Callable[[int, int, int], bytes]


class ScriptedSocket:
    """Answers each request with the bytes that `reply(key, version, correlation_id)` gives."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.requests: list[tuple[int, int]] = []
        self.closed = False
        self._pending = b""

    def sendall(self, data: bytearray) -> None:
        header = decode_request_header(data, 4)
        self.requests.append((header.api_key, header.api_version))
        self._pending += self.reply(header.api_key, header.api_version, header.correlation_id)

    def recv_into(self, view: memoryview) -> int:
        # One byte at a time at first, so that the reader has to put frames together.
        size = min(len(view), len(self._pending), 1 if len(self._pending) % 2 else 7)
        view[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size

    def settimeout(self, seconds: float) -> None: ...

    def setsockopt(self, *arguments: int) -> None: ...

    def close(self) -> None:
        self.closed = True


def framed(key: int, version: int, correlation_id: int, message: Message) -> bytes:
    out = bytearray()
    encode_response_header(key, version, correlation_id, out)
    out += encode(message, version)
    return struct.pack(">i", len(out)) + bytes(out)


VERSIONS = ApiVersionsResponse(
    api_keys=[
        ApiVersion(api_key=18, min_version=0, max_version=4),
        ApiVersion(api_key=3, min_version=0, max_version=9),
        ApiVersion(api_key=0, min_version=99, max_version=100),
    ]
)


def modern(key: int, version: int, correlation_id: int) -> bytes:
    message: Message = VERSIONS if key == 18 else MetadataResponse(cluster_id="c")
    return framed(key, version, correlation_id, message)


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Callable[[Reply], tuple[Connection, ScriptedSocket]]:
    def open_with(reply: Reply) -> tuple[Connection, ScriptedSocket]:
        scripted = ScriptedSocket(reply)
        monkeypatch.setattr(socket, "create_connection", lambda address, timeout: scripted)
        return Connection("h", 1, ClientSettings((("h", 1),))), scripted

    return open_with


Connect = Callable[[Reply], tuple[Connection, ScriptedSocket]]


def test_requests_go_out_in_the_newest_version_of_both(connect: Connect) -> None:
    connection, scripted = connect(modern)
    assert connection.send(MetadataRequest()).cluster_id == "c"
    assert scripted.requests == [(18, 4), (3, 9)]


def test_a_version_can_be_asked_for(connect: Connect) -> None:
    connection, scripted = connect(modern)
    connection.send(MetadataRequest(), 5)
    assert scripted.requests[-1] == (3, 5)


def test_an_older_broker_answers_api_versions_in_version_0(connect: Connect) -> None:
    old = ApiVersionsResponse(error_code=35, api_keys=[ApiVersion(api_key=18, min_version=0, max_version=2)])

    def reply(key: int, version: int, correlation_id: int) -> bytes:
        if key == 18 and version > 2:
            return framed(18, 0, correlation_id, old)
        return modern(key, version, correlation_id)

    connection, scripted = connect(reply)
    assert scripted.requests == [(18, 4), (18, 2)]
    assert connection.versions[3] == (0, 9)


def test_an_api_that_the_broker_lacks(connect: Connect) -> None:
    connection, _ = connect(modern)
    for key in (0, 60):
        with pytest.raises(KafkaError, match="The broker at h:1 does not serve") as caught:
            connection.version_for(key)
        assert caught.value.code is ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        struct.pack(">i", -1),
        struct.pack(">ii", 4, 999_999),
    ],
)
def test_a_server_that_is_no_broker(connect: Connect, answer: bytes) -> None:
    with pytest.raises(KafkaError, match="h:1 does not speak the Kafka protocol"):
        connect(lambda key, version, correlation_id: answer)


def test_a_connection_closed_in_the_middle(connect: Connect) -> None:
    with pytest.raises(KafkaError, match="closed before the answer came") as caught:
        connect(lambda key, version, correlation_id: struct.pack(">i", 100) + b"abc")
    assert caught.value.code is ErrorCode.NETWORK_EXCEPTION


def test_a_listener_that_hangs_up_is_taken_for_a_secured_one(connect: Connect) -> None:
    with pytest.raises(HungUp, match=r"h:1 closed the connection without an answer: does that listener speak TLS"):
        connect(lambda key, version, correlation_id: b"")
    connection, _ = connect(lambda *asked: modern(*asked) if asked[0] == 18 else b"")
    with pytest.raises(HungUp, match="does that listener want a login"):
        connection.send(MetadataRequest())


def test_a_broker_that_answered_before_and_hangs_up_is_no_question_of_security(connect: Connect) -> None:
    answers = iter([modern, modern])
    connection, _ = connect(lambda *asked: next(answers, lambda *_: b"")(*asked))
    connection.send(MetadataRequest())
    with pytest.raises(KafkaError, match="closed before the answer came") as caught:
        connection.send(MetadataRequest())
    assert not isinstance(caught.value, HungUp)


def test_an_answer_that_cannot_be_read(connect: Connect) -> None:
    def reply(key: int, version: int, correlation_id: int) -> bytes:
        if key == 18:
            return modern(key, version, correlation_id)
        return struct.pack(">iiB", 6, correlation_id, 0) + b"\x00"

    connection, _ = connect(reply)
    with pytest.raises(KafkaError, match="sent a MetadataResponse that cannot be read"):
        connection.send(MetadataRequest())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "h:1: connection refused"),
        (TimeoutError(), "h:1: no answer within 10000 ms"),
        (socket.gaierror(-2, "Name or service not known"), "h:1: no such host"),
    ],
)
def test_a_broker_out_of_reach(monkeypatch: pytest.MonkeyPatch, error: OSError, words: str) -> None:
    def refuse(address: tuple[str, int], timeout: float) -> None:
        raise error

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(KafkaError, match=words):
        Connection("h", 1)


class _NoTls:
    """A TLS library whose peer does not speak it."""

    def __init__(self, error: OSError) -> None:
        self._error = error

    def wrap_socket(self, opened: socket.socket, server_hostname: str) -> socket.socket:
        raise self._error


def _ssl_error(kind: type[ssl.SSLError], reason: str) -> ssl.SSLError:
    error = kind(1, reason.lower().replace("_", " "))
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "is_guessed"),
    [
        (ssl.SSLEOFError(8, "unexpected eof while reading"), True),
        (ConnectionResetError(104, "Connection reset by peer"), True),
        (_ssl_error(ssl.SSLError, "WRONG_VERSION_NUMBER"), True),
        (_ssl_error(ssl.SSLError, "CERTIFICATE_VERIFY_FAILED"), False),
    ],
)
def test_tls_at_a_listener_in_the_clear(monkeypatch: pytest.MonkeyPatch, error: OSError, is_guessed: bool) -> None:
    monkeypatch.setattr(socket, "create_connection", lambda address, timeout: ScriptedSocket(modern))
    security = ClientSecurity(tls=lambda: _NoTls(error))  # type: ignore[arg-type, return-value]
    with pytest.raises(KafkaError, match="h:1: the TLS handshake failed") as caught:
        Connection("h", 1, ClientSettings((("h", 1),), security=security))
    assert caught.value.detail.endswith("; does that listener speak TLS?") is is_guessed
