"""Takes what is posted to it, on a port of this machine."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """Answers with the statuses that it is given, then 200."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self.location = ""
        self._some = threading.Condition()
        handler = type("Handler", (_Handler,), {"receiver": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?token=s3cr3t"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def took(self, headers: dict[str, str], body: bytes) -> int:
        with self._some:
            self.got.append((headers, body))
            self._some.notify_all()
            return self.statuses.pop(0) if self.statuses else 200

    def wait(self, count: int) -> None:
        with self._some:
            assert self._some.wait_for(lambda: len(self.got) >= count, 30)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.receiver.took({name.lower(): value for name, value in self.headers.items()}, body)
        self.send_response(status)
        if self.receiver.location:
            self.send_header("Location", self.receiver.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: Any) -> None:
        pass
