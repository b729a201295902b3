"""Sets that iterate in the order of insertion, put in the place of `set` in the broker's modules.

A set of objects iterates by their addresses, so who of two waiting fetches is woken first would differ from run to run.
Either order is right; a run that is to be replayed needs it to be the same one.
"""

from __future__ import annotations

import contextlib
import pkgutil
from collections.abc import Iterable, Iterator, MutableSet
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest import mock


class OrderedSet(MutableSet[Any]):
    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self._items))}}}"

    def add(self, item: Any) -> None:
        self._items[item] = None

    def discard(self, item: Any) -> None:
        self._items.pop(item, None)

    def copy(self) -> OrderedSet:
        return OrderedSet(self)

    def update(self, *others: Iterable[Any]) -> None:
        for other in others:
            self._items.update(dict.fromkeys(other))

    def difference_update(self, *others: Iterable[Any]) -> None:
        for other in others:
            for item in list(other):
                self.discard(item)

    def union(self, *others: Iterable[Any]) -> OrderedSet:
        joined = self.copy()
        joined.update(*others)
        return joined

    def difference(self, *others: Iterable[Any]) -> OrderedSet:
        left = self.copy()
        left.difference_update(*others)
        return left

    def intersection(self, other: Iterable[Any]) -> OrderedSet:
        kept = other if isinstance(other, (set, frozenset, MutableSet)) else set(other)
        return OrderedSet(item for item in self if item in kept)

    def issubset(self, other: Iterable[Any]) -> bool:
        return all(item in other for item in self)  # type: ignore[operator]


@contextlib.contextmanager
def ordered_sets(package: str) -> Iterator[None]:
    with contextlib.ExitStack() as patches:
        for module in _modules(package):
            patches.enter_context(mock.patch.object(module, "set", OrderedSet, create=True))
        yield


@cache
def _modules(package: str) -> list[ModuleType]:
    """All of them, also those that would be loaded only when first needed."""
    root = import_module(package)
    return [root, *(import_module(found.name) for found in pkgutil.walk_packages(root.__path__, package + "."))]
