"""Addresses that a connector may call.

    public      what the internet routes                         private    networks of one's own (RFC 1918, ULA)
    loopback    this machine                                     http://api.example:8443/v1    what begins so; also
                                                                 https://*.example.com, s3a://bucket/folder

A name is judged by what it resolves to: when the connector starts, and with HTTP again by whom the connection reached,
before anything is sent. Link-local addresses and those where clouds tell credentials are in none of the classes.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, unquote, urlsplit

from riacho.base.http_sites import is_loopback
from riacho.pipelines.reach.limits import ALL, URLS

PUBLIC, PRIVATE, LOOPBACK = "public", "private", "loopback"
_CLASSES = frozenset({PUBLIC, PRIVATE, LOOPBACK})
_HTTP_PORTS = {"http": 80, "https": 443}
# Where clouds tell machines of theirs who they are, beside 169.254.169.254.
_CREDENTIALS = frozenset(map(ip_address, ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")))
_SHARED = ip_network("100.64.0.0/10")
_NAT64 = ip_network("64:ff9b::/96")


def url_refusal(url: str, allowed: Iterable[str], *, resolve: bool) -> str | None:
    """Why the address may not be called, without what may be secret in it; None where it may. `resolve`: names are
    looked up; until then they pass where a class is allowed at all."""
    allowed = tuple(allowed)
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is no address"
    if parts.scheme.lower() not in _HTTP_PORTS or not host:
        return "it is no http:// or https:// address"
    if matches(url, allowed):
        return None
    if not _CLASSES.intersection(allowed):
        return f"{_shown(parts)} is not among {URLS}"
    for address in _addresses(host, resolve):
        refusal = address_refusal(url, address, allowed)
        if refusal is not None:
            return refusal
    return None


def address_refusal(url: str, address: str, allowed: Iterable[str]) -> str | None:
    """The same for an address of the network that `url` has led to."""
    allowed = tuple(allowed)
    if matches(url, allowed):
        return None
    kind = address_class(address)
    if kind in allowed:
        return None
    shown = _shown(urlsplit(url))
    return f"{shown} is {kind or 'not one for connectors'} ({address}), which is not among {URLS}"


def address_class(text: str) -> str | None:
    """public, private or loopback; None of an address that is nobody's to call."""
    address = _plain(ip_address(text.partition("%")[0]))
    if address in _CREDENTIALS or address.is_link_local or address.is_multicast:
        return None
    if address.is_loopback or address.is_unspecified:
        return LOOPBACK
    if address.is_private or address in _SHARED:
        return PRIVATE
    return PUBLIC if address.is_global else None


def matches(url: str, allowed: Iterable[str]) -> bool:
    """Whether one of the addresses in `allowed` is where `url` begins."""
    try:
        return any(each == ALL or (each not in _CLASSES and _begins(urlsplit(url), urlsplit(each))) for each in allowed)
    except ValueError:
        return False


def _begins(url: SplitResult, wanted: SplitResult) -> bool:
    if url.scheme.lower() != wanted.scheme.lower() or not wanted.scheme:
        return False
    host, pattern = (url.hostname or "").rstrip("."), (wanted.hostname or "").rstrip(".")
    if not fnmatchcase(host, pattern) and not (is_loopback(host) and is_loopback(pattern)):
        return False
    # Azure's addresses have the container there.
    if _port(url) != _port(wanted) or wanted.username not in (None, url.username):
        return False
    path, prefix = unquote(url.path).rstrip("/"), wanted.path.rstrip("/")
    if ".." in path.split("/"):
        return False
    return path == prefix or path.startswith(f"{prefix}/")


def _port(parts: SplitResult) -> int | None:
    return parts.port or _HTTP_PORTS.get(parts.scheme.lower())


def _addresses(host: str, resolve: bool) -> list[str]:
    try:
        return [str(ip_address(host.partition("%")[0]))]
    except ValueError:
        if is_loopback(host):
            return ["127.0.0.1"]
    if not resolve:
        return []
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        # Nobody is there to be called; whoever tries says so.
        return []


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Of an IPv4 address in IPv6's clothes the address itself."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _shown(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
