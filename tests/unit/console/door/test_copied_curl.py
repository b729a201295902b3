"""curl as the pages copy it where an identity provider lets in: a shell runs it with the session of the browser, and
does not without (`web-ui/tests/command_lines.test.ts` writes the lines)."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from riacho.console.api.session import Me
from riacho.console.door.csrf import HEADER

LINES = (Path(__file__).parents[4] / "web-ui/tests/curl_lines.txt").read_text(encoding="utf-8").splitlines()
WRITTEN_FOR = "http://127.0.0.1:9021"
COOKIE = "theme=dark; riacho_session=a-Session_of-a=browser"
TOKEN = "a-Token_of_the-session"


class _Console(BaseHTTPRequestHandler):
    """Lets in whom the door would let in, and keeps what was sent."""

    heard: list[tuple[str, str, object]]

    def do_GET(self) -> None:
        me = Me("ana@example.com", "admin", "oidc", TOKEN, False, "1")
        self._answer(msgspec.json.encode(me) if self.path == "/api/v1/me" else b"[]")

    def do_POST(self) -> None:
        assert self.headers[HEADER.decode()] == TOKEN
        self._answer(b"{}")

    def _answer(self, body: bytes) -> None:
        is_in = self.headers["Cookie"] == COOKIE
        sent = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.heard.append((self.command, self.path, json.loads(sent or b"null")))
        self.send_response(200 if is_in else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def console() -> Iterator[ThreadingHTTPServer]:
    _Console.heard = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Console)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _run(console: ThreadingHTTPServer, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = line.replace(WRITTEN_FOR, f"http://127.0.0.1:{console.server_port}")
    clean = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    told = own.replace("curl ", "curl -sf ", 1)
    return subprocess.run(["sh", "-c", told], env=clean | environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("line", LINES)
def test_it_is_let_in(console: ThreadingHTTPServer, line: str) -> None:
    done = _run(console, line, RIACHO_COOKIE=COOKIE)
    assert (done.returncode, done.stderr) == (0, "")
    asked = ("GET", "/api/v1/clusters?q=a+b", None)
    made = [("GET", "/api/v1/me", None), ("POST", "/api/v1/clusters/default/topics", {"name": "it's"})]
    assert _Console.heard in ([asked], made)


@pytest.mark.parametrize("line", LINES)
def test_without_a_session_it_says_where_one_stands_and_calls_nobody(console: ThreadingHTTPServer, line: str) -> None:
    done = _run(console, line)
    assert done.returncode != 0
    assert "Cookie header of this page" in done.stderr
    assert _Console.heard == []
