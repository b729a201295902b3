"""What goes into a task: one row a record, in the order in which records are to be processed."""

from __future__ import annotations

from typing import NamedTuple


class TaskRow(NamedTuple):
    """`key` and `row` are row JSON. `undo` is what a table's change takes back from its group; a row may carry both,
    when the group is the same: then it is one change (KIP-904). `seq` is the order in the batch; rows that came of one
    record share it. `window_start` and `window_end` are those of a windowed key, which is a part of what identifies
    it."""

    key: str | None
    row: str | None
    time: int
    seq: int = 0
    undo: str | None = None
    side: str = ""
    partition: int = 0
    offset: int = 0
    window_start: int | None = None
    window_end: int | None = None
