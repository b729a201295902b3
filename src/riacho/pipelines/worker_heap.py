"""What Spark's Python processes hold for good, kept out of the garbage collector's way.

After every task, and every call of the planner, PySpark collects garbage in the process that ran it. That walks over
all objects of the modules that are loaded there, PySpark's, Arrow's and numpy's for the most part, to find nothing: 15
to 30 ms of processor time, several times that of a task of a few records, and the next task may have to wait for it.

    settle("read")    at the beginning of each piece of work, with its kind

When a process comes to a kind of work for the second time, all modules that it takes are there and the garbage of the
first time is gone: what is left is put aside (`gc.freeze`), once for each kind, so that what is put aside stays small.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable

_SETTLED_AT = 2


class WorkerHeap:
    """The heap of one process."""

    def __init__(self, freeze: Callable[[], None] = gc.freeze) -> None:
        self._freeze = freeze
        self._seen: Counter[str] = Counter()

    def settle(self, kind: str) -> None:
        """`kind` is one of a few names, not data."""
        self._seen[kind] += 1
        if self._seen[kind] == _SETTLED_AT:
            self._freeze()


settle = WorkerHeap().settle
