"""Batches that unpack to far more than they weigh: few rows are kept, a sentence is told, and memory stays bounded."""

from __future__ import annotations

import asyncio
import struct
import tracemalloc
from typing import Any

import pytest

from riacho.console.messages.browsing import Browsing
from riacho.console.messages.decode import Decoder
from riacho.console.messages.delivery import Delivery, deliver
from riacho.console.messages.examine import BATCH_RECORDS_MAX, Examined, Examiner, Stop
from riacho.console.messages.filters import Filter
from riacho.console.messages.limits import WHOLES_MAX
from riacho.console.messages.partition_reader import Fetched
from riacho.console.messages.row import View
from riacho.console.messages.tail import QUEUE_MAX, Tail
from riacho.testing import KafkaCluster
from riacho.wire.batch import HEADER_SIZE_BYTES
from riacho.wire.compression import Codec
from riacho.wire.records import Record, build_batch
from support.control_center import CLUSTER, ControlCenterService

EXAMINER = Examiner(View(Decoder(None)), Filter())
_COUNT_AT = 57
_EMPTY_RECORD = bytes((0x0C, 0, 0, 0, 1, 1, 0))


def batch_of(count: int) -> bytes:
    """So many records of seven bytes, not packed."""
    batch = bytearray(build_batch([Record(0, 0, None, None)], base_timestamp=1_000))
    section = _EMPTY_RECORD * count
    struct.pack_into(">i", batch, 8, HEADER_SIZE_BYTES - 12 + len(section))
    struct.pack_into(">i", batch, _COUNT_AT, count)
    struct.pack_into(">i", batch, 23, count - 1)
    return bytes(batch[:HEADER_SIZE_BYTES]) + section


def examined(batch: bytes, *, keeps_last: bool = False) -> tuple[Examined, int]:
    """And what it took at its most."""
    tracemalloc.start()
    fetched = Fetched(0, 1 << 40, batch, None)
    found = EXAMINER.examine(0, fetched, 1 << 40, Stop(), 50, keeps_last=keeps_last)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found, peak


def test_more_records_than_are_looked_at() -> None:
    found, peak = examined(batch_of(BATCH_RECORDS_MAX + 1))
    assert found.rows == []
    [problem] = found.problems
    assert problem == (
        "The batch at offset 0 of partition 0 cannot be read: "
        "it has 500,001 records, more than the 500,000 that are looked at."
    )
    assert peak < 1_000_000


@pytest.mark.parametrize("keeps_last", [False, True])
def test_of_many_records_few_become_rows(keeps_last: bool) -> None:
    count = 50_000
    found, peak = examined(batch_of(count), keeps_last=keeps_last)
    assert (len(found.rows), found.scanned, found.problems) == (50, count, [])
    # The records themselves, once; a row of each would be as much again.
    assert peak < 140 * count


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.ZSTD, Codec.LZ4, Codec.SNAPPY])
def test_a_batch_that_unpacks_to_more_than_is_taken(codec: Codec) -> None:
    batch = build_batch([Record(0, 0, None, bytes(70 * 1024 * 1024))], base_timestamp=1_000, codec=codec)
    found, peak = examined(bytes(batch))
    assert found.rows == []
    assert len(found.problems) == 1
    assert found.problems[0].startswith("The batch at offset 0 of partition 0 cannot be read: ")
    assert found.problems[0].endswith(".")
    assert peak < 140 * 1024 * 1024


def test_followers_are_told_no_more_than_waits_for_them() -> None:
    tail, other = (Tail("t", {0: start}, EXAMINER) for start in (0, 1 << 30))
    [told, nothing] = deliver(Delivery(0, Fetched(0, 9, batch_of(5_000) * 2, None), (tail, other)))
    assert (len(told.events), told.skipped, told.scanned) == (QUEUE_MAX, 10_000 - QUEUE_MAX, 10_000)
    assert (len(nothing.events), nothing.skipped) == (0, 0)
    tail.offer(told.events, told.skipped)
    assert (tail.matched, tail.skipped >= told.skipped) == (10_000, True)
    [refused] = deliver(Delivery(0, Fetched(0, 9, batch_of(BATCH_RECORDS_MAX + 1), None), (tail,)))
    assert "more than the 500,000 that are looked at" in (refused.problem or "")


def test_a_large_message_as_a_whole(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    brokers.produce(topic, "x" * 900_000, partition=0)
    answer = console.get(f"{CLUSTER}/topics/{topic}/messages/0/0")
    assert len(answer.json()["value"]) == 900_000
    assert answer.headers["content-length"] == str(len(answer.content))
    assert console.center.app._budget.bytes_held == 0
    head = console.call("HEAD", f"{CLUSTER}/topics/{topic}/messages/0/0")
    assert (head.status_code, head.content) == (200, b"")


def test_no_more_messages_as_a_whole_than_memory_is_given_for(
    console: ControlCenterService, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of those that are read and not taken."""

    async def ask() -> list[int]:
        refused = asyncio.Event()

        async def one(*_: Any) -> Any:
            await asyncio.wait_for(refused.wait(), 20)
            raise RuntimeError("enough")

        async def get() -> int:
            status = (await console.client.get(f"{CLUSTER}/topics/{topic}/messages/0/0")).status_code
            refused.set()
            return status

        monkeypatch.setattr(Browsing, "one", one)
        return await asyncio.gather(*(get() for _ in range(WHOLES_MAX + 1)))

    assert sorted(console.thread.run(ask())) == [429] + [500] * WHOLES_MAX
