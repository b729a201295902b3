"""Where a service listens (`listeners`), and how others reach it (`advertised.listeners`, `host.name`)."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from riacho.base.config import ConfigError
from riacho.web.config import Settings

_WILDCARDS = frozenset({"", "0.0.0.0", "::"})
BACKLOG = 1024


class Listener(NamedTuple):
    """An empty host is every address of the machine."""

    is_tls: bool
    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_tls else 'http'}://{host}:{self.port}"


class Bound(NamedTuple):
    """A listener with its port taken; `listener.port` is the real one where 0 was asked for."""

    listener: Listener
    socket: socket.socket


def listeners_of(settings: Settings) -> list[Listener]:
    if settings.is_set("listeners") or not settings.is_set("port"):
        found = [parse_listener(text) for text in settings.names("listeners")]
        if not found:
            raise ConfigError("listeners is empty: give at least one address, such as http://127.0.0.1:8081")
        return found
    return [Listener(False, "127.0.0.1", settings.integer("port"))]


def parse_listener(text: str) -> Listener:
    """`http://host:port`, `http://:port`, `https://[::1]:port`; ConfigError."""
    wrong = ConfigError(f"'{text}' in listeners is not an address; write http://host:port or https://host:port")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or port is None or parts.path.strip("/") or parts.query or "@" in parts.netloc:
        raise wrong
    return Listener(scheme == "https", parts.hostname or "", port)


def bind(listener: Listener) -> Bound:
    """ConfigError, one sentence, when the address cannot be had."""
    family = socket.AF_INET6 if ":" in listener.host else socket.AF_INET
    try:
        if listener.host and family is socket.AF_INET:
            address = socket.getaddrinfo(listener.host, listener.port, family, socket.SOCK_STREAM)[0][4]
        else:
            address = (listener.host or "0.0.0.0", listener.port)
        taken = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        # The library's own text has the address in it again.
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise ConfigError(f"{listener.url} cannot be opened: {reason}") from None
    taken.setblocking(False)
    return Bound(listener._replace(port=taken.getsockname()[1]), taken)


def advertised_url(settings: Settings, addresses: Sequence[str]) -> str:
    """How other instances and clients reach this one; `addresses` are those it listens on."""
    advertised = settings.names("advertised.listeners")
    if advertised:
        return advertised[0].rstrip("/")
    listener = parse_listener(addresses[0])
    if settings.text("host.name"):
        listener = listener._replace(host=settings.text("host.name"))
    elif listener.host in _WILDCARDS:
        listener = listener._replace(host=socket.gethostname())
    return listener.url
