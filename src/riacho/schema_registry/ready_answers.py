"""Answers as bytes, ready to be sent again: what a schema id stands for is asked far more often than it changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from riacho.schema_registry.remembered import Remembered
from riacho.schema_registry.state import State


class ReadyAnswers:
    """Good while the state stays as it is. Neither number nor size of what is kept grows without end."""

    def __init__(self, state: State, size: int, answer_bytes_max: int = 64 * 1024) -> None:
        self._state = state
        self._answers: Remembered[bytes] = Remembered(size)
        self._revision = state.revision
        self._answer_bytes_max = answer_bytes_max

    def find(self, key: Hashable) -> bytes | None:
        if self._revision != self._state.revision:
            self._revision = self._state.revision
            self._answers.clear()
        return self._answers.find(key)

    def keep(self, key: Hashable, body: bytes) -> bytes:
        if self._revision == self._state.revision and len(body) <= self._answer_bytes_max:
            self._answers.get(key, lambda: body)
        return body

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        body = self.find(key)
        return self.keep(key, make()) if body is None else body
