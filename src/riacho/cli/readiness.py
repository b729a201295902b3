"""Ports on this machine: whether one is free, and whether a broker answers there yet."""

from __future__ import annotations

import errno
import socket
import struct

HOST = "127.0.0.1"
# ApiVersions v0, correlation id 1, null client id: what every client asks first, and older brokers answer too.
_API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 1, -1)


def answers(host: str, port: int, timeout_s: float = 1.0) -> bool:
    """Whether a Kafka broker answers ApiVersions at this address."""
    try:
        with socket.create_connection((host, port), timeout=timeout_s) as connection:
            connection.sendall(_API_VERSIONS)
            return connection.recv(8)[4:] == struct.pack(">i", 1)
    except OSError:
        return False


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
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port
