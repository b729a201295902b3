"""Virtual time: an event loop that never waits, and clocks that may be wrong.

Theory of operation. The loop runs what is ready, in the order in which it was asked for; when nothing is ready, time
jumps to the next timer. There is no selector and there are no threads: a thread's work runs on the loop, some moments
later. Time is a whole number of microseconds, so that the same run gives the same times to the last digit.

Everything that a node does carries the node's `Life` in its context, and so do the tasks, callbacks and timers that
come of it. To crash a node its life is ended: what carries it is never run again, and nothing of it is cleaned up, as
after `kill -9`. A node's clock may run fast or slow; its timers and `loop.time()` go by that clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import math
from asyncio import events
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from contextvars import Context, ContextVar, copy_context
from random import Random
from typing import Any

_TURNS_WITHOUT_TIME_MAX = 200_000
_THREAD_DELAY_US_MAX = 3_000
# A life's monotonic clock starts here: far below any real one, should the two ever be compared.
_START_US = 1_000_000
WALL_START_MS = 1_800_000_000_000


class Life:
    """One node from start to end, and the clock that it goes by."""

    def __init__(self, name: str, drift_ppm: int = 0) -> None:
        self.name = name
        self.is_over = False
        self._rate = 1_000_000 + drift_ppm

    def local_us(self, world_us: int) -> int:
        return world_us * self._rate // 1_000_000

    def world_us(self, local_us: int) -> int:
        """The first moment at which this clock shows `local_us`."""
        return -(-local_us * 1_000_000 // self._rate)

    def context(self) -> Context:
        context = Context()
        context.run(CURRENT.set, self)
        return context


CURRENT: ContextVar[Life | None] = ContextVar("life", default=None)


class Stuck(Exception):
    """Nothing is scheduled any more, or time stands still."""


class _Handle(asyncio.Handle):
    """Made more cheaply than asyncio's: a run makes a hundred thousand of them."""

    __slots__ = ("life",)

    def __init__(
        self, callback: Callable[..., Any], args: tuple[Any, ...], loop: SimulatedLoop, context: Context | None
    ) -> None:
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._cancelled = False
        self._callback = callback
        self._args = args
        self._repr = self._source_traceback = None
        self.life = self._context.get(CURRENT)


class _TimerHandle(asyncio.TimerHandle):
    __slots__ = ("life",)

    def __init__(
        self,
        when: float,
        callback: Callable[..., Any],
        args: tuple[Any, ...],
        loop: SimulatedLoop,
        context: Context | None,
    ) -> None:
        _Handle.__init__(self, callback, args, loop, context)  # type: ignore[arg-type]
        self._when = when
        self._scheduled = False


class SimulatedLoop(asyncio.BaseEventLoop):
    def __init__(self, rng: Random) -> None:
        super().__init__()
        self.now_us = _START_US
        self.handled = 0
        self._rng = rng
        self._timers: list[tuple[int, int, _TimerHandle]] = []
        self._sequence = 0
        self._cancelled = 0
        self._turns = 0
        self._is_ended = False
        self.set_task_factory(_task)

    # --- time

    def time(self) -> float:
        life = CURRENT.get()
        return (self.now_us if life is None else life.local_us(self.now_us)) / 1_000_000

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        life = CURRENT.get()
        # A float of seconds is off by less than this from the microsecond that it means.
        when_us = math.ceil(when * 1_000_000 - 0.01)
        world_us = when_us if life is None else life.world_us(when_us)
        return self.at_us(world_us, callback, *args, context=context)

    def at_us(
        self, world_us: int, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """By the world's own clock."""
        handle = _TimerHandle(world_us / 1_000_000, callback, args, self, context)
        if not self._is_ended:
            handle._scheduled = True  # type: ignore[attr-defined]
            self._sequence += 1
            heapq.heappush(self._timers, (max(world_us, self.now_us), self._sequence, handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._cancelled += 1
        if self._cancelled > 100 and self._cancelled * 2 > len(self._timers):
            self._timers = [timer for timer in self._timers if not timer[2].cancelled()]
            heapq.heapify(self._timers)
            self._cancelled = 0

    # --- running

    def _run_once(self) -> None:
        ready = self._ready  # type: ignore[attr-defined]
        if not ready:
            self._jump()
        self._turns += 1
        if self._turns > _TURNS_WITHOUT_TIME_MAX:
            raise Stuck(f"time stands still at {self.now_us} us: something runs in circles")
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle._cancelled:
                continue
            life = handle.life
            if life is None or not life.is_over:
                self.handled += 1
                handle._run()

    def _jump(self) -> None:
        timers = self._timers
        while timers:
            when_us, _, handle = timers[0]
            life = handle.life
            if handle.cancelled() or (life is not None and life.is_over):
                heapq.heappop(timers)
                continue
            if when_us > self.now_us:
                self.now_us = when_us
                self._turns = 0
            break
        else:
            raise Stuck("nothing is scheduled: everyone waits for ever")
        while timers and timers[0][0] <= self.now_us:
            handle = heapq.heappop(timers)[2]
            handle._scheduled = False  # type: ignore[attr-defined]
            if not handle.cancelled():
                self._ready.append(handle)  # type: ignore[attr-defined]

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        future = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)

        self.at_us(self.now_us + self._rng.randrange(_THREAD_DELAY_US_MAX), work)
        return future

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = _Handle(callback, args, self, context)
        if not self._is_ended:
            self._ready.append(handle)  # type: ignore[attr-defined]
        return handle

    def end(self) -> None:
        """Drop what is left, and let no coroutine's clean-up start anything anew."""
        self._is_ended = True
        self._ready.clear()  # type: ignore[attr-defined]
        self._timers.clear()
        closed: set[asyncio.Task[Any]] = set()
        # What is unwound may make tasks in turn; they go the same way.
        while left := asyncio.all_tasks(self) - closed:
            for task in left:
                with contextlib.suppress(BaseException):
                    task.get_coro().close()  # type: ignore[union-attr]
            closed |= left
        self.close()

    def _process_events(self, event_list: Any) -> None: ...

    def _write_to_self(self) -> None: ...


def _task(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **options: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(coroutine, loop=loop, **options)
    # A crashed node leaves its tasks as they stand.
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    return task


class SimulatedClock:
    """A node's clock: monotonic by its life, and a time of day that may be set."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop
        self.life = Life("unborn")
        self.offset_ms = 0

    def monotonic_ms(self) -> int:
        return self.life.local_us(self._loop.now_us) // 1_000

    def now_ms(self) -> int:
        return WALL_START_MS + self.offset_ms + self.monotonic_ms()


class SimulatedRng:
    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def token(self, size_bytes: int) -> bytes:
        return self._random.randbytes(size_bytes)


class InlineExecutor(Executor):
    """For work handed over past the loop: done before the hand-over returns."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future


@contextlib.contextmanager
def running(loop: SimulatedLoop) -> Any:
    """Make things that belong to the loop before it runs."""
    events._set_running_loop(loop)
    try:
        yield
    finally:
        events._set_running_loop(None)
