"""What a fetch brought, for all who follow the partition: decoded once for those who see it alike. Runs in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.console.messages.examine import BATCH_BYTES_MAX
from riacho.console.messages.partition_reader import Fetched
from riacho.console.messages.row import Row, View
from riacho.console.messages.sse import event_text
from riacho.console.messages.tail import Tail
from riacho.console.messages.visible import visible
from riacho.wire.batch import BatchHeader
from riacho.wire.records import Record, decode_records, records_section


class Delivery(NamedTuple):
    partition: int
    fetched: Fetched
    tails: Sequence[Tail]


class Delivered(NamedTuple):
    """`problem` is one sentence where a batch could not be read."""

    tail: Tail
    partition: int
    next_offset: int
    events: list[bytes]
    scanned: int
    size_bytes: int
    problem: str | None


def deliver(delivery: Delivery) -> list[Delivered]:
    partition, fetched, tails = delivery
    records: list[tuple[BatchHeader, Record]] = []
    problem = None
    try:
        for each in _records(fetched):
            records.append(each)
    except KafkaError as error:
        problem = f"A batch of partition {partition} cannot be read: {error.detail.rstrip('.')}."
    by_view: dict[View, list[Tail]] = {}
    for tail in tails:
        by_view.setdefault(tail.examiner.view, []).append(tail)
    events: dict[int, list[bytes]] = {id(tail): [] for tail in tails}
    for view, alike in by_view.items():
        for header, record in records:
            row = Row(view, partition, header, record)
            # All filters first: what is shown is cut.
            matching = [
                tail
                for tail in alike
                if row.offset >= tail.starts.get(partition, 0) and tail.examiner.filter.matches(row)
            ]
            if matching:
                event = event_text(row.cut())
                for tail in matching:
                    events[id(tail)].append(event)
    size = len(fetched.buffer)
    return [
        Delivered(tail, partition, fetched.next_offset, events[id(tail)], len(records), size, problem) for tail in tails
    ]


def _records(fetched: Fetched) -> Iterator[tuple[BatchHeader, Record]]:
    for position, header in visible(fetched.buffer, fetched.aborted).seen:
        if header.last_offset < fetched.start:
            continue
        section = records_section(fetched.buffer, header, position, BATCH_BYTES_MAX)
        for record in decode_records(section, header.record_count):
            if header.base_offset + record.offset_delta >= fetched.start:
                yield header, record
