"""One request to one node, no client in between that would retry or look elsewhere: what exactly a broker answers."""

from __future__ import annotations

import time
from typing import NamedTuple

from conformance.raw import RawConnection, batch
from riacho.wire.batch import iterate_headers
from riacho.wire.records import iterate_records


class Produced(NamedTuple):
    error_code: int
    base_offset: int


class Fetched(NamedTuple):
    error_code: int
    high_watermark: int
    records: list[tuple[int, bytes]]  # offset, value


def produce(
    connection: RawConnection,
    topic: str,
    value: bytes,
    partition: int = 0,
    *,
    acks: int = -1,
    timeout_ms: int = 5_000,
    key: bytes | None = b"key",
) -> Produced:
    records = batch(value, key=key, base_timestamp=time.time_ns() // 1_000_000)
    data = [{"name": topic, "partition_data": [{"index": partition, "records": records}]}]
    answer = connection.ask("Produce", 9, acks=acks, timeout_ms=timeout_ms, topic_data=data)
    found = answer.responses[0].partition_responses[0]
    return Produced(found.error_code, found.base_offset)


def fetch(
    connection: RawConnection, topic: str, partition: int, offset: int, *, max_wait_ms: int = 0, rack: str = ""
) -> Fetched:
    """Fetch v12 as a consumer: a follower answers as well (KIP-392)."""
    partitions = [{"partition": partition, "fetch_offset": offset, "partition_max_bytes": 1 << 20}]
    answer = connection.ask(
        "Fetch",
        12,
        max_wait_ms=max_wait_ms,
        min_bytes=1,
        max_bytes=10 << 20,
        session_epoch=-1,
        topics=[{"topic": topic, "partitions": partitions}],
        rack_id=rack,
    )
    if answer.error_code:
        return Fetched(answer.error_code, -1, [])
    found = answer.responses[0].partitions[0]
    data = bytes(found.records or b"")
    records = [
        (header.base_offset + record.offset_delta, bytes(record.value or b""))
        for position, header in iterate_headers(data)
        if position + header.size_bytes <= len(data)
        for record in iterate_records(data, position)
        if header.base_offset + record.offset_delta >= offset
    ]
    return Fetched(found.error_code, found.high_watermark, records)


def read_log(
    address: tuple[str, int],
    topic: str,
    partition: int = 0,
    offset: int = 0,
    *,
    until: int = 0,
    timeout_s: float = 20.0,
) -> list[tuple[int, bytes]]:
    """What this very node has of a partition, up to its high watermark, which must reach `until` in time.

    A follower learns of the high watermark with its next fetch, so its own is a little behind.
    """
    found: list[tuple[int, bytes]] = []
    deadline = time.monotonic() + timeout_s
    with RawConnection(address) as connection:
        while True:
            fetched = fetch(connection, topic, partition, offset, max_wait_ms=200 if offset < until else 0)
            assert fetched.error_code == 0, f"{topic}-{partition} at {address}: error code {fetched.error_code}"
            found += fetched.records
            if not fetched.records and offset >= until:
                return found
            assert time.monotonic() < deadline, f"{topic}-{partition} at {address}: {offset} of {until}"
            offset = found[-1][0] + 1 if found else offset


def end_offset(address: tuple[str, int], topic: str, partition: int = 0) -> int:
    """The high watermark, from the leader at `address`."""
    with RawConnection(address) as connection:
        return fetch(connection, topic, partition, 0).high_watermark
