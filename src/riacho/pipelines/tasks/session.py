"""Groups of session windows: rows of a key no further apart than the gap.

A row merges all sessions that it touches. Each of them goes with a tombstone at its own end, then the merged session
comes with its new bounds; that happens also where the bounds stay, except for a row at the very time of a session of
one moment. A session's bounds are the times of its first and last row, and the result's time is the last one. It is
closed when its end, the gap and the grace period are before stream time.

State is one entry a key, its sessions by their ends: ["s1", [[start, end, [states], [carried]], ...]].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.closing_index import ClosingIndex
from riacho.pipelines.tasks.dropped import Dropped, OnDropped, Reason
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.groups import Aggregation, Group
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec
from riacho.pipelines.tasks.store import Store
from riacho.pipelines.tasks.stream_time import StreamTime
from riacho.pipelines.tasks.write_behind import WriteBehind

_TAG = "s1"


@dataclass(slots=True)
class _Session:
    start: int
    end: int
    group: Group


@dataclass(slots=True)
class _Sessions:
    """Of one key, by their ends; no two of them overlap."""

    listed: list[_Session] = field(default_factory=list)


class SessionAggregate:
    def __init__(self, spec: TaskSpec, store: Store, on_dropped: OnDropped) -> None:
        assert spec.window is not None
        self._gap_ms = spec.window.size_ms
        self._grace_ms = spec.window.grace_ms
        self._is_final = spec.emit_final
        self._aggregation = Aggregation(spec)
        self._keys: WriteBehind[_Sessions] = WriteBehind(store, self._decoded, _encode)
        self._closing = ClosingIndex(store, self._gap_ms)
        self._time = StreamTime(store)
        self._on_dropped = on_dropped

    def changes(self, rows: Iterable[TaskRow]) -> Iterator[Change]:
        for row in rows:
            if row.key is None or row.row is None or row.time < 0:
                reason = Reason.NULL_KEY if row.key is None else Reason.NULL_VALUE
                self._on_dropped(Dropped(Reason.NEGATIVE_TIME if row.time < 0 else reason, row))
                continue
            if self._keys.is_full:
                self._keys.flush()
            close_time = self._time.advance(row.time) - self._grace_ms - self._gap_ms
            changes = self._add(row.key, row.row, row, close_time)
            if not self._is_final:
                yield from changes
            yield from self._close(close_time, row.seq)

    def _add(self, key: str, text: str, row: TaskRow, close_time: int) -> list[Change]:
        sessions = self._keys.get("s" + key) or _Sessions()
        touched = [
            each
            for each in sessions.listed
            if each.end >= row.time - self._gap_ms and each.start <= row.time + self._gap_ms
        ]
        start = min([row.time, *(each.start for each in touched)])
        end = max([row.time, *(each.end for each in touched)])
        if end < close_time:
            self._on_dropped(Dropped(Reason.EXPIRED_WINDOW, row, start, end, self._time.now))
            return []
        group = self._aggregation.new_group(row.time)
        for each in touched:
            self._aggregation.merge(group, each.group)
        changes = self._tombstones(key, touched, row.seq) if (start, end) != (row.time, row.time) else []
        self._aggregation.add(group, text, self._time.sequence)
        kept = [each for each in sessions.listed if each not in touched]
        sessions.listed = sorted([*kept, _Session(start, end, group)], key=lambda each: each.end)
        self._keys.put("s" + key, sessions)
        if not any(each.end == end for each in touched):
            self._closing.add(end, key)
        changes.append(Change(key, None, self._aggregation.result(group), end, start, end, row.seq))
        return changes

    def _tombstones(self, key: str, touched: list[_Session], seq: int) -> list[Change]:
        return [
            Change(key, self._aggregation.result(each.group), None, each.end, each.start, each.end, seq)
            for each in touched
        ]

    def _close(self, close_time: int, seq: int) -> Iterator[Change]:
        for end, key in self._closing.take_due(close_time - 1):
            sessions = self._keys.get("s" + key)
            # A session that grew since left its former end in the index.
            ended = [each for each in sessions.listed if each.end == end] if sessions else []
            for each in ended:
                if self._is_final:
                    yield Change(key, None, self._aggregation.result(each.group), end, each.start, end, seq)
            if sessions and ended:
                sessions.listed = [each for each in sessions.listed if each.end != end]
                if sessions.listed:
                    self._keys.put("s" + key, sessions)
                else:
                    self._keys.delete("s" + key)

    def _decoded(self, text: str) -> _Sessions:
        sessions = _decode(text)
        for each in sessions.listed:
            self._aggregation.fitted(each.group)
        return sessions

    def flush(self) -> None:
        self._keys.flush()
        self._closing.flush()
        self._time.flush()


def _encode(sessions: _Sessions) -> str:
    listed = [(each.start, each.end, each.group.states, each.group.carried) for each in sessions.listed]
    return msgspec.json.encode((_TAG, listed)).decode()


def _decode(text: str) -> _Sessions:
    entry: Any = msgspec.json.decode(text)
    tag, listed = entry
    if tag != _TAG:
        raise TaskError(f"State was written by another version: {tag} where {_TAG} is known.")
    return _Sessions([_Session(start, end, Group(end, states, carried)) for start, end, states, carried in listed])
