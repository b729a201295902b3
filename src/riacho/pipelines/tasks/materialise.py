"""A table's rows by key: turns a topic's records into changes with what was before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.dropped import Dropped, OnDropped, Reason
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.store import Store
from riacho.pipelines.tasks.write_behind import WriteBehind

_TAG = "r1"
_decode: Callable[[str], tuple[str, str]] = msgspec.json.Decoder(tuple[str, str]).decode


class Materialise:
    """Later records replace earlier ones whatever their times are; a tombstone of an unknown key is a change too, as
    Kafka Streams forwards it. Rows without a key identify nothing and are dropped."""

    def __init__(self, store: Store, on_dropped: OnDropped) -> None:
        self._rows: WriteBehind[str] = WriteBehind(
            store, lambda text: _decode(text)[1], lambda row: msgspec.json.encode((_TAG, row)).decode()
        )
        self._on_dropped = on_dropped

    def changes(self, rows: Iterable[TaskRow]) -> Iterator[Change]:
        for row in rows:
            if row.key is None:
                self._on_dropped(Dropped(Reason.NULL_KEY, row))
                continue
            if self._rows.is_full:
                self._rows.flush()
            place = _place(row)
            old = self._rows.get(place)
            if row.row is None:
                self._rows.delete(place)
            else:
                self._rows.put(place, row.row)
            yield Change(row.key, old, row.row, row.time, row.window_start, row.window_end, row.seq)

    def flush(self) -> None:
        self._rows.flush()


def _place(row: TaskRow) -> str:
    if row.window_start is None:
        return f"r{row.key}"
    return f"w{row.window_start}:{row.window_end}:{row.key}"
