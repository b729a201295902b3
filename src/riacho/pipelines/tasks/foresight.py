"""Which entries of its store a task will ask for, read off its rows before it runs.

Where a call to the store has a way to go, entries that are known ahead can be fetched together. A hint and no more: an
entry that is not named here is fetched when it is asked for.
"""

from __future__ import annotations

from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec

_PREFIXES = {"aggregate": "g", "session": "s", "materialise": "r"}


def place_of(spec: TaskSpec, row: TaskRow) -> str | None:
    """None where the row alone does not say."""
    prefix = _PREFIXES.get(spec.kind)
    if prefix is None or row.key is None or row.window_start is not None:
        return None
    return prefix + row.key
