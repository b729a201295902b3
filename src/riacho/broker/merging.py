"""An outcome that something is to be added to, whether it is there already or comes later."""

from __future__ import annotations

from collections.abc import Callable
from types import CoroutineType
from typing import Any

from riacho.broker.deferred import Deferred


def merged(outcome: Any, change: Callable[[Any], Any]) -> Any:
    """The outcome after `change`: a response, a coroutine of it or a Deferred, as it was before."""
    if type(outcome) is Deferred:
        deferred = Deferred(on_abandon=outcome.abandon)
        outcome.then(lambda response: deferred.resolve(change(response)))
        return deferred
    return _awaited(outcome, change) if type(outcome) is CoroutineType else change(outcome)


async def _awaited(outcome: Any, change: Callable[[Any], Any]) -> Any:
    return change(await outcome)
