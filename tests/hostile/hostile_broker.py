"""A broker process under attack, and what it cost: the processor time of its loop's thread, its memory."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from conformance.raw import RawConnection, wait_until_served
from hostile import probed_broker
from hostile.probed_broker import Probe
from support.hostile_requests import Names
from support.riacho_nursery import SOURCE
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


class ProbedProcess(RiachoProcess):
    """A broker that measures its loop."""

    def __init__(self, directory: Path, properties: Mapping[str, str]) -> None:
        super().__init__(directory, properties)
        self.probe = Probe(directory / "probe")

    def start(self, timeout_s: float = 30.0) -> str:
        assert not self.is_running, "the broker is already running"
        file = self.directory / "server.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in self.properties.items()))
        words = [sys.executable, probed_broker.__file__, str(self.directory / "probe"), "broker", str(file)]
        with (self.directory / "broker.out").open("ab") as output:
            self.process = subprocess.Popen(
                words,
                env=os.environ | {"PYTHONPATH": str(SOURCE)},
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._wait_until_ready(timeout_s)
        return self.bootstrap


class HostileBroker:
    def __init__(self, process: ProbedProcess, topic_id: bytes) -> None:
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
            answered(peer)
            return self.worked_s() - before_s

    @property
    def controller_port(self) -> int:
        """Where brokers and controllers speak with the quorum."""
        return int(self.process.properties["controller.quorum.voters"].rpartition(":")[2])

    def output_size_bytes(self) -> int:
        return (self.process.directory / "broker.out").stat().st_size

    def output_from(self, start: int) -> str:
        """What the broker logged since its output was that long."""
        return (self.process.directory / "broker.out").read_bytes()[start:].decode(errors="replace")

    def check(self) -> None:
        assert self.process.is_running, self.process.output_tail()


def answered(peer: socket.socket, timeout_s: float = TIMEOUT_S) -> int | None:
    """The size of the answer; None when the broker hangs up instead, or takes longer."""
    peer.settimeout(timeout_s)
    try:
        head = _received(peer, 4)
        (size,) = struct.unpack(">i", head)
        left = size
        while left:
            left -= len(_received(peer, min(left, 1 << 20)))
    except (ConnectionError, TimeoutError):
        return None
    return int(size)


def _received(peer: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        part = peer.recv(size - len(received))
        if not part:
            raise ConnectionError("closed by the broker")
        received += part
    return bytes(received)


@contextmanager
def hostile_broker(directory: Path, properties: dict[str, str] | None = None) -> Iterator[HostileBroker]:
    process = ProbedProcess(directory, PROPERTIES | (properties or {}))
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
