"""Addresses of clients as settings name them: IP addresses, or host names to look up."""

from __future__ import annotations

import ipaddress
import socket
from asyncio import AbstractEventLoop


def is_address(text: str) -> bool:
    return canonical(text) is not None


def canonical(text: str) -> str | None:
    """An address as clients have it; None for what is none."""
    try:
        return unmapped(str(ipaddress.ip_address(text)))
    except ValueError:
        return None


def unmapped(host: str) -> str:
    """Where a listener takes both versions, sockets show an address of version 4 as one of version 6. It is the same
    client, and limits and access control entries name it by the former."""
    if not host.startswith("::") or host == "::1":
        return host
    try:
        mapped = ipaddress.IPv6Address(host).ipv4_mapped
    except ValueError:
        return host
    return host if mapped is None else str(mapped)


async def resolved(loop: AbstractEventLoop, host: str) -> frozenset[str]:
    """The addresses of a host; none where nobody knows it."""
    try:
        found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return frozenset()
    return frozenset(unmapped(str(address[0])) for *_, address in found)
