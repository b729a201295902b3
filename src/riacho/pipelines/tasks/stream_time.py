"""The highest time that a bucket has seen, and what it needs besides to go on after a restart."""

from __future__ import annotations

import msgspec

from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.store import Store

_KEY = "m"
_TAG = "m1"
NO_TIME = -1


class StreamTime:
    """`sequence` counts rows, so that "first" and "last" hold when aggregates of two sessions are merged."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.now = NO_TIME
        self.sequence = 0
        text = store.get(_KEY)
        if text is not None:
            tag, self.now, self.sequence = msgspec.json.decode(text)
            if tag != _TAG:
                raise TaskError(f"State was written by another version: {tag} where {_TAG} is known.")
        self._written = (self.now, self.sequence)

    def advance(self, time: int) -> int:
        """To a row's time, where that is later. Rows that will be dropped move it too."""
        self.sequence += 1
        if time > self.now:
            self.now = time
        return self.now

    def flush(self) -> None:
        if (self.now, self.sequence) != self._written:
            self._store.put(_KEY, msgspec.json.encode((_TAG, self.now, self.sequence)).decode())
            self._written = (self.now, self.sequence)
