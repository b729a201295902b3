"""A registry that is away, or does not know a schema, is a reason, never a failure; and is not asked again at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from riacho.console.messages.decode import Decoder, SchemaUnknown
from riacho.console.messages.registry import Registry

FRAMED = b"\0\0\0\0\x07\x54"


class Answers(ThreadingHTTPServer):
    """Answers every call alike, and counts them."""

    status, body = 200, b'{"schema": "\\"int\\""}'
    calls = 0


class _Handler(BaseHTTPRequestHandler):
    server: Answers

    def do_GET(self) -> None:
        self.server.calls += 1
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Answers]:
    with Answers(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def url_of(server: Answers) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def nobody() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_a_schema_is_asked_for_once(server: Answers) -> None:
    decoder = Decoder(Registry([url_of(server)]))
    for _ in range(5):
        found = decoder.decode(FRAMED)
        assert (found.format, found.text, found.schema_id) == ("avro", "42", 7)
    assert server.calls == 1


def test_the_next_address_is_asked_where_one_is_away(server: Answers) -> None:
    assert Registry([nobody(), url_of(server)]).by_id(7)[0] == "AVRO"


def test_one_that_is_away_is_left_alone_for_a_moment(server: Answers) -> None:
    now = [0.0]
    registry = Registry([url_of(server)], clock=lambda: now[0])
    decoder = Decoder(registry)
    server.status, server.body = 503, b"starting"
    for _ in range(5):
        found = decoder.decode(FRAMED)
        assert (found.format, found.text) == ("hex", FRAMED.hex())
        assert found.reason == "The schema registry cannot be asked: it answered 503 Service Unavailable."
    assert server.calls == 1
    now[0] = 6.0
    server.status, server.body = 200, Answers.body
    assert decoder.decode(FRAMED).format == "avro"


def test_what_it_does_not_know_is_remembered(server: Answers) -> None:
    now = [0.0]
    decoder = Decoder(Registry([url_of(server)], clock=lambda: now[0]))
    server.status, server.body = 404, b'{"error_code": 40403, "message": "Schema 7 not found"}'
    for _ in range(3):
        found = decoder.decode(FRAMED)
        assert found.reason == "The registry does not give schema 7: Schema 7 not found."
    assert server.calls == 1
    now[0] = 31.0
    decoder.decode(FRAMED)
    assert server.calls == 2


def test_it_is_not_flooded_with_ids_that_nobody_has(server: Answers) -> None:
    decoder = Decoder(Registry([url_of(server)], clock=lambda: 5.5))
    server.status, server.body = 404, b'{"error_code": 40403, "message": "not found"}'
    reasons = {decoder.decode(b"\0" + n.to_bytes(4, "big") + b"\xff").reason for n in range(500)}
    assert server.calls == 50
    assert "Too many schemas that the registry does not know were asked for in this second." in reasons


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"schema": 5}', b'{"schema": "{"}', b"\xff", b"null", b"[" * 9000])
def test_nonsense_is_a_reason_too(server: Answers, body: bytes) -> None:
    server.body = body
    found = Decoder(Registry([url_of(server)])).decode(FRAMED)
    assert found.format == "hex"
    assert (found.reason or "").endswith(".")


def test_nobody_there() -> None:
    with pytest.raises(SchemaUnknown, match="cannot be reached"):
        Registry([nobody()]).latest("t-value")
