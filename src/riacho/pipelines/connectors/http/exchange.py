"""Calls of an HTTP API: one kept connection, authentication, and another try when the answer is that it may pass.

429 and 5xx, and connections that fail, are tried again with a pause that doubles; `Retry-After` is followed if given.
Everything else is the caller's to judge.
"""

from __future__ import annotations

import base64
import http.client
import random
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from riacho.base.backoff import Backoff
from riacho.base.config import ConfigError, Value
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.reach.limits import ALL
from riacho.pipelines.reach.urls import address_trouble, url_trouble

_PAUSE_MS_MAX = 60_000
_BODY_BYTES_MAX = 256 * 1024 * 1024


class HttpAnswer(NamedTuple):
    """`headers` by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    headers: dict[str, str] = field(default_factory=dict)
    auth_type: str = "none"
    user: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    retries_max: int = 10
    backoff_s: float = 3.0
    connect_timeout_s: float = 30.0
    request_timeout_s: float = 30.0
    allowed_urls: tuple[str, ...] = (ALL,)

    def all_headers(self) -> dict[str, str]:
        found = dict(self.headers)
        if self.auth_type == "basic":
            found["Authorization"] = "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        elif self.auth_type == "bearer":
            found["Authorization"] = f"Bearer {self.token}"
        return found


class HttpExchange:
    """Not for several threads."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._headers = settings.all_headers()
        self._connection: http.client.HTTPConnection | None = None
        self._target: tuple[str, str] | None = None

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpAnswer:
        """The last answer when tries are used up; ConnectError when there was none at all."""
        for attempt in range(self._settings.retries_max + 1):
            is_last = attempt == self._settings.retries_max
            try:
                answer = self._once(method, url, {**self._headers, **headers}, body)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if is_last:
                    raise ConnectError(f"{shown_url(url)} cannot be reached: {_reason(error)}") from None
                self._pause(attempt, None)
                continue
            if is_last or not (answer.status == 429 or answer.status >= 500):
                return answer
            self._pause(attempt, answer.headers.get("retry-after"))
        raise AssertionError("the last attempt returns or raises")

    def reach(self, url: str) -> None:
        """ConnectError when nobody listens there."""
        try:
            self._connected(urlsplit(url))
        except OSError as error:
            raise ConnectError(f"{shown_url(url)} cannot be reached: {_reason(error)}") from None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _pause(self, attempt: int, asked: str | None) -> None:
        if asked is not None and asked.isdigit():
            time.sleep(min(float(asked), _PAUSE_MS_MAX / 1000))
        else:
            # Not all at the same time: others who were refused wait as well.
            backoff = Backoff(int(self._settings.backoff_s * 1000), _PAUSE_MS_MAX)
            time.sleep(backoff.drawn_ms(attempt + 1, random.randrange, least_share=0.5) / 1000)

    def _once(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> HttpAnswer:
        # Keys of records may stand in it.
        _refuse(url_trouble(url, self._settings.allowed_urls, resolve=False))
        split = urlsplit(url)
        connection = self._connected(split)
        path = (split.path or "/") + (f"?{split.query}" if split.query else "")
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        content = response.read(_BODY_BYTES_MAX + 1)
        if len(content) > _BODY_BYTES_MAX:
            raise http.client.HTTPException(f"the answer is longer than {_BODY_BYTES_MAX} bytes")
        return HttpAnswer(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def _connected(self, split: SplitResult) -> http.client.HTTPConnection:
        target = (split.scheme, split.netloc)
        if self._connection is not None and self._target == target:
            return self._connection
        self.close()
        # An answer may have named the next page, and a name may lead elsewhere than when the connector started.
        _refuse(url_trouble(split.geturl(), self._settings.allowed_urls, resolve=True))
        host, timeout = str(split.hostname), self._settings.connect_timeout_s
        if split.scheme == "https":
            context = ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, split.port, timeout=timeout, context=context
            )
        else:
            connection = http.client.HTTPConnection(host, split.port, timeout=timeout)
        connection.connect()
        reached = str(connection.sock.getpeername()[0])
        trouble = address_trouble(split.geturl(), reached, self._settings.allowed_urls)
        if trouble is not None:
            connection.close()
            _refuse(trouble)
        connection.sock.settimeout(self._settings.request_timeout_s)
        self._connection, self._target = connection, target
        return connection


def _refuse(trouble: str | None) -> None:
    if trouble is not None:
        raise ConnectError(f"The call is refused: {trouble}.")


def valid_url(name: str, value: Value) -> None:
    """A validator. What it says does not repeat the address, which may hold a secret."""
    try:
        split = urlsplit(str(value or ""))
        usable = split.scheme in ("http", "https") and bool(split.hostname) and (split.port is None or split.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(f"Invalid value for configuration {name}: Expected an address such as http://host:port/path")


def shown_url(url: str) -> str:
    """Without query and user, where secrets may be."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc.rpartition('@')[2]}{split.path}"


def _reason(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "the host's name is not known"
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
