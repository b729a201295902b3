"""A server that answers ksqlDB's REST API as its documentation says, from a table: for tests of the command line."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON_TYPE = "application/vnd.ksql.v1+json"


@dataclass
class Request:
    method: str
    path: str
    body: Any
    authorization: str | None


@dataclass
class FakeKsql:
    """`answers` by statement: entities, or a status and an error. `rows` of a query by its text: what follows its
    header, the last of them being held back while `is_endless`, and the end left out where it `breaks_off`."""

    url: str = ""
    version: str = "7.9.0"
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    errors: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    rows: dict[str, list[Any]] = field(default_factory=dict)
    columns: tuple[tuple[str, str], ...] = (("ID", "INTEGER"), ("NAME", "STRING"))
    printed: list[str] = field(default_factory=list)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    is_endless: bool = False
    breaks_off: bool = False
    login: tuple[str, str] | None = None
    requests: list[Request] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    flowing: threading.Event = field(default_factory=threading.Event)

    def sent(self, path: str) -> list[Any]:
        return [request.body for request in self.requests if request.path == path]

    def statement_bodies(self) -> list[str]:
        return [body["ksql"] for body in self.sent("/ksql")]


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no error, and its trace would be among what the command line printed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def fake_ksql() -> Iterator[FakeKsql]:
    fake = FakeKsql()
    server = _Server(("127.0.0.1", 0), _handler(fake))
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(fake: FakeKsql) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            return

        def do_GET(self) -> None:
            self._served("GET", self._get)

        def do_POST(self) -> None:
            self._served("POST", self._post)

        def _served(self, method: str, serve: Callable[[Any], None]) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            authorization = self.headers.get("Authorization")
            fake.requests.append(Request(method, self.path, body, authorization))
            if fake.login is not None and authorization != _basic(*fake.login):
                return self._json(401, {"error_code": 40100, "message": "Unauthorized"})
            return serve(body)

        def _get(self, _body: Any) -> None:
            if self.path == "/info":
                about = {"version": fake.version, "kafkaClusterId": "k", "ksqlServiceId": "default_"}
                self._json(200, {"KsqlServerInfo": {**about, "serverStatus": "RUNNING"}})
            elif self.path.startswith("/status/"):
                self._json(200, fake.statuses.pop(0))
            elif self.path == "/is_valid_property/ksql.bad":
                self._json(400, {"error_code": 40000, "message": "Not recognizable as ksql property: 'ksql.bad'"})
            elif self.path.startswith("/is_valid_property/"):
                self._json(200, True)
            else:
                self._json(404, {"error_code": 40400, "message": "HTTP 404 Not Found"})

        def _post(self, body: Any) -> None:
            if self.path == "/ksql":
                text = body["ksql"]
                if text in fake.errors:
                    self._json(*fake.errors[text])
                else:
                    self._json(200, fake.answers.get(text, []))
            elif self.path == "/query-stream":
                self._query(body["sql"])
            elif self.path == "/query":
                self._lines(fake.printed)
            elif self.path == "/close-query":
                self._json(200, None)
            else:
                self._json(404, {"error_code": 40400, "message": "HTTP 404 Not Found"})

        def _query(self, text: str) -> None:
            if text in fake.errors:
                return self._json(*fake.errors[text])
            header = {
                "queryId": "q-1" if "EMIT" in text else None,
                "columnNames": [name for name, _ in fake.columns],
                "columnTypes": [kind for _, kind in fake.columns],
            }
            return self._lines([json.dumps(each) for each in [header, *fake.rows.get(text, [])]])

        def _lines(self, lines: list[str]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", JSON_TYPE)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for line in lines:
                    self._chunk(line.encode() + b"\n")
                fake.flowing.set()
                if fake.is_endless:
                    fake.released.wait(30)
                if fake.breaks_off:
                    self.close_connection = True
                else:
                    self._chunk(b"")
            except OSError:
                self.close_connection = True

        def _chunk(self, content: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
            self.wfile.flush()

        def _json(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", JSON_TYPE)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
