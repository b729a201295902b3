"""What a write can fail with, as one sentence that Spark shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from riacho.base.errors import KafkaError

T = TypeVar("T")


class SinkError(Exception):
    """Says what is wrong and, where something can be done about it, what."""


class RetriableSinkError(SinkError):
    """The brokers were away for longer than the client tries; another try may go well."""


class Fenced(SinkError):
    """Another attempt at the same task, or another driver, has taken over."""


def sink_error(error: KafkaError) -> SinkError:
    """What a broker or the connection said, in one sentence."""
    kind = RetriableSinkError if error.code.retriable else SinkError
    detail = (error.detail or f"The broker answered {error.code.name}").rstrip(".")
    return kind(f"{detail}.")


def as_sink_errors(work: Callable[[], T]) -> T:
    """The result of `work`, whose KafkaErrors become SinkErrors."""
    try:
        return work()
    except KafkaError as error:
        raise sink_error(error) from None
