"""Addresses of clients as settings name them: IP addresses, or host names to look up."""

from __future__ import annotations

import ipaddress
import socket
from asyncio import AbstractEventLoop


def is_address(text: str) -> bool:
    return canonical(text) is not None


def canonical(text: str) -> str | None:
    """An address as a socket shows it; None for what is none."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None


async def resolved(loop: AbstractEventLoop, host: str) -> frozenset[str]:
    """The addresses of a host; none where nobody knows it."""
    try:
        found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return frozenset()
    return frozenset(str(address[0]) for *_, address in found)
