"""Topics that a sink connector names and that are not there: waited for, and logged when they do not come.

The source connector that makes a topic is often created together with the sink that reads it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

from riacho.pipelines.plugin import ConnectError, RetriableError

SETTING = "riacho.topics.timeout.ms"
DEFAULT_MS = 120_000
_LOOK_S = 0.5


def await_topics(
    topics: Sequence[str],
    existing: Callable[[], Collection[str]],
    timeout_s: float,
    is_over: Callable[[float], bool],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """ConnectError when one is missing at the end. `is_over` waits for as long as it is told, or says that nobody wants
    to know any more."""
    deadline_s = clock() + timeout_s
    while (trouble := _trouble(topics, existing)) is not None:
        if clock() >= deadline_s:
            raise trouble
        if is_over(_LOOK_S):
            return


def has_all(topics: Sequence[str], existing: Callable[[], Collection[str]]) -> bool:
    return _trouble(topics, existing) is None


def _trouble(topics: Sequence[str], existing: Callable[[], Collection[str]]) -> ConnectError | None:
    try:
        missing = sorted(set(topics) - set(existing()))
    except RetriableError as error:
        return error
    return ConnectError(f"Topic '{missing[0]}' does not exist on this cluster.") if missing else None
