"""Which names a service may be called by, and which sites' pages may call it: checked before anything else.

`Host`, where every listener is on loopback: an address of loopback, `localhost`, the machine's own name, or one that
the settings name (`riacho.allowed.hosts`, `host.name`, `advertised.listeners`, `rest.advertised.host.name`). A
service that listens on other addresses is called by names that it cannot know, and asks for none, unless
`riacho.allowed.hosts` says them: as in a container, whose port may be published for its machine alone.

`Origin`, always: a page of the service itself, or of a site that `access.control.allow.origin` names. Programs send
no Origin.
"""

from __future__ import annotations

import socket
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from riacho.base.http_sites import is_loopback, is_own_host, is_same_site
from riacho.web.config import Settings
from riacho.web.cors import Cors
from riacho.web.errors import ApiError
from riacho.web.listeners import listeners_of

ALLOWED_HOSTS = "riacho.allowed.hosts"
_SHOWN_CHARACTERS_MAX = 200


class Sites:
    """`hosts` is None where the service may be called by any name."""

    def __init__(self, hosts: Collection[str] | None, cors: Cors | None) -> None:
        self._hosts = None if hosts is None else frozenset(hosts)
        self._cors = cors
        # Nearly all calls have the same.
        self._last_host = b""

    def check(self, headers: Mapping[bytes, bytes]) -> None:
        """ApiError 403."""
        given = headers.get(b"host", b"")
        # Without a Host there is no browser: HTTP/1.0 has none, and every later one must send it.
        if self._hosts is not None and given and given != self._last_host:
            self._check_host(given.decode("latin-1"), self._hosts)
            self._last_host = given
        host = given.decode("latin-1")
        origin = headers.get(b"origin")
        if origin is None or (self._cors is not None and self._cors.allows(origin)):
            return
        site = origin.decode("latin-1")
        if not is_same_site(site, host):
            raise ApiError(
                403,
                403,
                f"Pages of {_shown(site)} may not call this service: access.control.allow.origin does not name it.",
            )

    def _check_host(self, host: str, known: Collection[str]) -> None:
        if not is_own_host(host, known):
            raise ApiError(403, 403, f"This service is not called {_shown(host)}: {ALLOWED_HOSTS} does not name it.")


def sites_of(settings: Settings, cors: Cors | None) -> Sites:
    return Sites(_hosts(settings), cors)


def _hosts(settings: Settings) -> set[str] | None:
    named = settings.names(ALLOWED_HOSTS)
    listeners = listeners_of(settings)
    if "*" in named or not (named or all(is_loopback(each.host) for each in listeners)):
        return None
    advertised = (urlsplit(url).hostname for url in settings.names("advertised.listeners"))
    found = {*named, settings.text("host.name"), str(settings.get("rest.advertised.host.name") or ""), *advertised}
    return {socket.gethostname(), *(name for name in found if name)}


def _shown(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text[:_SHOWN_CHARACTERS_MAX])
