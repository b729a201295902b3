"""Hostile peers: noise, giant frames, silence, idle crowds, unread answers. A good client must not notice any of it.

Every attack runs beside a client that writes and reads back one record at a time. It fails when that client stalls,
when the broker's resident memory grows beyond a bound, or when the broker ends.
"""

from __future__ import annotations

import os
import random
import resource
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from conformance.raw import ClosedByBroker, RawConnection, batch, wait_until_served
from riacho.wire.apis import APIS
from support.riacho_process import API_VERSIONS_REQUEST, RiachoProcess

STALL_S_MAX = float(os.environ.get("RIACHO_STALL_S", "1.0"))
GROWTH_BYTES_MAX = 96 << 20
IDLE_CONNECTIONS = int(os.environ.get("RIACHO_IDLE_CONNECTIONS", "5000"))
PIPELINED_REQUESTS = 10_000
FRAME_SIZE_BYTES_MAX = 104_857_600
PROPERTIES = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "max.connections.per.ip": "20000",
}
SEED = 77


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RiachoProcess]:
    process = RiachoProcess(Path(tmp_path_factory.mktemp("hostile")), PROPERTIES)
    process.start()
    yield process
    assert process.stop() == 0


class GoodClient:
    """Writes a record, reads it back, again and again; remembers how long the slowest round took."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address
        self.rounds, self.slowest_s = 0, 0.0
        self.error: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> GoodClient:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with RawConnection(self.address) as connection:
                topic = f"good-{time.monotonic_ns()}"
                wanted = {"name": topic, "num_partitions": 1, "replication_factor": 1}
                connection.ask("CreateTopics", 7, topics=[wanted], timeout_ms=5_000)
                wait_until_served(connection, topic)
                while not self._stop.is_set():
                    started = time.monotonic()
                    self._round(connection, topic)
                    self.slowest_s = max(self.slowest_s, time.monotonic() - started)
                    self.rounds += 1
                    self._stop.wait(0.005)
        except BaseException as error:  # shown by check()
            self.error = error

    def _round(self, connection: RawConnection, topic: str) -> None:
        data = {"name": topic, "partition_data": [{"index": 0, "records": batch(b"%d" % self.rounds)}]}
        [stored] = connection.ask("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data]).responses
        offset = stored.partition_responses[0].base_offset
        assert offset == self.rounds
        partition = {"partition": 0, "fetch_offset": offset, "partition_max_bytes": 1_000}
        asked = [{"topic": topic, "partitions": [partition]}]
        answer = connection.ask(
            "Fetch", 11, max_wait_ms=500, min_bytes=1, max_bytes=1_000, session_epoch=-1, replica_id=-1, topics=asked
        )
        assert len(answer.responses[0].partitions[0].records) > 60

    def check(self) -> None:
        assert self.error is None, f"the good client failed: {self.error!r}"
        assert self.rounds >= 10, f"only {self.rounds} rounds"
        assert self.slowest_s < STALL_S_MAX, f"a round took {self.slowest_s:.2f} s"


class MemoryWatch:
    """The highest resident memory of the broker while an attack runs."""

    def __init__(self, broker: RiachoProcess) -> None:
        self._broker = broker
        self.highest_bytes = broker.resident_bytes()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.01) and self._broker.is_running:
            self.highest_bytes = max(self.highest_bytes, self._broker.resident_bytes())


@pytest.fixture
def beside(broker: RiachoProcess) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Run an attack while the good client works, then hold the broker to its bounds."""

    def run(attack: Callable[[], object]) -> None:
        before = broker.resident_bytes()
        with MemoryWatch(broker) as memory, GoodClient(("127.0.0.1", broker.port)) as good:
            started = time.monotonic()
            attack()
            while good.rounds < 20 and good.error is None and time.monotonic() < started + 30:
                time.sleep(0.01)
        good.check()
        assert broker.is_running, broker.output_tail()
        growth = memory.highest_bytes - before
        print(f"{good.rounds} good rounds, slowest {good.slowest_s * 1000:.0f} ms, memory +{growth >> 20} MiB")
        assert growth < GROWTH_BYTES_MAX, f"grew by {growth >> 20} MiB"

    yield run
    assert broker.is_running, broker.output_tail()


def connect(broker: RiachoProcess, timeout_s: float = 15.0) -> socket.socket:
    return socket.create_connection(("127.0.0.1", broker.port), timeout=timeout_s)


def is_closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(65_536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def test_random_bytes(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]) -> None:
    rng = random.Random(SEED)

    def attack() -> None:
        for _ in range(200):
            with connect(broker) as peer, suppress(ConnectionError):
                peer.sendall(rng.randbytes(rng.randrange(1, 4_096)))

    beside(attack)


@pytest.mark.parametrize("size", [0x7FFFFFFF, -1, -0x80000000, FRAME_SIZE_BYTES_MAX + 1])
def test_impossible_lengths(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None], size: int) -> None:
    def attack() -> None:
        for _ in range(20):
            with connect(broker) as peer:
                peer.sendall(struct.pack(">i", size) + b"x" * 100)
                assert is_closed(peer)

    beside(attack)


