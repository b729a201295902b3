"""One endpoint of a service: where it is, what it takes and answers, who handles it.

A service is a table of these. The router is built from the table, and so is `/openapi.json`: what is served is what is
described.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from starlette.responses import Response

from riacho.web.call import Call

Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Query:
    """A query parameter. `type` is bool, int, str or list (a str that may be repeated)."""

    name: str
    type: type
    about: str
    default: object = None


class Described(TypedDict, total=False):
    """What an endpoint says of itself, where a service's table adds what all of its endpoints share."""

    query: tuple[Query, ...]
    body: Any
    optional_body: bool
    answers: Mapping[int, Any]
    segments: Mapping[str, type]
    is_public: bool
    tag: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`path` has `{name}` for a segment that varies; a segment arrives percent-decoded, so it may contain a slash."""

    method: str
    path: str
    handler: Handler
    about: str
    query: tuple[Query, ...] = ()
    # What the body must be: a msgspec-decodable type, None for no body; `optional_body` where it may be missing.
    body: Any = None
    optional_body: bool = False
    # status -> type of the answer (None: no body)
    answers: Mapping[int, Any] = field(default_factory=lambda: {200: Any})
    # error_code -> when it is answered; the HTTP status is the code's first three digits
    errors: Mapping[int, str] = field(default_factory=dict)
    request_types: tuple[str, ...] = ("application/json",)
    answer_types: tuple[str, ...] = ("application/json",)
    # Open to everyone even where the service asks who is calling, and served when the service is full (health checks).
    is_public: bool = False
    # The body is read piece by piece, for as long as it comes: no limit of size or time (`Call.stream`).
    is_stream: bool = False
    # A GET that offers to become a WebSocket (426 otherwise); its handler returns a `websocket_answer`.
    is_websocket: bool = False
    # Its answer goes on for as long as somebody listens. It has a bound of its own and takes no room from other calls:
    # a thousand listeners do not make the service full.
    is_followed: bool = False
    # Where a body may be larger, or must be smaller, than the service's others.
    body_bytes_max: int | None = None
    # Types of the path's segments that are not text (int), for the description.
    segments: Mapping[str, type] = field(default_factory=dict)
    # The chapter of the description it stands in; the first literal segment of the path when empty.
    tag: str = ""
