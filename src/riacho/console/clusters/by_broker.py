"""Asking every broker its share, in batches: one that does not answer leaves a gap and spoils nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.console.clusters.errors import sentence

T = TypeVar("T")


class Gaps:
    """What could not be looked at, a sentence each; the same one is told once."""

    MAX = 20

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}

    def asked(self, what: str, ask: Callable[[], T]) -> T | None:
        """None where it failed. A connection that broke since the last look is not worth a gap: it is asked again."""
        try:
            return ask()
        except KafkaError as error:
            if error.code is not ErrorCode.NETWORK_EXCEPTION:
                self.add(what, error)
                return None
        try:
            return ask()
        except KafkaError as error:
            self.add(what, error)
            return None

    def add(self, what: str, error: KafkaError) -> None:
        if len(self._sentences) < self.MAX:
            self._sentences[f"{what} not known: {sentence(error)}"] = None

    def told(self) -> tuple[str, ...]:
        return tuple(self._sentences)


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
