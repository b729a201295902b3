"""What the marker topic holds of one sink, and how its records are written and read.

    key  query/sink/3        value {"epoch": 17, "rows": 5000}     task 3 has written its rows of epoch 17
    key  query/sink/epoch    value {"epoch": 17, "tasks": 4, "written": 3, "rows": 12000, "checksum": 2718281,
                             "offsets": "9f86d081884c7d65"}

    epoch 17 is to be committed: it has 4 tasks, of which 3 have rows, 12000 in all, cut so that this is their checksum

The first kind is in the transaction of the task, so it stands if and only if the rows do. The second is in one of the
driver's own, before any task's is committed.

Transactions of other tasks may be open for long, so the last stable offset says nothing about ours: the records are
read up to the high watermark, and which of them count is decided by the control records that end each producer's
transaction. What a producer still has open waits.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from riacho.wire import batch as batches
from riacho.wire.batch import Buffer
from riacho.wire.records import Record, build_batch, iterate_records

_CONTROL_KEY = struct.Struct(">hh")
_COMMIT = 1
_EPOCH = "epoch"


class SinkName(NamedTuple):
    """Which query's sink: what transactional ids and markers are named after."""

    query_id: str
    sink_id: str

    def __str__(self) -> str:
        return f"{self.query_id}/{self.sink_id}"

    def transactional_id(self, task: int | str) -> str:
        return f"riacho-sink-{self.query_id}-{self.sink_id}-{task}"


class EpochDecision(NamedTuple):
    """An epoch with what makes a repetition of it the same: its rows, and how they are cut into tasks."""

    epoch: int
    tasks: int
    # Those with rows, which therefore have markers.
    written: int
    rows: int = 0
    # Of the numbers of rows of all tasks; 0 in notes of before they were counted.
    checksum: int = 0
    # Of the offsets of its source; empty where nobody could tell.
    offsets: str = ""

    @classmethod
    def of(cls, epoch: int, rows: Sequence[int], offsets: str = "") -> EpochDecision:
        checksum = zlib.crc32(",".join(map(str, rows)).encode())
        return cls(epoch, len(rows), sum(count > 0 for count in rows), sum(rows), checksum, offsets)

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> EpochDecision:
        return cls(**{name: fields[name] for name in cls._fields if name in fields})

    def has_offsets_of(self, other: EpochDecision) -> bool:
        """As far as is known."""
        return not self.offsets or not other.offsets or self.offsets == other.offsets

    def repeats(self, other: EpochDecision) -> bool:
        comparable = self if other.checksum else self._replace(rows=0, checksum=0)
        return self.has_offsets_of(other) and comparable._replace(offsets=other.offsets) == other


NOTHING_DECIDED = EpochDecision(-1, 0, 0)


class Markers:
    """What stands, as far as the log was read."""

    def __init__(self, name: SinkName) -> None:
        self._prefix = f"{name}/".encode()
        self._pending: dict[int, list[Record]] = {}
        self.epochs: dict[int, int] = {}
        self.decision = NOTHING_DECIDED

    def is_written(self, task: int, epoch: int) -> bool:
        """A later epoch is only begun when all of the one before is in."""
        return self.epochs.get(task, -1) >= epoch or self.decision.epoch > epoch

    def is_complete(self, epoch: int) -> bool:
        """All that was to be written of it has been."""
        return self.decision.epoch == epoch and len(self.written_tasks(epoch)) >= self.decision.written

    def written_tasks(self, epoch: int) -> list[int]:
        return sorted(task for task, written in self.epochs.items() if written == epoch)

    def apply(self, buffer: Buffer, position: int, header: batches.BatchHeader) -> None:
        """One batch of the log."""
        producer_id = header.producer_id
        if header.is_control:
            [record] = iterate_records(buffer, position)
            ended = self._pending.pop(producer_id, [])
            if record.key is not None and _CONTROL_KEY.unpack_from(record.key)[1] == _COMMIT:
                self._keep(ended)
            return
        own = [r for r in iterate_records(buffer, position) if r.key and r.key.startswith(self._prefix)]
        if own and header.is_transactional:
            self._pending.setdefault(producer_id, []).extend(own)
        else:
            self._keep(own)

    def _keep(self, records: list[Record]) -> None:
        for record in records:
            name = (record.key or b"").removeprefix(self._prefix).decode()
            fields = json.loads(record.value) if record.value else None
            if name == _EPOCH:
                self.decision = EpochDecision.read(fields) if fields else NOTHING_DECIDED
            elif name.isdecimal():
                if fields:
                    self.epochs[int(name)] = fields["epoch"]
                else:
                    self.epochs.pop(int(name), None)


def task_marker(name: SinkName, task: int, epoch: int, rows: int) -> Record:
    return _record(f"{name}/{task}", {"epoch": epoch, "rows": rows})


def decision_marker(name: SinkName, decision: EpochDecision) -> Record:
    return _record(f"{name}/{_EPOCH}", decision._asdict())


def marker_batch(record: Record, producer_id: int, producer_epoch: int, now_ms: int) -> bytearray:
    return build_batch(
        [record],
        base_timestamp=now_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=0,
        transactional=True,
    )


def _record(key: str, value: Mapping[str, int | str]) -> Record:
    return Record(0, 0, key.encode(), json.dumps(value, separators=(",", ":")).encode())
