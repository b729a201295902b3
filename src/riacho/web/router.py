"""Finds the endpoint of a call: a tree over the segments of the raw path.

Starlette matches the path after percent-decoding, so a subject with a slash in its name could not be told from two
segments. Here the raw path is cut first and each segment decoded after. A literal segment wins over a `{name}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(slots=True)
class _Node:
    literals: dict[str, _Node] = field(default_factory=dict)
    variable: _Node | None = None
    endpoints: dict[str, tuple[Endpoint, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    endpoint: Endpoint
    path_params: dict[str, str]


class Router:
    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._root = _Node()
        # Most calls are of few paths, and many of those have nothing that varies.
        self._fixed: dict[tuple[str, str], Found] = {}
        for endpoint in endpoints:
            self._add(endpoint)
            if "{" not in endpoint.path:
                self._fixed[endpoint.method, endpoint.path] = Found(endpoint, {})

    def _add(self, endpoint: Endpoint) -> None:
        node = self._root
        names = []
        for segment in _segments(endpoint.path):
            if segment.startswith("{") and segment.endswith("}"):
                names.append(segment[1:-1])
                node.variable = node.variable or _Node()
                node = node.variable
            else:
                node = node.literals.setdefault(segment, _Node())
        assert endpoint.method not in node.endpoints, f"{endpoint.method} {endpoint.path} stands twice in the table"
        node.endpoints[endpoint.method] = (endpoint, tuple(names))

    def find(self, method: str, raw_path: str) -> Found | frozenset[str]:
        """The endpoint, or the methods that the path would have taken (empty: there is no such path).

        HEAD is GET without the body where nobody says otherwise. ApiError 400 when the path cannot be decoded.
        """
        fixed = self._fixed.get((method, raw_path))
        if fixed is not None:
            return fixed
        segments = _segments(raw_path)
        if "%" in raw_path:
            segments = [_decoded(segment) for segment in segments]
        methods: set[str] = set()
        for wanted in (method, "GET") if method == "HEAD" else (method,):
            found = _search(self._root, segments, 0, [], wanted, methods)
            if found is not None:
                return found
        if "GET" in methods:
            methods.add("HEAD")
        return frozenset(methods)


def _search(
    node: _Node, segments: list[str], at: int, values: list[str], method: str, methods: set[str]
) -> Found | None:
    """`values` are the variable segments on the way to `node`; `methods` gathers what other ways would take."""
    if at == len(segments):
        entry = node.endpoints.get(method)
        if entry is None:
            methods.update(node.endpoints)
            return None
        return Found(entry[0], dict(zip(entry[1], values, strict=True)))
    segment = segments[at]
    literal = node.literals.get(segment)
    if literal is not None:
        found = _search(literal, segments, at + 1, values, method, methods)
        if found is not None:
            return found
    if node.variable is not None and segment:
        return _search(node.variable, segments, at + 1, [*values, segment], method, methods)
    return None


def _segments(path: str) -> list[str]:
    """A slash at the end means nothing."""
    trimmed = path.strip("/")
    return trimmed.split("/") if trimmed else []


def _decoded(segment: str) -> str:
    if _MALFORMED.search(segment) is None:
        try:
            decoded = unquote(segment, errors="strict")
        except UnicodeDecodeError:
            decoded = "\0"
        # Nothing has a NUL in its name; and a library in C would read the name as ending there.
        if "\0" not in decoded:
            return decoded
    raise ApiError(400, 400, "The path has a percent-encoding that is not UTF-8 text.")
