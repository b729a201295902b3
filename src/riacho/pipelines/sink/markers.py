"""What the marker topic holds of one sink, and how its records are written and read.

    key  query/sink/3        value {"epoch": 17, "rows": 5000}     task 3 has written its rows of epoch 17
    key  query/sink/epoch    value {"epoch": 17, "tasks": 4, "written": 3}

    epoch 17 is to be committed: it has 4 tasks, of which 3 have rows

The first kind is in the transaction of the task, so it stands if and only if the rows do. The second is in one of the
driver's own, before any task's is committed.

Transactions of other tasks may be open for long, so the last stable offset says nothing about ours: the records are
read up to the high watermark, and which of them count is told by the control records that end each producer's
transaction. What a producer still has open waits.
"""

from __future__ import annotations

import json
import struct
from typing import NamedTuple

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


class Decision(NamedTuple):
    epoch: int
    tasks: int
    # Those with rows, which therefore have markers.
    written: int


NOTHING_DECIDED = Decision(-1, 0, 0)


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
                self.decision = Decision(**fields) if fields else NOTHING_DECIDED
            elif name.isdigit():
                if fields:
                    self.epochs[int(name)] = fields["epoch"]
                else:
                    self.epochs.pop(int(name), None)


def task_marker(name: SinkName, task: int, epoch: int, rows: int) -> Record:
    return _record(f"{name}/{task}", {"epoch": epoch, "rows": rows})


def decision_marker(name: SinkName, decision: Decision) -> Record:
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


def _record(key: str, value: dict[str, int]) -> Record:
    return Record(0, 0, key.encode(), json.dumps(value, separators=(",", ":")).encode())
