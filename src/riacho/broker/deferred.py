"""A reply that comes later: a parked fetch, a join that waits for the other members.

Unlike a future it calls back at once, on the same turn of the loop, and has one listener: the connection that waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from riacho.broker.api import CLOSE_CONNECTION


class Deferred:
    __slots__ = ("_listener", "_on_abandon", "_response", "done", "is_exclusive")

    def __init__(self, on_abandon: Callable[[], None] | None = None, *, is_exclusive: bool = False) -> None:
        self.done = False
        # Later requests of the connection wait for this one, also where they usually need not.
        self.is_exclusive = is_exclusive
        self._response: Any = None
        self._listener: Callable[[Any], None] | None = None
        self._on_abandon = on_abandon

    def resolve(self, response: Any) -> None:
        """Give the response; later calls are ignored, since a deadline and an append may race."""
        if self.done:
            return
        self.done = True
        self._on_abandon = None
        listener, self._listener = self._listener, None
        if listener is None:
            self._response = response
        else:
            listener(response)

    def then(self, listener: Callable[[Any], None]) -> None:
        if self.done and self._on_abandon is None:
            listener(self._response)
        else:
            self._listener = listener

    def abandon(self) -> None:
        """The peer is gone: nobody waits any more."""
        if self.done:
            return
        self.done = True
        self._listener = None
        hook, self._on_abandon = self._on_abandon, None
        if hook is not None:
            hook()


def after(
    work: asyncio.Future[Any], go_on: Callable[[Any], Any], log: logging.Logger, failure: str, *args: object
) -> Deferred:
    """What a produce request comes to that waits for `work` before it goes on; later requests wait for it."""
    deferred = Deferred(on_abandon=lambda: _cancel(work), is_exclusive=True)

    def done(finished: asyncio.Future[Any]) -> None:
        if finished.cancelled() or deferred.done:
            return
        try:
            outcome = go_on(finished.result())
        except Exception:
            # As for any produce: a write that may be stored is not answered with an error (dispatch.py).
            log.exception(failure, *args)
            outcome = CLOSE_CONNECTION
        deferred.resolve(outcome)

    work.add_done_callback(done)
    return deferred


def _cancel(work: asyncio.Future[Any]) -> None:
    work.cancel()


async def settled(outcome: Any) -> Any:
    """The response itself, whether it is here or to come."""
    if type(outcome) is not Deferred:
        return outcome
    future = asyncio.get_running_loop().create_future()
    outcome.then(lambda response: None if future.cancelled() else future.set_result(response))
    try:
        return await future
    finally:
        outcome.abandon()
