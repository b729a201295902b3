"""The records in flight of one share-partition as runs: neighbouring offsets that share one fate.

The runs lie side by side, without gaps, from the share-partition's start to its end. A run is cut where a part of it
goes another way, and joined again with neighbours that became alike, so a partition whose consumers take and finish
whole batches costs a few objects, and one whose records all differ costs one per record, up to the limit on locks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import attrgetter

from riacho.shares.record_state import RecordState

NOBODY = ""
NO_TRANSITION = 0
NO_DEADLINE = -1

_first = attrgetter("first")


class Run:
    __slots__ = ("deadline_ms", "delivery_count", "first", "last", "member_id", "state", "target", "transition")

    def __init__(
        self,
        first: int,
        last: int,
        state: RecordState,
        delivery_count: int,
        member_id: str = NOBODY,
        deadline_ms: int = NO_DEADLINE,
    ) -> None:
        self.first = first
        self.last = last
        self.state = state
        self.delivery_count = delivery_count
        # Who holds it and until when; only while ACQUIRED.
        self.member_id = member_id
        self.deadline_ms = deadline_ms
        # The change that is being stored, and what it will make of this run.
        self.transition = NO_TRANSITION
        self.target = state

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def is_free(self) -> bool:
        return self.state is RecordState.AVAILABLE

    @property
    def is_held(self) -> bool:
        """Acquired, and no change of it is on its way."""
        return self.state is RecordState.ACQUIRED and self.transition == NO_TRANSITION

    def settle(self, state: RecordState) -> None:
        self.state = self.target = state
        self.member_id = NOBODY
        self.deadline_ms = NO_DEADLINE
        self.transition = NO_TRANSITION

    def _copy(self, first: int, last: int) -> Run:
        copy = Run(first, last, self.state, self.delivery_count, self.member_id, self.deadline_ms)
        copy.transition = self.transition
        copy.target = self.target
        return copy

    def is_like(self, other: Run) -> bool:
        return (
            self.state is other.state
            and self.delivery_count == other.delivery_count
            and self.member_id == other.member_id
            and self.deadline_ms == other.deadline_ms
            and self.transition == other.transition
            and self.target is other.target
        )

    def __repr__(self) -> str:
        return f"Run({self.first}-{self.last} {self.state.name} x{self.delivery_count} {self.member_id})"


class Runs:
    """Sorted runs over [start, end)."""

    __slots__ = ("_runs", "end", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self._runs: list[Run] = []

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def record_count(self) -> int:
        return self.end - self.start

    def append(self, run: Run) -> None:
        assert run.first == self.end, f"{run} does not follow {self.end}"
        self._runs.append(run)
        self.end = run.last + 1

    def cover(self, first: int, last: int) -> list[Run]:
        """The runs of exactly these offsets, as far as they are in flight; cut where need be."""
        first, last = max(first, self.start), min(last, self.end - 1)
        if first > last:
            return []
        self._cut(first)
        self._cut(last + 1)
        runs = self._runs
        return runs[bisect_right(runs, first, key=_first) - 1 : bisect_right(runs, last, key=_first)]

    def _cut(self, offset: int) -> None:
        """Let a run start at `offset`."""
        if not self.start < offset < self.end:
            return
        at = bisect_right(self._runs, offset, key=_first) - 1
        run = self._runs[at]
        if run.first < offset:
            self._runs.insert(at + 1, run._copy(offset, run.last))
            run.last = offset - 1

    def tidy(self) -> None:
        """Join what is alike, and let go of what is finished at the start."""
        kept: list[Run] = []
        for run in self._runs:
            if not kept and run.state.is_terminal:
                self.start = run.last + 1
            elif kept and kept[-1].is_like(run):
                kept[-1].last = run.last
            else:
                kept.append(run)
        self._runs = kept

    def drop_below(self, offset: int) -> None:
        """The log starts later now."""
        if offset >= self.end:
            self._runs = []
            self.start = self.end = offset
            return
        self._cut(offset)
        self._runs = [run for run in self._runs if run.first >= offset]
        self.start = offset
