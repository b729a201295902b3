"""Which batches a reader sees, with and without read_committed."""

from __future__ import annotations

import struct

from riacho.pipelines.source.committed import readable
from riacho.pipelines.source.record_columns import Placed
from riacho.wire.batch import iterate_headers
from riacho.wire.messages.fetch_response import AbortedTransaction
from riacho.wire.records import Record, build_batch

ABORT, COMMIT = 0, 1


class Log:
    """Batches one after another, each of one record."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.offset = 0

    def data(self, producer_id: int = -1) -> Log:
        return self._add(Record(0, 0, None, b"v"), producer_id, control=False)

    def marker(self, producer_id: int, kind: int) -> Log:
        return self._add(Record(0, 0, struct.pack(">hh", 0, kind), bytes(6)), producer_id, control=True)

    def _add(self, record: Record, producer_id: int, *, control: bool) -> Log:
        self.bytes += build_batch(
            [record],
            base_timestamp=0,
            base_offset=self.offset,
            producer_id=producer_id,
            producer_epoch=0,
            transactional=producer_id >= 0,
            control=control,
        )
        self.offset += 1
        return self

    def seen(self, *aborted: tuple[int, int], committed: bool = True) -> list[int]:
        placed = [Placed(position, header) for position, header in iterate_headers(self.bytes)]
        named = [AbortedTransaction(producer_id=producer, first_offset=first) for producer, first in aborted]
        return [batch.header.base_offset for batch in readable(self.bytes, placed, named if committed else None)]


def test_control_batches_are_never_seen() -> None:
    log = Log().data(7).marker(7, COMMIT).data().data(7).marker(7, ABORT)
    assert log.seen(committed=False) == [0, 2, 3]


def test_an_aborted_transaction_ends_at_its_marker() -> None:
    log = Log().data(7).data(8).marker(7, ABORT).data(7).marker(8, COMMIT).marker(7, COMMIT)
    assert log.seen((7, 0)) == [1, 3]


def test_transactions_may_interleave_and_be_named_in_any_order() -> None:
    log = (
        Log()
        .data(8)
        .data(7)
        .data()
        .marker(8, ABORT)
        .data(8)
        .marker(7, ABORT)
        .marker(8, ABORT)
        .data(7)
        .marker(7, COMMIT)
    )
    assert log.seen((8, 4), (7, 1), (8, 0)) == [2, 7]


def test_a_range_may_begin_within_a_transaction() -> None:
    """The broker names a transaction that began before the batches that it sends."""
    log = Log().data(7).marker(7, ABORT).data(7)
    log.bytes = log.bytes[len(build_batch([Record(0, 0, None, b"v")], base_timestamp=0)) :]
    assert log.seen((7, 0)) == [2]
