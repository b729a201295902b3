"""A broker process under attack, and what it cost: the processor time of its loop's thread, its memory."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.raw import RawConnection, wait_until_served
from support.hostile_requests import Names
from support.riacho_process import HOST, RiachoProcess

TIMEOUT_S = 60.0
PROPERTIES = {
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}
KNOWN = "known"


class HostileBroker:
    def __init__(self, process: RiachoProcess, topic_id: bytes) -> None:
        self.process = process
        self.address = (HOST, process.port)
        # All elements alike, and of a topic that is there; or each another, and none there.
        self.alike = Names(KNOWN, topic_id, is_distinct=False)
        self.made_up = Names("made-up")

    def worked_s(self) -> float:
        """Processor time that the loop's thread has used: no other load on the machine counts."""
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9

    def cost_s(self, frame: bytes | bytearray) -> float:
        """What one request costs the loop, from its first byte to its answer or the end of the connection."""
        with socket.create_connection(self.address, timeout=TIMEOUT_S) as peer:
            before_s = self.worked_s()
            peer.sendall(struct.pack(">i", len(frame)) + frame)
            _answer(peer)
            return self.worked_s() - before_s

    def check(self) -> None:
        assert self.process.is_running, self.process.output_tail()


def _answer(peer: socket.socket) -> int:
    """The size of the answer; 0 when the broker hangs up instead."""
    try:
        head = peer.recv(4, socket.MSG_WAITALL)
        if len(head) < 4:
            return 0
        (size,) = struct.unpack(">i", head)
        left = size
        while left:
            part = peer.recv(min(left, 1 << 20))
            if not part:
                return 0
            left -= len(part)
    except ConnectionError:
        return 0
    return int(size)


@contextmanager
def hostile_broker(directory: Path, properties: dict[str, str] | None = None) -> Iterator[HostileBroker]:
    process = RiachoProcess(directory, PROPERTIES | (properties or {}))
    process.start()
    try:
        with RawConnection((HOST, process.port)) as good:
            wanted = {"name": KNOWN, "num_partitions": 1, "replication_factor": 1}
            good.ask("CreateTopics", 7, topics=[wanted], timeout_ms=5_000)
            wait_until_served(good, KNOWN)
            topic_id = good.ask("Metadata", 12, topics=[{"name": KNOWN}]).topics[0].topic_id
        yield HostileBroker(process, topic_id)
        assert process.stop() == 0, process.output_tail()
    finally:
        process.kill()
