"""What a produce request comes to; also where something has to be known before it is appended, and later ones wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from riacho.broker.requests.api import CLOSE_CONNECTION, Silence
from riacho.broker.requests.later import Later, Outcome
from riacho.wire.messages.produce_response import ProduceResponse

T = TypeVar("T")

ProduceOutcome: TypeAlias = Outcome[ProduceResponse | Silence]


def after(
    work: asyncio.Future[T], go_on: Callable[[T], ProduceOutcome], log: logging.Logger, failure: str, *args: object
) -> ProduceOutcome:
    """What a produce request comes to that waits for `work` before it goes on; later requests wait for it."""
    later: Later[ProduceResponse | Silence] = Later(on_abandon=work.cancel, is_exclusive=True)

    def done(finished: asyncio.Future[T]) -> None:
        if finished.cancelled() or later.done:
            return
        try:
            outcome = go_on(finished.result())
        except Exception:
            # As for any produce: a write that may be stored is not answered with an error (dispatch.py).
            log.exception(failure, *args)
            outcome = CLOSE_CONNECTION
        later.resolve(outcome)

    work.add_done_callback(done)
    return later
