"""Where an HTTP call goes, who makes it, and the one error for every way in which it has no answer."""

from __future__ import annotations

import base64
import re
import socket
import ssl
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class HttpError(Exception):
    """There is no answer; one sentence. `reason` is that sentence's why, `was_sent`: the other side may have acted on
    the call all the same."""

    def __init__(self, message: str, *, reason: str = "", was_sent: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason or message.rstrip(".")
        self.was_sent = was_sent


class HttpTarget(NamedTuple):
    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def unreachable(self, reason: str) -> HttpError:
        return HttpError(f"{self} cannot be reached: {reason}.", reason=reason)

    def broken(self, reason: str) -> HttpError:
        return HttpError(f"{self} broke off the connection: {reason}.", reason=reason, was_sent=True)

    def silent(self, timeout_s: float | None) -> HttpError:
        if timeout_s is None:
            # The kernel gave up, whose limit is long.
            return self.broken("it did not answer in time")
        reason = f"it did not answer within {timeout_s:g} s"
        return HttpError(f"{self} did not answer within {timeout_s:g} s.", reason=reason, was_sent=True)


class HttpAddress(NamedTuple):
    """A URL in its parts: `path` with the query, `authorization` of the user in it."""

    target: HttpTarget
    path: str
    authorization: str | None


def address_of(url: str) -> HttpAddress:
    """HttpError where it is no address of a service."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise HttpError(f"'{without_user(url)}' is not a URL.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise HttpError(f"'{without_user(url)}' is not an http or https URL.")
    user = None if parts.username is None else basic(unquote(parts.username), unquote(parts.password or ""))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return HttpAddress(HttpTarget(parts.scheme, parts.hostname, port), path, user)


def basic(user: str, password: str) -> str:
    """The header `Authorization` of a login."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def without_user(url: str) -> str:
    """A URL may carry a password, also one whose scheme was left out."""
    scheme = _SCHEME.match(url)
    begin = scheme.end() if scheme is not None else 0
    return url[:begin] + url[begin:].rpartition("@")[2]


def without_users(urls: str) -> str:
    """The same of several, between commas; what is no URL stays."""
    return ",".join(without_user(each) if "://" in each else each for each in urls.split(","))


def reason_of(error: Exception) -> str:
    """Why a connection failed, for people."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({error.verify_message.rstrip('.')})"
    if isinstance(error, ssl.SSLError):
        return f"the TLS handshake failed ({(error.reason or 'no reason given').lower().replace('_', ' ')})"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, socket.gaierror):
        return "its name is not known"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    # One line, whatever the other side sent.
    return " ".join(str(text).split()).rstrip(".")
