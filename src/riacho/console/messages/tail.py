"""One reader that follows a topic: what waits for it is bounded, and what it was too slow for is counted."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator

from riacho.console.messages.examine import Examiner
from riacho.console.messages.sse import Done, Problem, Progress, event_text

QUEUE_MAX = 500
QUEUE_BYTES_MAX = 256 * 1024
_PIECE_BYTES = 64 * 1024
_PROGRESS_S = 1.0
_KEEP_ALIVE_S = 15.0
_PROBLEMS_MAX = 20


class Tail:
    """`starts`: from which offset on it is told of each partition."""

    __slots__ = (
        "_began",
        "_end",
        "_problems",
        "_queue",
        "_queued_bytes",
        "_wake",
        "examiner",
        "matched",
        "positions",
        "scanned",
        "size_bytes",
        "skipped",
        "starts",
        "topic",
    )

    def __init__(self, topic: str, starts: dict[int, int], examiner: Examiner) -> None:
        self.topic = topic
        self.starts = starts
        self.examiner = examiner
        self.positions = dict(starts)
        self.scanned = self.matched = self.size_bytes = self.skipped = 0
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._wake = asyncio.Event()
        self._problems: list[str] = []
        self._end: str | None = None
        self._began = time.monotonic()

    # --- the hub's side

    def offer(self, events: list[bytes], skipped: int = 0) -> None:
        """`skipped`: what matched besides, and there was no room for from the start."""
        for event in events:
            if len(self._queue) >= QUEUE_MAX or self._queued_bytes + len(event) > QUEUE_BYTES_MAX:
                self.skipped += 1
            else:
                self._queue.append(event)
                self._queued_bytes += len(event)
        self.matched += len(events) + skipped
        self.skipped += skipped
        if events:
            self._wake.set()

    def skip(self, count: int) -> None:
        self.skipped += count
        self._wake.set()

    def tell(self, problem: str) -> None:
        if problem not in self._problems and len(self._problems) < _PROBLEMS_MAX:
            self._problems.append(problem)
            self._push(event_text(Problem(problem)))

    def end(self, problem: str) -> None:
        self.tell(problem)
        self._end = "end"
        self._wake.set()

    def _push(self, event: bytes) -> None:
        self._queue.append(event)
        self._queued_bytes += len(event)
        self._wake.set()

    # --- the reader's side

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        told, told_at = None, 0.0
        while True:
            # The first progress is told at once: it follows.
            if told is not None and not self._queue and self._end is None:
                try:
                    async with asyncio.timeout(_PROGRESS_S if told != self._counts() else _KEEP_ALIVE_S):
                        await self._wake.wait()
                except TimeoutError:
                    pass
            self._wake.clear()
            piece = self._taken()
            now = time.monotonic()
            if now - told_at >= (_PROGRESS_S if told != self._counts() else _KEEP_ALIVE_S):
                told, told_at = self._counts(), now
                piece += event_text(self._progress())
            if piece:
                yield piece
            if self._end is not None and not self._queue:
                yield event_text(Done(self._end))
                return

    def _counts(self) -> tuple[int, int, int]:
        return self.scanned, self.matched, self.skipped

    def _taken(self) -> bytes:
        taken: list[bytes] = []
        size = 0
        while self._queue and size < _PIECE_BYTES:
            event = self._queue.popleft()
            taken.append(event)
            size += len(event)
        self._queued_bytes -= size
        return b"".join(taken)

    def _progress(self) -> Progress:
        return Progress(
            self.scanned,
            self.matched,
            self.size_bytes,
            int((time.monotonic() - self._began) * 1000),
            {str(each): offset for each, offset in self.positions.items()},
            skipped=self.skipped,
        )
