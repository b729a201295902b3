"""What a handler answers: the response, or a promise of it (`Later`), as for a parked fetch or a join that waits.

An answer that is there is given as it is, with nothing around it. A promise is of one of two kinds. One that somebody
keeps by `resolve` never fails. One `of` a coroutine is begun by whoever takes its answer: dispatch, who knows what to
tell a client when it fails, or a coroutine that awaits `settled`, where its error is raised.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final, Generic, TypeAlias, TypeVar, cast, final

T = TypeVar("T")
U = TypeVar("U")

_NOTHING: Final = object()


@final
class Later(Generic[T]):
    """Unlike a future it calls back at once, on the same turn of the loop, and has one listener: who waits for it."""

    __slots__ = ("_listener", "_on_abandon", "_outcome", "_work", "done", "is_exclusive")

    def __init__(self, on_abandon: Callable[[], object] | None = None, *, is_exclusive: bool = False) -> None:
        self.done = False
        # Later requests of the connection wait for this one, also where they usually need not.
        self.is_exclusive = is_exclusive
        self._outcome: object = _NOTHING
        self._listener: Callable[[Outcome[T]], None] | None = None
        self._on_abandon = on_abandon
        self._work: Coroutine[object, None, T] | None = None

    @staticmethod
    def of(work: Coroutine[object, None, U]) -> Later[U]:
        later: Later[U] = Later()
        later._work = work
        return later

    # The coroutine's side

    @property
    def is_begun(self) -> bool:
        return self._work is None

    def taken(self) -> Coroutine[object, None, T]:
        """The coroutine itself, for who awaits it; nobody else can."""
        work, self._work = self._work, None
        assert work is not None, "begun already"
        self.done = True
        return work

    def begin(self, finished: Callable[[asyncio.Task[T]], None]) -> None:
        """Run the coroutine in a task of its own. `finished` is called at its end, also where nobody waits for it any
        more, and resolves this with what came of it."""
        task = asyncio.get_running_loop().create_task(self.taken())
        self.done = False
        self._on_abandon = task.cancel
        task.add_done_callback(finished)

    # Everybody's

    def resolve(self, outcome: Outcome[T]) -> None:
        """Give the answer, or another promise that takes this one's place. Later calls are ignored, since a deadline
        and an append may race."""
        if self.done:
            return
        self.done = True
        self._on_abandon = None
        listener, self._listener = self._listener, None
        if listener is None:
            self._outcome = outcome
        else:
            listener(outcome)

    def now(self) -> Outcome[T]:
        """What it was resolved with; itself while nobody has."""
        return self if self._outcome is _NOTHING else cast("Outcome[T]", self._outcome)

    def then(self, listener: Callable[[Outcome[T]], None]) -> None:
        assert self._work is None, "who begins it hears of its failure"
        if self._outcome is not _NOTHING:
            listener(cast("Outcome[T]", self._outcome))
        else:
            self._listener = listener

    def abandon(self) -> None:
        """The peer is gone: nobody waits any more."""
        if self.done:
            return
        self.done = True
        self._listener = None
        work, self._work = self._work, None
        if work is not None:
            work.close()
        hook, self._on_abandon = self._on_abandon, None
        if hook is not None:
            hook()


Outcome: TypeAlias = T | Later[T]


def mapped(outcome: Outcome[T], change: Callable[[T], U], on_abandon: Callable[[], None] | None = None) -> Outcome[U]:
    """The outcome after `change`, as early as it was before. `on_abandon` is called when nobody waits for it any
    more."""
    if type(outcome) is not Later:
        return change(outcome)
    if not outcome.is_begun:
        return Later.of(_changed(outcome, change))
    begun = outcome

    def abandon() -> None:
        begun.abandon()
        if on_abandon is not None:
            on_abandon()

    later: Later[U] = Later(on_abandon=abandon)
    begun.then(lambda answer: later.resolve(mapped(answer, change, on_abandon)))
    return later


async def _changed(outcome: Later[T], change: Callable[[T], U]) -> U:
    return change(await outcome.taken())


async def settled(outcome: Outcome[T]) -> T:
    """The answer itself, whether it is here or to come."""
    while type(outcome) is Later:
        if not outcome.is_begun:
            return await outcome.taken()
        outcome = await _resolved(outcome)
    return outcome


async def _resolved(later: Later[T]) -> Outcome[T]:
    future: asyncio.Future[Outcome[T]] = asyncio.get_running_loop().create_future()
    later.then(lambda outcome: None if future.cancelled() else future.set_result(outcome))
    try:
        return await future
    finally:
        later.abandon()
