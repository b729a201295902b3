"""A fetch looked through: which of its records match. Runs in a thread, batch by batch, until it is told to stop."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from riacho.base.errors import ErrorCode, KafkaError
from riacho.console.messages.filters import Filter, Needles
from riacho.console.messages.partition_reader import Fetched
from riacho.console.messages.record_slices import may_be, may_match
from riacho.console.messages.row import Row, View
from riacho.console.messages.visible import visible
from riacho.wire.batch import BatchHeader, Buffer
from riacho.wire.records import Record, decode_records, records_section

# A batch may be packed a thousandfold, and a record be seven bytes.
BATCH_BYTES_MAX = 64 * 1024 * 1024
BATCH_RECORDS_MAX = 500_000
_PROBLEMS_MAX = 5
_KEPT_BYTES_MAX = 16 * 1024


class Stop:
    """Set by the event loop, looked at by threads."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False


@dataclass(slots=True)
class Examined:
    rows: list[Row] = field(default_factory=list)
    scanned: int = 0
    size_bytes: int = 0
    unpacked_bytes: int = 0
    control: int = 0
    aborted: int = 0
    # Of the batches that were seen; None where there were none.
    timestamp_min: int | None = None
    timestamp_max: int | None = None
    problems: list[str] = field(default_factory=list)


class Examiner:
    def __init__(self, view: View, filter: Filter, *, cuts: bool = True) -> None:
        """`cuts`: rows are for a page, so that large ones may be cut at once, before they wait for their turn."""
        self.view = view
        self.filter = filter
        self._cuts = cuts
        needles = filter.needles(view)
        self._needles: Needles | None = needles if needles.key or needles.value else None

    def examine(
        self, partition: int, fetched: Fetched, end: int, stop: Stop, rows_max: int, *, keeps_last: bool
    ) -> Examined:
        """Never fails: what cannot be read is told in `problems`."""
        found = Examined(size_bytes=len(fetched.buffer))
        try:
            batches = visible(fetched.buffer, fetched.aborted)
        except KafkaError as error:
            found.problems.append(_problem(partition, fetched.start, error))
            return found
        found.control, found.aborted = batches.control, batches.aborted
        if batches.old:
            found.problems.append(
                f"Partition {partition} has {batches.old} batches of a format before Kafka 0.11, which are not shown."
            )
        for position, header in batches.seen:
            if stop.is_set:
                break
            if header.last_offset < fetched.start or header.base_offset >= end:
                continue
            self._times(found, header)
            try:
                section = bounded_section(fetched.buffer, header, position)
                found.unpacked_bytes += len(section)
                rows = self._rows(partition, section, header, fetched.start, end, stop)
                found.rows += deque(rows, rows_max) if keeps_last else islice(rows, rows_max)
            except KafkaError as error:
                if len(found.problems) < _PROBLEMS_MAX:
                    found.problems.append(_problem(partition, header.base_offset, error))
            inside = min(header.next_offset, end) - max(header.base_offset, fetched.start)
            found.scanned += min(header.record_count, inside)
            if len(found.rows) > 2 * rows_max:
                found.rows = _kept(found.rows, rows_max, keeps_last)
        found.rows = _kept(found.rows, rows_max, keeps_last)
        return found

    def _rows(
        self, partition: int, section: bytes, header: BatchHeader, start: int, end: int, stop: Stop
    ) -> Iterator[Row]:
        rows = (
            Row(self.view, partition, header, record)
            for record in self._candidates(section, header.record_count)
            # A batch of small records and a long filter take a minute: nobody waits for them any more.
            if not stop.is_set and start <= header.base_offset + record.offset_delta < end
        )
        found = (row for row in rows if self.filter.matches(row)) if self.filter.tests else rows
        return map(_lightened, found) if self._cuts else found

    def _candidates(self, section: bytes, count: int) -> Iterable[Record]:
        needles = self._needles
        if needles is None:
            return decode_records(section, count)
        if not may_match(section, count, needles):
            return ()
        return (record for record in decode_records(section, count) if may_be(record, needles))

    def _times(self, found: Examined, header: BatchHeader) -> None:
        low = header.max_timestamp if header.timestamp_type else header.base_timestamp
        found.timestamp_min = low if found.timestamp_min is None else min(found.timestamp_min, low)
        high = header.max_timestamp
        found.timestamp_max = high if found.timestamp_max is None else max(found.timestamp_max, high)


def bounded_section(buffer: Buffer, header: BatchHeader, position: int) -> bytes:
    """The bytes of a batch's records. KafkaError also where there are more than memory is given for."""
    if header.record_count > BATCH_RECORDS_MAX:
        what = f"it has {header.record_count:,} records, more than the {BATCH_RECORDS_MAX:,} that are looked at"
        raise KafkaError(ErrorCode.RECORD_LIST_TOO_LARGE, what)
    return records_section(buffer, header, position, BATCH_BYTES_MAX)


def _lightened(row: Row) -> Row:
    if row.size_bytes > _KEPT_BYTES_MAX:
        row.cut()
    return row


def _kept(rows: list[Row], rows_max: int, keeps_last: bool) -> list[Row]:
    if len(rows) <= rows_max:
        return rows
    return rows[-rows_max:] if keeps_last else rows[:rows_max]


def _problem(partition: int, offset: int, error: KafkaError) -> str:
    return f"The batch at offset {offset} of partition {partition} cannot be read: {error.detail.rstrip('.')}."
