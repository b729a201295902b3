"""A small HTTP API on loopback for tests: answers that the test lays out, requests kept to look at."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    """`headers` by their names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    status: int = 200
    content: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class HttpApi:
    """`answer` decides on each request; it may be replaced between them."""

    answer: Callable[[Request], Reply]
    requests: list[Request] = field(default_factory=list)
    url: str = ""


@contextmanager
def running_api(answer: Callable[[Request], Reply]) -> Iterator[HttpApi]:
    api = HttpApi(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, self.rfile.read(length))
            api.requests.append(request)
            reply = api.answer(request)
            body = b"" if reply.content is None else json.dumps(reply.content).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _handle

        def log_message(self, *words: Any) -> None:
            """Requests are kept, not printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
