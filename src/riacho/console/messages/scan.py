"""A bounded read of a topic's partitions, merged by time: from the oldest forward, or from the newest back.

Partitions are read in steps. Each step brings rows that match, and moves the partition's frontier: the time up to which
it has been read. A row is told when no unfinished partition's frontier is behind it, and the partitions that are behind
are read next, so that all move through time together and little has to be kept. Kafka reads forward only: on the way
back, a step is a range of offsets before the last one, larger each time while few rows match.

Bounded: in rows (`limit`), in time, in fetches under way and in rows that wait. Who goes away closes the generator,
and with it the connections: brokers stop sending at once.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import Executor
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from riacho.base.errors import KafkaError
from riacho.console.messages.brokers import Brokers
from riacho.console.messages.examine import Examined, Examiner, Stop
from riacho.console.messages.partition_reader import FETCH_BYTES_MAX, FETCH_BYTES_MIN, FindTopic, PartitionReader
from riacho.console.messages.ranges import Plan, Range
from riacho.console.messages.row import Row
from riacho.web.errors import ApiError

_IN_FLIGHT_MAX = 4
_WAITING_ROWS_MAX = 5_000
_TURN_S = 0.25
_BUDGET_BYTES = 64 * 1024 * 1024
_FIRST_SPAN = 1_000
_SPAN_GROWTH = 4
_UNFILTERED_SPAN_MAX = 5_000
_SEARCHED_BYTES = 32 * 1024 * 1024
_SHOWN_BYTES = 4 * 1024 * 1024
_ROW_BYTES_GUESS = 1024
_FIRST_BYTES = 256 * 1024
PROBLEMS_MAX = 20

Sorted = tuple[int, int, int, Row]


@dataclass(slots=True)
class Tally:
    """What a read has seen so far."""

    scanned: int = 0
    matched: int = 0
    size_bytes: int = 0
    control: int = 0
    aborted: int = 0
    partitions: dict[int, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, found: Examined) -> None:
        self.scanned += found.scanned
        self.size_bytes += found.size_bytes
        self.control += found.control
        self.aborted += found.aborted
        for problem in found.problems:
            self.tell(problem)

    def tell(self, problem: str) -> None:
        if len(self.problems) < PROBLEMS_MAX and problem not in self.problems:
            self.problems.append(problem)


class Scan:
    """`tally` and `reason` (limit, end, time) tell what became of it."""

    def __init__(
        self,
        plan: Plan,
        brokers: Brokers,
        find: FindTopic,
        examiner: Examiner,
        threads: Executor,
        *,
        limit: int,
        is_backward: bool,
        committed_only: bool,
        time_s_max: float,
        fetch_bytes_max: int = FETCH_BYTES_MAX,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tally = Tally(problems=list(plan.problems[:PROBLEMS_MAX]))
        self.reason = ""
        self._brokers = brokers
        self._threads = threads
        self._examiner = examiner
        self._limit = limit
        self._is_backward = is_backward
        self._clock = clock
        self._time_s_max = time_s_max
        self._stop = Stop()
        self._waiting: list[Sorted] = []
        fetch_bytes = max(FETCH_BYTES_MIN, min(fetch_bytes_max, _BUDGET_BYTES // max(1, len(plan.ranges))))
        self._partitions: list[_Partition] = []
        for each in plan.ranges:
            reader = PartitionReader(
                brokers, plan.place, find, each.partition, committed_only=committed_only, fetch_bytes=fetch_bytes
            )
            self._partitions.append(_Partition(each, reader, is_backward=is_backward))
            self.tally.partitions[each.partition] = each.end if is_backward else each.start

    @property
    def remaining(self) -> int:
        return self._limit - self.tally.matched

    async def rows(self) -> AsyncGenerator[list[Row], None]:
        """In the order of time; also empty lists, so that progress can be told. Closes the connections at its end."""
        deadline = self._clock() + self._time_s_max
        under_way: dict[asyncio.Task[None], _Partition] = {}
        told = self._clock()
        try:
            while self.remaining > 0 and (self._unfinished() or self._waiting):
                self._start_steps(under_way)
                if under_way:
                    wait_s = max(0.0, min(_TURN_S, deadline - self._clock()))
                    done, _ = await asyncio.wait(under_way, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        self._finished(task, under_way.pop(task))
                ready = self._ready()
                if ready or self._clock() - told >= _TURN_S:
                    told = self._clock()
                    yield ready
                if self._clock() >= deadline and self._unfinished():
                    self.reason = "time"
                    return
            self.reason = "end" if self.remaining > 0 else "limit"
        finally:
            self._stop.is_set = True
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
            for each in self._partitions:
                await each.close()
            self._brokers.close()

    # --- which partitions

    def _unfinished(self) -> list[_Partition]:
        """Those that may still bring rows that would be told."""
        full = len(self._waiting) >= self.remaining
        worst = self._waiting[-1][0] if full and self._waiting else math.inf
        return [each for each in self._partitions if not each.is_done and each.frontier < worst]

    def _start_steps(self, under_way: dict[asyncio.Task[None], _Partition]) -> None:
        running = set(map(id, under_way.values()))
        behind = sorted(self._unfinished(), key=lambda each: each.frontier)
        for index, each in enumerate(behind):
            if len(under_way) >= _IN_FLIGHT_MAX or (index and len(self._waiting) >= _WAITING_ROWS_MAX):
                return
            if id(each) not in running:
                under_way[asyncio.ensure_future(self._step(each))] = each

    async def _step(self, each: _Partition) -> None:
        await each.step(self._examined, self.remaining, bool(self._examiner.filter.tests))

    async def _examined(self, partition: int, fetched: Any, end: int) -> Examined:
        found: Examined = await asyncio.get_running_loop().run_in_executor(
            self._threads,
            lambda: self._examiner.examine(
                partition, fetched, end, self._stop, self.remaining, keeps_last=self._is_backward
            ),
        )
        self.tally.add(found)
        return found

    def _finished(self, task: asyncio.Task[None], each: _Partition) -> None:
        error = task.exception()
        if isinstance(error, KafkaError | ApiError):
            each.is_done = True
            self.tally.tell(error.detail if isinstance(error, KafkaError) else error.message)
        elif error is not None:
            raise error
        self.tally.partitions[each.partition] = each.position
        sign = -1 if self._is_backward else 1
        self._waiting += [(sign * row.timestamp_ms, row.partition, sign * row.offset, row) for row in each.take_rows()]
        self._waiting.sort(key=lambda item: item[:3])
        del self._waiting[max(self.remaining, 0) :]

    def _ready(self) -> list[Row]:
        frontier = min((each.frontier for each in self._unfinished()), default=math.inf)
        count = 0
        while count < len(self._waiting) and self._waiting[count][0] <= frontier:
            count += 1
        ready = [item[3] for item in self._waiting[:count]]
        del self._waiting[:count]
        self.tally.matched += len(ready)
        return ready


Examine = Callable[[int, Any, int], Coroutine[Any, Any, Examined]]


class _Partition:
    """How far one partition was read. `frontier` is a time, negative on the way back: it only grows."""

    def __init__(self, wanted: Range, reader: PartitionReader, *, is_backward: bool) -> None:
        self.partition = wanted.partition
        self.frontier = -math.inf
        self.is_done = wanted.start >= wanted.end
        self.position = wanted.end if is_backward else wanted.start
        self._range = wanted
        self._reader = reader
        self._is_backward = is_backward
        self._rows: list[Row] = []
        self._answers: Any = None
        self._span = 0
        self._unpacked_bytes = self._offsets = 0

    def take_rows(self) -> list[Row]:
        taken, self._rows = self._rows, []
        return taken

    async def close(self) -> None:
        if self._answers is not None:
            await self._answers.aclose()

    async def step(self, examine: Examine, remaining: int, is_filtered: bool) -> None:
        if self._is_backward:
            await self._step_back(examine, remaining, is_filtered)
        else:
            await self._step_forward(examine, remaining, is_filtered)

    async def _step_forward(self, examine: Examine, remaining: int, is_filtered: bool) -> None:
        if self._answers is None:
            # Also of a search the first answer should be here soon.
            first = _FIRST_BYTES if is_filtered else _wanted_bytes(remaining)
            self._answers = self._reader.read(self._range.start, self._range.end, first)
        fetched = await anext(self._answers, None)
        if fetched is None:
            self.position, self.is_done = self._range.end, True
            return
        found = await examine(self.partition, fetched, self._range.end)
        self._rows += found.rows
        self.position = min(fetched.next_offset, self._range.end)
        self.is_done = self.position >= self._range.end
        if found.timestamp_max is not None:
            self.frontier = max(self.frontier, found.timestamp_max)

    async def _step_back(self, examine: Examine, remaining: int, is_filtered: bool) -> None:
        high = self.position
        low = max(self._range.start, high - self._next_span(remaining, is_filtered))
        first = None if self._span > _FIRST_SPAN else _wanted_bytes(high - low)
        rows: list[Row] = []
        oldest = math.inf
        async with aclosing(self._reader.read(low, high, first)) as answers:
            async for fetched in answers:
                found = await examine(self.partition, fetched, high)
                rows = [*rows, *found.rows][-remaining:]
                oldest = min(oldest, math.inf if found.timestamp_min is None else found.timestamp_min)
                self._unpacked_bytes += found.unpacked_bytes
        self._rows += rows
        self._offsets += high - low
        self.position = low
        self.is_done = low <= self._range.start
        if oldest < math.inf:
            self.frontier = max(self.frontier, -oldest)

    def _next_span(self, remaining: int, is_filtered: bool) -> int:
        """About as many offsets as a few fetches bring, once it is known how large records are here."""
        if not self._span:
            self._span = _FIRST_SPAN if is_filtered else min(remaining, _UNFILTERED_SPAN_MAX)
            return self._span
        each = max(1.0, self._unpacked_bytes / max(1, self._offsets))
        # Of a search few rows are kept, otherwise all.
        wanted_bytes = _SEARCHED_BYTES if is_filtered else _SHOWN_BYTES
        self._span = max(1, min(self._span * _SPAN_GROWTH, int(wanted_bytes / each)))
        return self._span


def _wanted_bytes(rows: int) -> int:
    return max(FETCH_BYTES_MIN, min(FETCH_BYTES_MAX, rows * _ROW_BYTES_GUESS))
