"""What comes out of a task: changes of results, each with what was before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Change(NamedTuple):
    """`old` and `new` are row JSON of the result; None for no row. `time` is the result's. `seq` is that of the row
    that made the change; several changes may share it, their order is that in which they come.

    As in Kafka Streams, `old` of a stream aggregation's first change is the aggregate before any row (a count of 0), so
    that HAVING sees the same pairs as there."""

    key: str
    old: str | None
    new: str | None
    time: int
    window_start: int | None = None
    window_end: int | None = None
    seq: int = 0


def last_of_each(changes: Iterable[Change]) -> Iterator[Change]:
    """Of several changes of a key the last, with the first one's old, in the order of the last ones: what a Kafka
    Streams cache gives when it is flushed. What came and went again in between is not emitted."""
    kept: dict[tuple[str, int | None, int | None], Change] = {}
    for change in changes:
        identity = (change.key, change.window_start, change.window_end)
        first = kept.pop(identity, None)
        kept[identity] = change if first is None else change._replace(old=first.old)
    return (change for change in kept.values() if change.new is not None or change.old is not None)
