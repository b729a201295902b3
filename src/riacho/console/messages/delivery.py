"""What a fetch brought, for all who follow the partition: decoded once for those who see it alike. Runs in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.console.messages.examine import bounded_section
from riacho.console.messages.partition_reader import Fetched
from riacho.console.messages.row import Row, View
from riacho.console.messages.sse import event_text
from riacho.console.messages.tail import QUEUE_MAX, Tail
from riacho.console.messages.visible import visible
from riacho.wire.batch import BatchHeader
from riacho.wire.records import Record, decode_records


class Delivery(NamedTuple):
    partition: int
    fetched: Fetched
    tails: Sequence[Tail]


class Delivered(NamedTuple):
    """`skipped`: what matched and no queue would take any more. `problem` is one sentence where a batch could not be
    read."""

    tail: Tail
    partition: int
    next_offset: int
    events: list[bytes]
    skipped: int
    scanned: int
    size_bytes: int
    problem: str | None


class _Told:
    """What one tail is told, no more than it has room for."""

    __slots__ = ("events", "skipped", "tail")

    def __init__(self, tail: Tail) -> None:
        self.tail = tail
        self.events: list[bytes] = []
        self.skipped = 0

    def takes(self, row: Row) -> bool:
        """Whether it is to be told of this one."""
        tail = self.tail
        if row.offset < tail.starts.get(row.partition, 0) or not tail.examiner.filter.matches(row):
            return False
        if len(self.events) < QUEUE_MAX:
            return True
        self.skipped += 1
        return False


def deliver(delivery: Delivery) -> list[Delivered]:
    partition, fetched, tails = delivery
    by_view: dict[View, list[_Told]] = {}
    for tail in tails:
        by_view.setdefault(tail.examiner.view, []).append(_Told(tail))
    scanned, problem = 0, None
    try:
        # A batch at a time: each may be packed a thousandfold.
        for header, records in _batches(fetched):
            scanned += len(records)
            for view, alike in by_view.items():
                _tell(view, alike, partition, header, records)
    except KafkaError as error:
        problem = f"A batch of partition {partition} cannot be read: {error.detail.rstrip('.')}."
    size = len(fetched.buffer)
    return [
        Delivered(each.tail, partition, fetched.next_offset, each.events, each.skipped, scanned, size, problem)
        for alike in by_view.values()
        for each in alike
    ]


def _tell(view: View, alike: list[_Told], partition: int, header: BatchHeader, records: list[Record]) -> None:
    for record in records:
        row = Row(view, partition, header, record)
        # All filters first: what is shown is cut.
        taking = [each for each in alike if each.takes(row)]
        if taking:
            event = event_text(row.cut())
            for each in taking:
                each.events.append(event)


def _batches(fetched: Fetched) -> Iterator[tuple[BatchHeader, list[Record]]]:
    for position, header in visible(fetched.buffer, fetched.aborted).seen:
        if header.last_offset < fetched.start:
            continue
        records = decode_records(bounded_section(fetched.buffer, header, position), header.record_count)
        yield header, [each for each in records if header.base_offset + each.offset_delta >= fetched.start]
