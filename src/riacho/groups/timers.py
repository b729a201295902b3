"""Deadlines by key, cheap to push back.

A heartbeat moves its member's deadline a session further, which is by far the most frequent change, so that is one
dictionary access: the heap keeps the earlier time and finds out when it gets there that the deadline has moved.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple


class TimerKey(NamedTuple):
    kind: str
    group_id: str
    member_id: str = ""


class _Timer:
    __slots__ = ("deadline_ms", "queued_ms")

    def __init__(self, deadline_ms: int) -> None:
        self.deadline_ms = deadline_ms
        # The one heap entry that counts for this key; others are left-overs.
        self.queued_ms = deadline_ms


class Timers:
    def __init__(self) -> None:
        self._timers: dict[TimerKey, _Timer] = {}
        self._heap: list[tuple[int, TimerKey]] = []

    def __len__(self) -> int:
        return len(self._timers)

    def __contains__(self, key: TimerKey) -> bool:
        return key in self._timers

    def schedule(self, key: TimerKey, deadline_ms: int) -> None:
        """Set the deadline of `key`, whether it had one or not."""
        timer = self._timers.get(key)
        if timer is None:
            self._timers[key] = _Timer(deadline_ms)
            heapq.heappush(self._heap, (deadline_ms, key))
            return
        timer.deadline_ms = deadline_ms
        if deadline_ms < timer.queued_ms:
            timer.queued_ms = deadline_ms
            heapq.heappush(self._heap, (deadline_ms, key))

    def cancel(self, key: TimerKey) -> None:
        self._timers.pop(key, None)

    def next_ms(self) -> int | None:
        """A time before which nothing is due; there may turn out to be nothing due at it either."""
        while self._heap:
            queued_ms, key = self._heap[0]
            timer = self._timers.get(key)
            if timer is not None and timer.queued_ms == queued_ms:
                return queued_ms
            heapq.heappop(self._heap)
        return None

    def pop_due(self, now_ms: int) -> list[TimerKey]:
        """The keys whose deadline has come, earliest first; they are no longer scheduled."""
        due: list[TimerKey] = []
        while self._heap and self._heap[0][0] <= now_ms:
            queued_ms, key = heapq.heappop(self._heap)
            timer = self._timers.get(key)
            if timer is None or timer.queued_ms != queued_ms:
                continue
            if timer.deadline_ms > now_ms:
                timer.queued_ms = timer.deadline_ms
                heapq.heappush(self._heap, (timer.deadline_ms, key))
                continue
            del self._timers[key]
            due.append(key)
        return due
