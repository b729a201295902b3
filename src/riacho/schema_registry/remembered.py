"""Answers that are kept for the next time, within bounds: so many of them, and so much of them together."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """At most `size` answers that weigh at most `weight_max` by `weigh`; the one unused for longest goes first. The
    newest stays whatever it weighs: somebody is about to use it."""

    def __init__(self, size: int, weigh: Callable[[T], int] = lambda _: 0, weight_max: float = math.inf) -> None:
        self._size = size
        self._weigh = weigh
        self._weight_max = weight_max
        self._weight = 0
        self._entries: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        found = self.find(key)
        if found is not None:
            return found
        made = make()
        with self._lock:
            self._drop(key)
            self._entries[key] = made
            self._weight += self._weigh(made)
            while len(self._entries) > self._size or (self._weight > self._weight_max and len(self._entries) > 1):
                self._drop(next(iter(self._entries)))
        return made

    def find(self, key: Hashable) -> T | None:
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
        return found

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._weight = 0

    def _drop(self, key: Hashable) -> None:
        gone = self._entries.pop(key, None)
        if gone is not None:
            self._weight -= self._weigh(gone)
