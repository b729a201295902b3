"""Free TCP ports on loopback for servers that must know their port before they start.

Ports come from below the kernel's ephemeral range, so that an outgoing connection made between choosing a port and
binding it cannot take it; a process never hands out the same port twice.
"""

from __future__ import annotations

import random
import socket

LOWEST_PORT = 15_000
HIGHEST_PORT = 32_000

_handed_out: set[int] = set()
_source = random.SystemRandom()  # not seeded: test processes side by side must not draw the same ports


def free_port() -> int:
    for _ in range(1_000):
        port = _source.randint(LOWEST_PORT, HIGHEST_PORT)
        if port not in _handed_out and _can_bind(port):
            _handed_out.add(port)
            return port
    raise OSError(f"no free loopback port between {LOWEST_PORT} and {HIGHEST_PORT}")


def free_ports(count: int) -> list[int]:
    return [free_port() for _ in range(count)]


def free_port_run(length: int) -> int:
    """The first of so many free ports in a row."""
    for _ in range(1_000):
        first = free_port()
        rest = range(first + 1, first + length)
        if first + length <= HIGHEST_PORT and not _handed_out.intersection(rest) and all(map(_can_bind, rest)):
            _handed_out.update(rest)
            return first
    raise OSError(f"no {length} free loopback ports in a row")


def _can_bind(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
