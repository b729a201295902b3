"""Whatever one client sends, another is served within half a second, and the broker's memory stays bounded.

The loop itself is watched (`probed_broker.py`), in processor time, so that a busy machine cannot fail the test; so are
the waits of a client that means well (`good_client.py`). The short form is part of the suite; `make hostile` sends
every array of every API with about as many elements as are served in one go.
"""

from __future__ import annotations

import os
import random
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import pytest

from conformance.raw import batch
from hostile.good_client import GoodClient
from hostile.hostile_broker import KNOWN, HostileBroker, answered
from riacho.broker.handlers.table import TABLE
from riacho.broker.requests.api import Api
from riacho.wire.apis import request_class
from riacho.wire.batch import crc32c
from riacho.wire.compression import Codec, compress
from support.hostile_requests import Names, array_paths, hostile_request, request_bytes

WAIT_S_MAX = 0.5
GROWTH_BYTES_MAX = 512 << 20
# Elements of the large array, one request for each array of each API.
ELEMENTS = int(os.environ.get("RIACHO_HOSTILE_ELEMENTS", "2000"))
IS_LONG = ELEMENTS > 2_000
SEED = 4
# As many as the decoder takes, or as are served in one go.
BOUND = 190_000
WHOLE_BOUND = 49_000
FETCH_BOUND = 24_000
TOPICS_BOUND = 9_900


@dataclass
class Beside:
    """A good client beside the attacks on a broker."""

    broker: HostileBroker
    good: GoodClient

    @contextmanager
    def __call__(self, label: str) -> Iterator[None]:
        process = self.broker.process
        before_bytes = process.resident_bytes()
        self.good.seen()
        process.probe.reset()
        yield
        self.broker.check()
        seen, growth = self.good.seen(), process.resident_bytes() - before_bytes
        hold_s = process.probe.hold_s()
        print(f"{label}: hold {hold_s:.3f} s, slowest {seen.slowest_s:.3f} s, own {seen.slowest_own_s:.3f} s, "
              f"{seen.rounds} rounds, +{growth >> 20} MiB")  # fmt: skip
        assert hold_s < WAIT_S_MAX, f"{label}: the loop was held for {hold_s:.2f} s"
        assert seen.slowest_own_s < WAIT_S_MAX, f"{label}: a good client waited {seen.slowest_own_s:.2f} s"
        assert growth < GROWTH_BYTES_MAX, f"{label}: memory grew by {growth >> 20} MiB"


@pytest.fixture(scope="module")
def beside(broker: HostileBroker) -> Iterator[Beside]:
    good = GoodClient(broker.address[1], broker.process.pid, KNOWN)
    try:
        yield Beside(broker, good)
    finally:
        good.close()


def ask(broker: HostileBroker, frame: bytes | bytearray) -> int | None:
    with socket.create_connection(broker.address, timeout=60.0) as peer:
        with suppress(ConnectionError):
            peer.sendall(struct.pack(">i", len(frame)) + frame)
        return answered(peer)


@pytest.mark.parametrize("api", TABLE, ids=lambda api: api.name)
def test_huge_arrays(broker: HostileBroker, beside: Beside, api: Api) -> None:
    version = api.version_max
    with beside(api.name):
        for path in array_paths(request_class(api.key), version):
            for names, others in ((broker.alike, 1), (broker.made_up, 0)):
                request = hostile_request(api.key, version, path, ELEMENTS, names, others=others)
                ask(broker, request_bytes(request, api.key, version))


# Whether all elements are alike, and how many in which array.
LARGEST = [
    ("FindCoordinator", False, BOUND, ("coordinator_keys",)),
    ("ListOffsets", True, BOUND, ("topics", "partitions")),
    ("OffsetCommit", False, BOUND, ("topics", "partitions")),
    ("DescribeConfigs", True, BOUND, ("resources",)),
    ("DeleteTopics", False, BOUND, ("topics",)),
    ("Metadata", False, WHOLE_BOUND, ("topics",)),
    ("Fetch", True, FETCH_BOUND, ("topics", "partitions")),
    ("CreateTopics", False, TOPICS_BOUND, ("topics",)),
]


@pytest.mark.parametrize(("name", "is_alike", "count", "path"), LARGEST, ids=[each[0] for each in LARGEST])
def test_requests_as_large_as_may_be(
    broker: HostileBroker, beside: Beside, name: str, is_alike: bool, count: int, path: tuple[str, ...]
) -> None:
    [api] = [api for api in TABLE if api.name == name]
    names = broker.alike if is_alike else Names("largest")
    request = hostile_request(api.key, api.version_max, path, count, names, others=0)
    frame = request_bytes(request, api.key, api.version_max)
    with beside(f"{name}, {len(frame) >> 10} KiB"):
        assert ask(broker, frame), "it is answered"


