"""Tries again what may pass by itself, as `errors.retry.timeout` and `errors.retry.delay.max.ms` say."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from riacho.pipelines.errors.policy import ErrorPolicy
from riacho.pipelines.spark.failures import failure

T = TypeVar("T")


def retried(action: Callable[[], T], policy: ErrorPolicy, sleep: Callable[[float], None] = time.sleep) -> T:
    """The result of `action`, or the error of its last try."""
    for delay_ms in policy.delays_ms():
        try:
            return action()
        except Exception as error:
            if not failure(error).is_retriable:
                raise
        sleep(delay_ms / 1000)
    return action()
