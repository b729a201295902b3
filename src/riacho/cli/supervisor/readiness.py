"""Whether a broker answers yet and is a member of its cluster (registered, unfenced, aware of others); whether an
HTTP service is well."""

from __future__ import annotations

import socket
import struct
from collections.abc import Collection

from riacho.base.errors import KafkaError
from riacho.client.settings import ClientSettings

# ApiVersions v0, correlation id 1, null client id: what every client asks first, and older brokers answer too.
_API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 1, -1)
_TIMEOUT_MS = 1_000


def answers(host: str, port: int, timeout_s: float = _TIMEOUT_MS / 1000) -> bool:
    """Whether a Kafka broker answers ApiVersions at this address."""
    try:
        with socket.create_connection((host, port), timeout=timeout_s) as connection:
            connection.sendall(_API_VERSIONS)
            return connection.recv(8)[4:] == struct.pack(">i", 1)
    except OSError:
        return False


def is_healthy(host: str, port: int, timeout_s: float = _TIMEOUT_MS / 1000) -> bool:
    """Whether the HTTP service at this address says that it is well."""
    try:
        with socket.create_connection((host, port), timeout=timeout_s) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n" % host.encode())
            return connection.recv(12)[8:] == b" 200"
    except OSError:
        return False


def sees(host: str, port: int, node_ids: Collection[int]) -> bool:
    """Whether the broker at this address knows all of these as live brokers; fenced ones are not in its metadata."""
    from riacho.client.cluster import Cluster

    settings = ClientSettings(
        ((host, port),), connect_timeout_ms=_TIMEOUT_MS, request_timeout_ms=_TIMEOUT_MS, reach_timeout_ms=0
    )
    try:
        with Cluster(settings) as cluster:
            return cluster.live_brokers().keys() >= set(node_ids)
    except KafkaError:
        return False