def test_topics_that_come_by_being_asked_for(broker: HostileBroker, beside: Beside) -> None:
    request = hostile_request(3, 9, ("topics",), TOPICS_BOUND // 5, Names("asked-for"))
    request.allow_auto_topic_creation = True
    with beside("metadata that makes topics"):
        assert ask(broker, request_bytes(request, 3, 9))


def test_many_batches_in_one_request(broker: HostileBroker, beside: Beside) -> None:
    request = hostile_request(0, 9, ("topic_data", "partition_data"), TOPICS_BOUND, broker.alike)
    for data in request.topic_data[0].partition_data:
        data.records = batch(b"v")
    with beside("produce to one partition 9,900 times"):
        assert ask(broker, request_bytes(request, 0, 9))


def test_too_many_elements_and_tags_are_refused(broker: HostileBroker, beside: Beside) -> None:
    many = request_bytes(hostile_request(10, 6, ("coordinator_keys",), 2, Names("")), 10, 6)
    header = many[: many.index(b"hostile") + len(b"hostile") + 1]
    elements = b"\x00" + struct.pack(">B", 0xFF) + b"\xff\xff\x07" + bytes(15 << 20)
    tags = b"\xff\xff\x7f" + b"\x01\x00" * (7 << 20)
    with beside("sixteen million elements, and as many tags"):
        assert ask(broker, header + elements) is None
        assert ask(broker, header[:-1] + tags) is None


def test_many_large_requests_at_once(broker: HostileBroker, beside: Beside) -> None:
    request = hostile_request(10, 6, ("coordinator_keys",), BOUND, broker.made_up)
    frame = request_bytes(request, 10, 6)
    with beside("fifteen large requests at once, whose askers hang up or do not read"), ExitStack() as peers:
        for number in range(15):
            peer = peers.enter_context(socket.create_connection(broker.address, timeout=60.0))
            peer.sendall(struct.pack(">i", len(frame)) + frame)
            if number % 3 == 0:
                peer.close()
        time.sleep(3.0 if not IS_LONG else 15.0)  # the time that is looked at


def test_many_fetches_of_many_partitions_at_once(broker: HostileBroker, beside: Beside) -> None:
    request = hostile_request(1, 12, ("topics", "partitions"), FETCH_BOUND, Names("fetched"))
    request.max_wait_ms, request.session_epoch = 100, 0
    frame = request_bytes(request, 1, 12)
    with beside("forty large fetches at once, each with a session"), ExitStack() as peers:
        asked = [peers.enter_context(socket.create_connection(broker.address, timeout=60.0)) for _ in range(40)]
        for peer in asked:
            peer.sendall(struct.pack(">i", len(frame)) + frame)
        assert all(answered(peer) for peer in asked)


def _bomb(codec: Codec, unpacked_bytes: int) -> bytes:
    """A batch of the smallest records there are, with a last time before its first."""
    small = b"\x0c\x00\x00\x00\x01\x01\x00"
    count = unpacked_bytes // len(small)
    packed = compress(codec, small * count)
    checked = struct.pack(">hiqqqhii", codec, count - 1, 1_000, 0, -1, -1, -1, count) + packed
    crc = crc32c(checked)
    return struct.pack(">qiibI", 0, 9 + len(checked), -1, 2, crc) + checked


@pytest.mark.parametrize(
    ("codec", "unpacked_bytes"), [(Codec.GZIP, 8 << 20), (Codec.ZSTD, 100 << 20)], ids=["gzip", "zstd"]
)
def test_batches_that_unpack_to_much(broker: HostileBroker, beside: Beside, codec: Codec, unpacked_bytes: int) -> None:
    """A few kilobytes, whose times are not what the header says, so that the records have to be looked at; then a
    question for a time in them."""
    bomb = _bomb(codec, unpacked_bytes)
    produced = hostile_request(0, 9, ("topic_data",), 1, broker.alike)
    produced.topic_data[0].partition_data[0].records = bomb
    asked = hostile_request(2, 8, ("topics",), 1, broker.alike)
    asked.topics[0].partitions[0].timestamp = 500
    with beside(f"{len(bomb) >> 10} KiB that unpack to {unpacked_bytes >> 20} MiB"):
        ask(broker, request_bytes(produced, 0, 9))
        ask(broker, request_bytes(asked, 2, 8))


def mutations(rng: random.Random, frame: bytearray) -> Iterator[bytes]:
    """Wrong lengths, negative counts, cut short, too long, noise."""
    start = frame.index(b"hostile") + len(b"hostile")
    for _ in range(3):
        changed = bytearray(frame)
        at = rng.randrange(start, len(frame)) if start < len(frame) else len(frame) - 1
        changed[at : at + 4] = rng.choice(
            (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x80\x80\x80", b"\x00\x00\x00\x01")
        )
        yield bytes(changed)
    yield bytes(frame[: rng.randrange(start, len(frame) + 1)])
    yield bytes(frame) + rng.randbytes(8)
    yield bytes(frame[:start]) + rng.randbytes(200)


@pytest.mark.parametrize("kind", ["mutated", "half", "hung up on"])
def test_frames_that_are_no_requests(broker: HostileBroker, beside: Beside, kind: str) -> None:
    """In every version of every API."""
    rng = random.Random(SEED)
    with beside(kind):
        for api in TABLE:
            for version in range(api.version_min, api.version_max + 1):
                path = next(iter(array_paths(request_class(api.key), version)), ())
                request = hostile_request(api.key, version, path, 3, broker.alike)
                frame = request_bytes(request, api.key, version)
                _SENT[kind](broker, rng, frame)


def _mutated(broker: HostileBroker, rng: random.Random, frame: bytearray) -> None:
    for changed in mutations(rng, frame):
        with socket.create_connection(broker.address, timeout=10.0) as peer:
            peer.sendall(struct.pack(">i", len(changed)) + changed)
            answered(peer, timeout_s=0.02)


def _half(broker: HostileBroker, rng: random.Random, frame: bytearray) -> None:
    with socket.create_connection(broker.address, timeout=10.0) as peer:
        peer.sendall((struct.pack(">i", len(frame)) + frame)[: rng.randrange(1, len(frame) + 4)])


def _hung_up_on(broker: HostileBroker, rng: random.Random, frame: bytearray) -> None:
    with socket.create_connection(broker.address, timeout=10.0) as peer:
        peer.sendall((struct.pack(">i", len(frame)) + frame) * 3)


_SENT: dict[str, Callable[[HostileBroker, random.Random, bytearray], None]] = {
    "mutated": _mutated,
    "half": _half,
    "hung up on": _hung_up_on,
}
