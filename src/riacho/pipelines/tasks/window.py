"""Groups of tumbling and hopping windows.

A row counts in every window that holds its time. A window is closed when its end and the grace period are not after
stream time; a row for a closed window is dropped. Rows move stream time before they are looked at, dropped ones too.
With EMIT FINAL a window's result comes once, after the row that closed it was treated. Kafka Streams keeps closed
windows for as long as retention says; nobody reads them here, so they leave state when they close.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.closing_index import ClosingIndex
from riacho.pipelines.tasks.dropped import Dropped, OnDropped, Reason
from riacho.pipelines.tasks.groups import Aggregation, Group, encode_group
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec
from riacho.pipelines.tasks.store import Store
from riacho.pipelines.tasks.stream_time import StreamTime
from riacho.pipelines.tasks.write_behind import WriteBehind


class WindowAggregate:
    def __init__(self, spec: TaskSpec, store: Store, on_dropped: OnDropped) -> None:
        assert spec.window is not None
        self._window = spec.window
        self._is_final = spec.emit_final
        self._aggregation = Aggregation(spec)
        self._groups: WriteBehind[Group] = WriteBehind(store, self._aggregation.decode_group, encode_group)
        self._closing = ClosingIndex(store, self._window.size_ms)
        self._time = StreamTime(store)
        self._on_dropped = on_dropped

    def changes(self, rows: Iterable[TaskRow]) -> Iterator[Change]:
        for row in rows:
            if row.key is None or row.row is None or row.time < 0:
                self._on_dropped(Dropped(_why_not(row), row))
                continue
            if self._groups.is_full:
                self._groups.flush()
            close_time = self._time.advance(row.time) - self._window.grace_ms
            for start in _starts(row.time, self._window.size_ms, self._window.advance_ms):
                end = start + self._window.size_ms
                if end <= close_time:
                    self._on_dropped(Dropped(Reason.EXPIRED_WINDOW, row, start, end, self._time.now))
                    continue
                change = self._add(row.key, row.row, row, start)
                if not self._is_final:
                    yield change
            yield from self._close(close_time, row.seq)

    def _add(self, key: str, text: str, row: TaskRow, start: int) -> Change:
        place = f"w{start}:{key}"
        end = start + self._window.size_ms
        group = self._groups.get(place)
        if group is None:
            group = self._aggregation.new_group(row.time)
            old = self._aggregation.first_text
            self._closing.add(end, key)
        else:
            old = self._aggregation.result(group)
            group.time = max(group.time, row.time)
        self._aggregation.add(group, text, self._time.sequence)
        self._groups.put(place, group)
        return Change(key, old, self._aggregation.result(group), group.time, start, end, row.seq)

    def _close(self, close_time: int, seq: int) -> Iterator[Change]:
        for end, key in self._closing.take_due(close_time):
            start = end - self._window.size_ms
            place = f"w{start}:{key}"
            group = self._groups.get(place)
            assert group is not None, "what is in the closing index is in state"
            self._groups.delete(place)
            if self._is_final:
                yield Change(key, None, self._aggregation.result(group), group.time, start, end, seq)

    def flush(self) -> None:
        self._groups.flush()
        self._closing.flush()
        self._time.flush()


def _starts(time: int, size_ms: int, advance_ms: int) -> Iterable[int]:
    """Of the windows that hold a time. None begins before 0."""
    return range(max(0, time - size_ms + advance_ms) // advance_ms * advance_ms, time + 1, advance_ms)


def _why_not(row: TaskRow) -> Reason:
    if row.key is None:
        return Reason.NULL_KEY
    return Reason.NULL_VALUE if row.row is None else Reason.NEGATIVE_TIME
