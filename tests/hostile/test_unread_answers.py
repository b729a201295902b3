"""Large answers that nobody reads: all together are bounded, and whoever is over the bound is hung up on."""

from __future__ import annotations

import socket
import struct
from contextlib import ExitStack, suppress
from pathlib import Path

from conformance.raw import RawConnection
from conformance.waiting import eventually
from hostile.hostile_broker import HostileBroker, hostile_broker
from support.hostile_requests import hostile_request, request_bytes

HELD_BYTES_MAX = 4 << 20
# Each gets an answer of more than a megabyte.
PEERS = 16
ELEMENTS = 30_000


def open_files(broker: HostileBroker) -> int:
    return len(list(Path(f"/proc/{broker.process.pid}/fd").iterdir()))


def test_unread_answers_are_bounded(tmp_path: Path) -> None:
    with hostile_broker(tmp_path, {"queued.max.request.bytes": str(HELD_BYTES_MAX)}) as broker:
        frame = request_bytes(hostile_request(10, 6, ("coordinator_keys",), ELEMENTS, broker.made_up), 10, 6)
        frame = struct.pack(">i", len(frame)) + frame
        before = open_files(broker)
        with ExitStack() as peers:
            for _ in range(PEERS):
                peer = peers.enter_context(socket.create_connection(broker.address, timeout=30.0))
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                peer.sendall(frame)
                # Served, as its answer begins; it is not read.
                with suppress(ConnectionResetError):
                    peer.recv(4, socket.MSG_PEEK)
            eventually(lambda: open_files(broker) - before <= PEERS // 2)
            with RawConnection(broker.address) as good:
                assert good.ask("ApiVersions", 0).error_code == 0
