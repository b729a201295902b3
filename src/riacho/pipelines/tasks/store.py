"""Where a task keeps its state: texts by text, as Spark's MapState has them. One store is one bucket's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Store(Protocol):
    def get(self, key: str) -> str | None: ...

    def put(self, key: str, value: str) -> None: ...

    def delete(self, key: str) -> None:
        """Nothing happens where there is no such key."""

    def items(self) -> Iterator[tuple[str, str]]: ...


class DictStore:
    """In memory: of tests, the test runner and the test driver."""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self._entries.get(key)

    def put(self, key: str, value: str) -> None:
        self._entries[key] = value

    def delete(self, key: str) -> None:
        self._entries.pop(key, None)

    def items(self) -> Iterator[tuple[str, str]]:
        return iter(list(self._entries.items()))
