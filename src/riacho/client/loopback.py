"""Ports of this machine: whether one is free, and free ones for servers that must know theirs before they start.

Free ports come from below the range that the system gives to outgoing connections. From within it, a connection that
some program makes between our look and the server's bind could take the port; and a client that knocks at a stopped
server's port could be given that very port as its own, and talk to itself.
"""

from __future__ import annotations

import errno
import random
import socket
from pathlib import Path

HOST = "127.0.0.1"
_LOWEST_PORT = 10_240
_TRIES = 1_000
_OUTGOING_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_OUTGOING_LOWEST = 32_768
# Not seeded: programs side by side must not draw the same ports.
_source = random.SystemRandom()


def is_free(port: int, host: str = HOST) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
    return True


def free_port(host: str = HOST) -> int:
    return free_ports(1, host)[0]


def free_ports(count: int, host: str = HOST) -> list[int]:
    """As many different ones."""
    highest = _outgoing_lowest() - 1
    found: list[int] = []
    for _ in range(_TRIES if highest > _LOWEST_PORT else 0):
        if len(found) == count:
            return found
        port = _source.randint(_LOWEST_PORT, highest)
        if port not in found and is_free(port, host):
            found.append(port)
    return found + _system_chosen(count - len(found), host)


def _outgoing_lowest() -> int:
    try:
        return int(_OUTGOING_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return _OUTGOING_LOWEST


def _system_chosen(count: int, host: str) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((host, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()
