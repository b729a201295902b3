"""Which of the fetched records a member gets, and what becomes of offsets that nobody can get.

There are two ways (KIP-1206). By batches: a batch of the log is given out whole, so the number of records asked for may
be exceeded by the rest of one batch. By records: never more than was asked for, and the rest of a batch stays free.

Records that were tried often are held back (KIP-932): from half the allowed deliveries on they are given out apart from
others, each time in half the portion, and one by one the last time, so that a single bad record is found before it
takes its neighbours to the archive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from riacho.shares.config import ShareLimits
from riacho.shares.record_state import RecordState
from riacho.shares.runs import Run, Runs

_FIRST_DELIVERY = 1
_SMALLEST_LIMIT = 2


class FetchedBatch(NamedTuple):
    """A whole batch of the log. `is_hidden`: no consumer may see its records."""

    base_offset: int
    last_offset: int
    is_hidden: bool = False


class AcquireRequest(NamedTuple):
    """What a member asks for. `batch_size` is how many new records stand together in the answer at least."""

    member_id: str
    records_max: int
    batch_size: int
    is_record_limit: bool = False


class AcquiredRange(NamedTuple):
    first_offset: int
    last_offset: int
    delivery_count: int


class Acquired(NamedTuple):
    ranges: list[AcquiredRange]
    record_count: int


class Acquiring:
    """One go over the fetched batches. Not to be used twice."""

    def __init__(self, runs: Runs, request: AcquireRequest, limits: ShareLimits, now_ms: int) -> None:
        self._runs = runs
        self._request = request
        self._limits = limits
        self._deadline_ms = now_ms + limits.record_lock_duration_ms
        self._ranges: list[AcquiredRange] = []
        self._count = 0
        # Once records were held back, nothing else goes with them.
        self._is_over = False

    def acquire(self, batches: Sequence[FetchedBatch], fetch_offset: int) -> Acquired:
        cursor = fetch_offset
        for batch in batches:
            if self._is_full:
                break
            if batch.last_offset < cursor:
                continue
            if batch.base_offset > cursor:
                self._archive(cursor, batch.base_offset - 1)
            cursor = max(cursor, batch.base_offset)
            if batch.is_hidden:
                self._archive(cursor, batch.last_offset)
            else:
                self._again(cursor, batch.last_offset)
                self._anew(max(cursor, self._runs.end), batch)
            cursor = batch.last_offset + 1
        return Acquired(self._ranges, self._count)

    @property
    def _is_full(self) -> bool:
        return self._is_over or self._count >= self._request.records_max

    def _archive(self, first: int, last: int) -> None:
        """Nobody will ever get these."""
        runs = self._runs
        for run in runs.cover(first, last):
            if run.is_free:
                run.settle(RecordState.ARCHIVED)
        if last >= runs.end:
            runs.append(Run(runs.end, last, RecordState.ARCHIVED, 0))

    def _again(self, first: int, last: int) -> None:
        """What is in flight and free."""
        for run in self._runs.cover(first, last):
            if self._is_full and (self._is_over or self._request.is_record_limit):
                return
            if run.is_free:
                self._take_again(run)

    def _take_again(self, run: Run) -> None:
        portion = run.count
        is_throttled = run.delivery_count >= self._limits.throttle_delivery_count
        if is_throttled:
            self._is_over = True
            if self._count:
                return
            portion = self._throttled(run)
        if self._request.is_record_limit:
            portion = min(portion, self._request.records_max - self._count)
        for taken in self._runs.cover(run.first, run.first + portion - 1):
            taken.delivery_count += 1
            self._give(taken)
            self._note(taken.first, taken.last, taken.delivery_count)

    def _throttled(self, run: Run) -> int:
        limit = self._limits.delivery_count_limit
        if limit > _SMALLEST_LIMIT and run.delivery_count >= limit - 1:
            return 1
        return max(1, run.count >> (run.delivery_count - self._limits.throttle_delivery_count + 1))

    def _anew(self, first: int, batch: FetchedBatch) -> None:
        """What was never given out."""
        runs, request = self._runs, self._request
        room = self._limits.partition_max_record_locks - runs.record_count
        if first > batch.last_offset or self._is_full or room <= 0:
            # Past a full house no later batch may be looked at either: the end must not jump over this one.
            self._is_over = self._is_over or first <= batch.last_offset
            return
        last = batch.last_offset
        if request.is_record_limit:
            last = min(last, first + min(request.records_max - self._count, room) - 1)
        if first > runs.end:
            runs.append(Run(runs.end, first - 1, RecordState.ARCHIVED, 0))
        run = Run(first, last, RecordState.ACQUIRED, _FIRST_DELIVERY)
        runs.append(run)
        self._give(run)
        self._note(first, last, _FIRST_DELIVERY, is_new=True)
        self._is_over = last < batch.last_offset

    def _give(self, run: Run) -> None:
        run.state = run.target = RecordState.ACQUIRED
        run.member_id = self._request.member_id
        run.deadline_ms = self._deadline_ms

    def _note(self, first: int, last: int, delivery_count: int, is_new: bool = False) -> None:
        self._count += last - first + 1
        ranges = self._ranges
        if ranges:
            before = ranges[-1]
            is_next = before.last_offset + 1 == first and before.delivery_count == delivery_count
            is_enough = is_new and first - before.first_offset >= self._request.batch_size
            if is_next and (self._request.is_record_limit or not is_enough):
                ranges[-1] = before._replace(last_offset=last)
                return
        ranges.append(AcquiredRange(first, last, delivery_count))
