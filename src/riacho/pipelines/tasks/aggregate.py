"""Groups without a window: they stay for ever. Over a stream rows are added; over a table they are also taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.dropped import Dropped, OnDropped, Reason
from riacho.pipelines.tasks.groups import Aggregation, Group, encode_group
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec
from riacho.pipelines.tasks.store import Store
from riacho.pipelines.tasks.write_behind import WriteBehind


class StreamAggregate:
    def __init__(self, spec: TaskSpec, store: Store, on_dropped: OnDropped) -> None:
        self._aggregation = Aggregation(spec)
        self._groups: WriteBehind[Group] = WriteBehind(store, self._aggregation.decode_group, encode_group)
        self._on_dropped = on_dropped

    def changes(self, rows: Iterable[TaskRow]) -> Iterator[Change]:
        aggregation, groups = self._aggregation, self._groups
        for row in rows:
            if row.key is None or row.row is None:
                self._on_dropped(Dropped(Reason.NULL_KEY if row.key is None else Reason.NULL_VALUE, row))
                continue
            if groups.is_full:
                groups.flush()
            place = "g" + row.key
            group = groups.get(place)
            if group is None:
                group = aggregation.new_group(row.time)
                old = aggregation.first_text
            else:
                old = aggregation.result(group)
                group.time = max(group.time, row.time)
            aggregation.add(group, row.row)
            groups.put(place, group)
            yield Change(row.key, old, aggregation.result(group), group.time, seq=row.seq)

    def flush(self) -> None:
        self._groups.flush()


class TableAggregate:
    """A table's change is at most two rows: one that takes the old value back from its group, one that adds the new one
    to its own. Where both are of one group they make one change (KIP-904). A group never goes away again: when all was
    taken back, its count is 0."""

    def __init__(self, spec: TaskSpec, store: Store, on_dropped: OnDropped) -> None:
        self._aggregation = Aggregation(spec)
        self._groups: WriteBehind[Group] = WriteBehind(store, self._aggregation.decode_group, encode_group)
        self._on_dropped = on_dropped

    def changes(self, rows: Iterable[TaskRow]) -> Iterator[Change]:
        for row in _one_row_a_change(rows):
            if row.key is None:
                self._on_dropped(Dropped(Reason.NULL_KEY, row))
                continue
            if self._groups.is_full:
                self._groups.flush()
            change = self._change(row.key, row)
            if change is not None:
                yield change

    def _change(self, key: str, row: TaskRow) -> Change | None:
        aggregation = self._aggregation
        place = "g" + key
        group = self._groups.get(place)
        old = None if group is None else aggregation.result(group)
        if group is None:
            if row.row is None:
                return None
            group = aggregation.new_group(row.time)
        elif row.undo is not None:
            aggregation.undo(group, row.undo)
        if row.row is not None:
            aggregation.add(group, row.row)
        group.time = max(group.time, row.time)
        self._groups.put(place, group)
        return Change(key, old, aggregation.result(group), group.time, seq=row.seq)

    def flush(self) -> None:
        self._groups.flush()


def _one_row_a_change(rows: Iterable[TaskRow]) -> Iterator[TaskRow]:
    """An undo and an add of one record for one group, that came as two rows, become one."""
    held: TaskRow | None = None
    for row in rows:
        if held is not None:
            is_pair = row.undo is None and row.row is not None and row.key == held.key and row.seq == held.seq
            if is_pair:
                yield held._replace(row=row.row)
                held = None
                continue
            yield held
            held = None
        if row.undo is not None and row.row is None:
            held = row
        elif row.undo is not None or row.row is not None:
            yield row
    if held is not None:
        yield held
