"""When open transactions take too long.

Deadlines in a heap; an entry counts while it is the one that stands for its transactional id. A look at the due ones
happens no more often than `transaction.abort.timed.out.transaction.cleanup.interval.ms`.
"""

from __future__ import annotations

import heapq

from riacho.transactions.transaction import Transaction

_STALE_MAX = 1_000


class Timeouts:
    def __init__(self, check_interval_ms: int) -> None:
        self._check_interval_ms = check_interval_ms
        self._not_before_ms = 0
        self._deadlines_ms: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._deadlines_ms)

    def follow(self, transaction: Transaction) -> None:
        """The transaction has changed."""
        transactional_id, deadline_ms = transaction.transactional_id, transaction.deadline_ms
        if deadline_ms is None:
            self.forget(transactional_id)
        elif self._deadlines_ms.get(transactional_id) != deadline_ms:
            self._watch(transactional_id, deadline_ms)

    def forget(self, transactional_id: str) -> None:
        self._deadlines_ms.pop(transactional_id, None)

    def postpone(self, transaction: Transaction, now_ms: int) -> None:
        """It is due, but cannot be ended now."""
        self._watch(transaction.transactional_id, now_ms + self._check_interval_ms)

    def next_ms(self) -> int | None:
        """When to look next. A transaction has the whole millisecond of its deadline."""
        while self._heap:
            deadline_ms, transactional_id = self._heap[0]
            if self._deadlines_ms.get(transactional_id) == deadline_ms:
                return max(deadline_ms + 1, self._not_before_ms)
            heapq.heappop(self._heap)
        return None

    def pop_due(self, now_ms: int) -> list[str]:
        """The transactional ids whose deadline has passed, earliest first. They are not watched any longer."""
        due: list[str] = []
        if now_ms < self._not_before_ms:
            return due
        while self.next_ms() is not None and self._heap[0][0] < now_ms:
            _, transactional_id = heapq.heappop(self._heap)
            del self._deadlines_ms[transactional_id]
            due.append(transactional_id)
        if due:
            self._not_before_ms = now_ms + self._check_interval_ms
        return due

    def _watch(self, transactional_id: str, deadline_ms: int) -> None:
        self._deadlines_ms[transactional_id] = deadline_ms
        heapq.heappush(self._heap, (deadline_ms, transactional_id))
        if len(self._heap) > 2 * len(self._deadlines_ms) + _STALE_MAX:
            # Most transactions end long before their deadline: what they left must not pile up until then.
            self._heap = [(due_ms, each) for each, due_ms in self._deadlines_ms.items()]
            heapq.heapify(self._heap)