def test_large_frames_that_never_come(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]) -> None:
    """Fifty peers promise a hundred mebibytes each and send almost nothing: no memory for mere promises."""

    def attack() -> None:
        with ExitStack() as peers:
            for _ in range(50):
                peer = peers.enter_context(connect(broker))
                peer.sendall(struct.pack(">i", FRAME_SIZE_BYTES_MAX) + struct.pack(">hhih", 3, 9, 1, -1))
            hold(1.0)

    beside(attack)


def test_half_frames_then_silence(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]) -> None:
    def attack() -> None:
        with ExitStack() as peers:
            for at in range(300):
                peer = peers.enter_context(connect(broker))
                peer.sendall(API_VERSIONS_REQUEST[: 1 + at % (len(API_VERSIONS_REQUEST) - 1)])
            hold(1.0)

    beside(attack)


def hold(seconds: float) -> None:
    """Keep an attack up for a while: its duration, not a wait for anything."""
    time.sleep(seconds)


def test_one_byte_at_a_time(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]) -> None:
    def attack() -> None:
        with ExitStack() as stack:
            peers = [stack.enter_context(connect(broker)) for _ in range(100)]
            for byte in API_VERSIONS_REQUEST:
                for peer in peers:
                    peer.sendall(bytes([byte]))
                hold(0.05)
            for peer in peers:
                assert len(peer.recv(8, socket.MSG_WAITALL)) == 8, "slow is not wrong: the answer comes"

    beside(attack)


def test_a_crowd_of_idle_connections(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wanted = min(IDLE_CONNECTIONS, hard - 500)

    def attack() -> None:
        with ExitStack() as peers:
            for _ in range(wanted):
                peers.enter_context(connect(broker))
            last = peers.enter_context(connect(broker))
            last.sendall(API_VERSIONS_REQUEST)
            assert len(last.recv(8, socket.MSG_WAITALL)) == 8, "there is room for one more"
            print(f"{wanted} idle connections, {broker.resident_bytes() >> 20} MiB resident")
            hold(1.0)

    try:
        beside(attack)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_good_headers_with_garbage_behind_them(
    broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]
) -> None:
    rng = random.Random(SEED)

    def attack() -> None:
        for api in APIS.values():
            for version in {api.min_version, api.max_version}:
                for size in (0, 3, 40, 600):
                    flexible = b"\x00" if api.is_flexible(version) else b""
                    header = struct.pack(">hhih", api.key, version, 9, -1) + flexible
                    with RawConnection(("127.0.0.1", broker.port)) as peer, suppress(ClosedByBroker, TimeoutError):
                        peer.socket.settimeout(0.02)
                        peer.send_frame(header + rng.randbytes(size))
                        peer.receive_frame()

    beside(attack)


def test_hostile_but_well_formed_requests(
    broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]
) -> None:
    def attack() -> None:
        address = ("127.0.0.1", broker.port)
        with RawConnection(address) as peer:
            many = {"name": "many", "num_partitions": 100_000_000, "replication_factor": 1}
            assert peer.ask("CreateTopics", 7, topics=[many], timeout_ms=1_000).topics[0].error_code != 0
            names = [{"name": "n" * 10_000}] * 500
            assert len(peer.ask("Metadata", 12, topics=names, allow_auto_topic_creation=True).topics) >= 1
        with RawConnection(address) as peer, suppress(ClosedByBroker):
            nothing = {"name": "no-records", "partition_data": [{"index": 0, "records": None}]}
            peer.ask("Produce", 9, acks=-1, timeout_ms=1_000, topic_data=[nothing])
        with RawConnection(address) as peer:
            partitions = [
                {"partition": number, "fetch_offset": 0, "partition_max_bytes": 1} for number in range(20_000)
            ]
            asked = [{"topic": "not-there", "partitions": partitions}]
            answer = peer.ask("Fetch", 11, max_bytes=2**31 - 1, session_epoch=-1, replica_id=-1, topics=asked)
            assert len(answer.responses[0].partitions) == 20_000

    beside(attack)


def test_answers_that_nobody_reads(broker: RiachoProcess, beside: Callable[[Callable[[], object]], None]) -> None:
    """Ten thousand fetches of a mebibyte each, pipelined, and no answer read: the broker must stop taking them in."""

    def attack() -> None:
        with RawConnection(("127.0.0.1", broker.port)) as peer:
            topic = f"unread-{time.monotonic_ns()}"
            wanted = {"name": topic, "num_partitions": 1, "replication_factor": 1}
            peer.ask("CreateTopics", 7, topics=[wanted], timeout_ms=5_000)
            wait_until_served(peer, topic)
            data = {"name": topic, "partition_data": [{"index": 0, "records": batch(b"v" * 1_000_000)}]}
            peer.ask("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data])
            partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 2_000_000}
            asked = [{"topic": topic, "partitions": [partition]}]
            peer.socket.settimeout(2.0)
            taken = 0
            with suppress(TimeoutError):  # the sockets are full: back-pressure
                for _ in range(PIPELINED_REQUESTS):
                    peer.send("Fetch", 11, max_bytes=2_000_000, session_epoch=-1, replica_id=-1, topics=asked)
                    taken += 1
            print(f"{taken} requests taken, {broker.resident_bytes() >> 20} MiB resident")
            hold(1.5)

    beside(attack)
    with RawConnection(("127.0.0.1", broker.port)) as peer:
        requests = [peer.send("ApiVersions", 0) for _ in range(PIPELINED_REQUESTS // 10)]
        for correlation_id in requests:
            peer.receive("ApiVersions", 0, correlation_id)
