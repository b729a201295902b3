"""The head of a request as ASGI wants it, and that of an answer as HTTP/2 does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from starlette.types import Scope

Header = tuple[bytes, bytes]

# Of a connection of HTTP/1.1, and no business of a stream.
_OF_CONNECTIONS = frozenset(
    {b"connection", b"http2-settings", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"}
)


class Peer(NamedTuple):
    """Who speaks with whom, the same for all requests of a connection."""

    server: tuple[str, int | None] | None
    client: tuple[str, int] | None
    scheme: str


class RequestHead(NamedTuple):
    method: bytes
    # Path and query, as they came.
    target: bytes
    headers: list[Header]

    @property
    def size_bytes(self) -> int:
        return len(self.target) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def scope(self, peer: Peer) -> Scope:
        raw_path, _, query = self.target.partition(b"?")
        path = raw_path.decode("latin-1")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "2",
            "server": peer.server,
            "client": peer.client,
            "scheme": peer.scheme,
            "root_path": "",
            "headers": self.headers,
            "state": {},
            "method": self.method.decode("latin-1"),
            "path": unquote(path) if "%" in path else path,
            "raw_path": raw_path,
            "query_string": query,
        }


def request_head(fields: Iterable[Header], *, has_body: bool) -> RequestHead:
    """From the fields of a header block, which h2 has checked: each pseudo-field stands there once and first."""
    method = authority = b""
    # What CONNECT leaves out.
    target = b"*"
    headers: list[Header] = []
    for name, value in fields:
        if not name.startswith(b":"):
            headers.append((bytes(name), bytes(value)))
        elif name == b":method":
            method = bytes(value)
        elif name == b":path":
            target = bytes(value)
        elif name == b":authority":
            authority = bytes(value)
    names = {name for name, _ in headers}
    if authority and b"host" not in names:
        headers.insert(0, (b"host", authority))
    if has_body and b"content-length" not in names:
        # So HTTP/1.1 says that there is a body of unknown length, and so everybody after us looks for one.
        headers.append((b"transfer-encoding", b"chunked"))
    return RequestHead(method, target, headers)


def upgraded_head(method: str, path: bytes, query: bytes | None, headers: Iterable[Header]) -> RequestHead:
    """The request of HTTP/1.1 by which a connection became one of HTTP/2: its first stream."""
    target = path if query is None else path + b"?" + query
    return RequestHead(method.encode("latin-1"), target, _of_streams(headers))


def answer_fields(status: int, headers: Iterable[Header]) -> list[Header]:
    return [(b":status", b"%d" % status), *_of_streams(headers)]


def _of_streams(headers: Iterable[Header]) -> list[Header]:
    return [(name, value) for name, value in headers if name.lower() not in _OF_CONNECTIONS]
