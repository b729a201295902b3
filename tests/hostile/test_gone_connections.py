"""What a peer sent is out of the broker's memory when the peer is, whatever it had begun."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.raw import RawConnection
from support.certificates import Authority
from support.ports import free_port
from support.riacho_process import HOST, RiachoProcess

SENT_BYTES = 8 << 20
TIMES = 100
# All that was sent would be ten times this much.
GROWTH_BYTES_MAX = 80 << 20
HALF_A_FRAME = struct.pack(">ihhih", SENT_BYTES * 2, 0, 9, 1, -1) + bytes(SENT_BYTES)
PROTOCOLS = ("PLAINTEXT", "SSL")


@dataclass
class Served:
    process: RiachoProcess
    ports: dict[str, int]

    def connect(self, protocol: str) -> socket.socket:
        plain = socket.create_connection((HOST, self.ports[protocol]), timeout=30.0)
        if protocol == "PLAINTEXT":
            return plain
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context.wrap_socket(plain)

    def settles_below(self, limit_bytes: int) -> None:
        deadline_s = time.monotonic() + 15.0
        while (found := self.process.resident_bytes()) > limit_bytes:
            assert time.monotonic() < deadline_s, f"still {found >> 20} MiB, not {limit_bytes >> 20} MiB"
            time.sleep(0.02)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    directory = Path(tmp_path_factory.mktemp("gone"))
    authority = Authority(directory / "keys")
    process = RiachoProcess(directory)
    properties = process.properties
    secure_port = free_port()
    properties["listeners"] += f",SSL://{HOST}:{secure_port}"
    properties["advertised.listeners"] += f",SSL://{HOST}:{secure_port}"
    properties["listener.security.protocol.map"] += ",SSL:SSL"
    properties |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(authority.issue("broker").pem)}
    properties["inter.broker.listener.name"] = "PLAINTEXT"
    process.start()
    yield Served(process, {"PLAINTEXT": process.port, "SSL": secure_port})
    assert process.stop() == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_half_sent_requests_go_with_their_connection(broker: Served, protocol: str) -> None:
    before = broker.process.resident_bytes()
    for _ in range(TIMES):
        with broker.connect(protocol) as peer:
            peer.sendall(HALF_A_FRAME)
    broker.settles_below(before + GROWTH_BYTES_MAX)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_many_at_once_too(broker: Served, protocol: str) -> None:
    before = broker.process.resident_bytes()
    for _ in range(6):
        with ExitStack() as peers:
            for _ in range(TIMES // 8):
                peers.enter_context(broker.connect(protocol)).sendall(HALF_A_FRAME)
    # The allocator may keep what one round took, for the next.
    broker.settles_below(before + 2 * GROWTH_BYTES_MAX)


def test_requests_in_progress_go_with_their_connection(broker: Served) -> None:
    """A fetch that waits, and behind it eight megabytes that are not looked at yet."""
    address = (HOST, broker.process.port)
    with RawConnection(address) as peer:
        topic = {"name": "waits", "num_partitions": 1, "replication_factor": 1}
        assert peer.ask("CreateTopics", 7, topics=[topic], timeout_ms=5_000).topics[0].error_code == 0
    asked = [{"topic": "waits", "partitions": [{"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1_000}]}]
    before = broker.process.resident_bytes()
    for _ in range(TIMES // 4):
        with RawConnection(address) as peer:
            peer.send("Fetch", 11, max_wait_ms=60_000, min_bytes=1, max_bytes=1_000, replica_id=-1, session_epoch=-1,
                      topics=asked)  # fmt: skip
            peer.socket.settimeout(0.2)
            with suppress(TimeoutError):
                peer.socket.sendall(HALF_A_FRAME)
    broker.settles_below(before + GROWTH_BYTES_MAX)
