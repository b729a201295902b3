"""Brings a call to the instance that leads, and its answer back."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from riacho.client.http_target import HttpError
from riacho.single_writer.errors import LogError, OutcomeUnknown
from riacho.web.call import Call
from riacho.web.upstream import Upstream

# What Confluent's services call it: "false" asks for the call not to be forwarded any further.
HEADER = "x-forward"
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "host",
        # Checked where the call came in: the leader has another name.
        "origin",
        "content-length",
        "expect",
        "date",
        "server",
        HEADER,
    }
)


class NotReached(Exception):
    """The leader did not get the call: it may be sent to another."""


def was_forwarded(call: Call) -> bool:
    return call.headers.get(HEADER, "").lower() == "false"


async def forward(upstream: Upstream, call: Call, leader_url: str, timeout_s: float) -> Response:
    """The leader's answer, whatever it is. OutcomeUnknown when it may have acted and did not say so."""
    try:
        answer = await upstream.request(
            call.method,
            leader_url.rstrip("/") + _target(call),
            headers=_end_to_end(call.headers) | {HEADER: "false"},
            body=await call.body() or None,
            timeout_s=timeout_s,
        )
    except HttpError as error:
        if not error.was_sent:
            raise NotReached(error.message) from None
        if call.method in ("GET", "HEAD"):
            raise LogError(f"The leader did not answer: {error.message}") from None
        raise OutcomeUnknown(
            f"The leader did not answer, and may or may not have made the change: {error.message}"
        ) from None
    return Response(answer.body, answer.status, headers=_end_to_end(answer.headers))


def _target(call: Call) -> str:
    path: bytes = call.scope.get("raw_path") or call.url.path.encode()
    query: bytes = call.scope.get("query_string", b"")
    return (path + b"?" + query if query else path).decode("ascii")


def _end_to_end(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _HOP_BY_HOP}
