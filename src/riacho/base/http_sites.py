"""Whom an HTTP call is addressed to (`Host`) and which page made it (`Origin`), for services that browsers can reach.

A web page can make the browser that shows it call any address, this machine's included. Two headers that a page cannot
forge tell: `Origin` names the page's site, and `Host` the name that the browser looked up, which is the attacker's own
where a name was made to point to this machine (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

LOCALHOST = "localhost"
_PORTS = {"http": 80, "https": 443}


def is_own_host(host_header: str, names: Collection[str]) -> bool:
    """Whether `Host` is this machine by itself (an address of loopback, `localhost`) or one of `names`, with any
    port."""
    host = _split(f"http://{host_header}")
    return host is not None and (is_loopback(host[0]) or host[0] in {name.lower().rstrip(".") for name in names})


def is_same_site(origin: str, host_header: str) -> bool:
    """Whether the page came from the address that it calls."""
    page = _split(origin)
    if page is None:
        return False
    scheme = origin.partition("://")[0].lower()
    return page == _split(f"{scheme}://{host_header}")


def is_loopback(host: str) -> bool:
    if host.lower().rstrip(".") == LOCALHOST:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _split(url: str) -> tuple[str, int] | None:
    """Host in lower case and port; None where it is no address, as `null`."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    if parts.path or parts.query or parts.fragment:
        return None
    return parts.hostname.rstrip("."), port or _PORTS[parts.scheme]
