"""Calls of an HTTP API: one kept connection, authentication, and another try when the answer is that it may pass.

429 and 5xx, and connections that fail, are tried again with a pause that doubles; `Retry-After` is followed if given.
Everything else is the caller's to judge.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from riacho.base.backoff import Backoff
from riacho.base.config import ConfigError, Value
from riacho.client.http_client import HttpAnswer, HttpClient
from riacho.client.http_target import HttpError, basic
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.reach.limits import ALL
from riacho.pipelines.reach.urls import address_refusal, url_refusal

_PAUSE_MS_MAX = 60_000
_BODY_BYTES_MAX = 256 * 1024 * 1024


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
            found["Authorization"] = basic(self.user, self.password)
        elif self.auth_type == "bearer":
            found["Authorization"] = f"Bearer {self.token}"
        return found


class HttpExchange:
    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._headers = settings.all_headers()
        self._client = HttpClient(answer_bytes_max=_BODY_BYTES_MAX, guard=self._check_connection)

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpAnswer:
        """The last answer when tries are used up; ConnectError when there was none at all."""
        for attempt in range(self._settings.retries_max + 1):
            is_last = attempt == self._settings.retries_max
            # Keys of records may stand in it.
            _refuse(url_refusal(url, self._settings.allowed_urls, resolve=False))
            try:
                answer = self._client.request(
                    method,
                    url,
                    headers={**self._headers, **headers},
                    body=body,
                    timeout_s=self._settings.request_timeout_s,
                    connect_timeout_s=self._settings.connect_timeout_s,
                )
            except HttpError as error:
                if is_last:
                    raise _unreachable(url, error) from None
                self._pause(attempt, None)
                continue
            if is_last or not (answer.status == 429 or answer.status >= 500):
                return answer
            self._pause(attempt, answer.headers.get("retry-after"))
        raise AssertionError("the last attempt returns or raises")

    def reach(self, url: str) -> None:
        """ConnectError when nobody listens there."""
        try:
            self._client.reach(url, self._settings.connect_timeout_s)
        except HttpError as error:
            raise _unreachable(url, error) from None

    def close(self) -> None:
        self._client.close()

    def _pause(self, attempt: int, asked: str | None) -> None:
        if asked is not None and asked.isdecimal():
            time.sleep(min(float(asked), _PAUSE_MS_MAX / 1000))
        else:
            # Not all at the same time: others who were refused wait as well.
            backoff = Backoff(int(self._settings.backoff_s * 1000), _PAUSE_MS_MAX)
            time.sleep(backoff.drawn_ms(attempt + 1, random.randrange, least_share=0.5) / 1000)

    def _check_connection(self, url: str, address: str | None) -> None:
        # An answer may have named the next page, and a name may lead elsewhere than when the connector started.
        allowed = self._settings.allowed_urls
        _refuse(url_refusal(url, allowed, resolve=True) if address is None else address_refusal(url, address, allowed))


def _unreachable(url: str, error: HttpError) -> ConnectError:
    return ConnectError(f"{shown_url(url)} cannot be reached: {error.reason}")


def _refuse(refusal: str | None) -> None:
    if refusal is not None:
        raise ConnectError(f"The call is refused: {refusal}.")


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
