"""Heads of requests and answers between HTTP/2 and ASGI."""

from __future__ import annotations

from riacho.web.http2.head import Peer, answer_fields, request_head, upgraded_head

FIELDS = [(b":method", b"POST"), (b":scheme", b"http"), (b":authority", b"a:1"), (b":path", b"/b%2Fc?d=e")]


def test_a_request_is_what_http_1_would_have_said() -> None:
    head = request_head([*FIELDS, (b"accept", b"*/*")], has_body=True)
    assert head.headers == [(b"host", b"a:1"), (b"accept", b"*/*"), (b"transfer-encoding", b"chunked")]
    scope = head.scope(Peer(("127.0.0.1", 1), ("127.0.0.1", 2), "http"))
    assert (scope["method"], scope["path"], scope["raw_path"]) == ("POST", "/b/c", b"/b%2Fc")
    assert (scope["query_string"], scope["http_version"], scope["client"]) == (b"d=e", "2", ("127.0.0.1", 2))


def test_a_length_or_a_host_that_is_told_stays() -> None:
    head = request_head([*FIELDS, (b"host", b"a:1"), (b"content-length", b"3")], has_body=True)
    assert head.headers == [(b"host", b"a:1"), (b"content-length", b"3")]
    assert request_head(FIELDS, has_body=False).headers == [(b"host", b"a:1")]


def test_what_is_of_a_connection_is_left_out() -> None:
    connection = [(b"Connection", b"close"), (b"upgrade", b"h2c"), (b"transfer-encoding", b"chunked")]
    assert answer_fields(204, [*connection, (b"x", b"y")]) == [(b":status", b"204"), (b"x", b"y")]
    head = upgraded_head("GET", b"/a", b"b=c", [*connection, (b"http2-settings", b""), (b"host", b"h")])
    assert (head.method, head.target, head.headers) == (b"GET", b"/a?b=c", [(b"host", b"h")])
