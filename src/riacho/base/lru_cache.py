"""A cache of so many values: the least recently used has to go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Not for several threads at once. `on_dropped` is called with what is evicted."""

    def __init__(self, size_max: int, on_dropped: Callable[[V], None] = lambda _: None) -> None:
        self._size_max = size_max
        self._on_dropped = on_dropped
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        value = self.get(key)
        return self.put(key, make()) if value is None else value

    def put(self, key: K, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._size_max:
            self._on_dropped(self._values.popitem(last=False)[1])
        return value

    def pop(self, key: K) -> V | None:
        """Taken out by whoever asks; `on_dropped` is not told."""
        return self._values.pop(key, None)
