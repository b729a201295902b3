"""How the named types of a schema stand to one another: which are recursive, and how deep all of it is.

Tarjan's way through a graph: names that lead to one another are a group, done after all that the group leads to. It is
walked with a stack of its own, as chains of names may be long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from riacho.schemas.logical.types import Kind, LogicalSchema, LogicalType


@dataclass(frozen=True, slots=True)
class Nesting:
    """`depth` counts every level of the root with names replaced by what they mean; a way back counts nothing."""

    recursive: frozenset[str]
    depth: int


def nesting_of(schema: LogicalSchema) -> Nesting:
    names = _Names(schema)
    for name in schema.named:
        names.visit(name)
    return Nesting(frozenset(names.recursive), _depth(schema.root, names.depths))


class _Names:
    def __init__(self, schema: LogicalSchema) -> None:
        self._named = schema.named
        self._found: dict[str, int] = {}  # in which order
        self._lowest: dict[str, int] = {}  # the first found that a name leads back to
        self._open: dict[str, None] = {}  # those whose group is not done, in the order in which they were found
        self._stack: list[tuple[str, Iterator[str]]] = []
        self.recursive: set[str] = set()
        self.depths: dict[str, int] = {}

    def visit(self, start: str) -> None:
        if start in self._found:
            return
        self._enter(start)
        while self._stack:
            name, rest = self._stack[-1]
            used = next(rest, None)
            if used is None:
                self._leave(name)
            elif used in self._open:
                self._lowest[name] = min(self._lowest[name], self._found[used])
                if used == name:
                    self.recursive.add(name)
            elif used in self._named and used not in self._found:
                self._enter(used)

    def _enter(self, name: str) -> None:
        self._found[name] = self._lowest[name] = len(self._found)
        self._open[name] = None
        self._stack.append((name, _names_in(self._named[name])))

    def _leave(self, name: str) -> None:
        self._stack.pop()
        if self._stack:
            user = self._stack[-1][0]
            self._lowest[user] = min(self._lowest[user], self._lowest[name])
        if self._lowest[name] < self._found[name]:
            return
        group = [self._open.popitem()[0]]
        while group[-1] != name:
            group.append(self._open.popitem()[0])
        if len(group) > 1:
            self.recursive.update(group)
        for member in group:
            self.depths[member] = _depth(self._named[member], self.depths)


def _names_in(type: LogicalType) -> Iterator[str]:
    if type.kind is Kind.NAMED:
        yield type.name
    for part in type.parts():
        yield from _names_in(part)


def _depth(type: LogicalType, depths: dict[str, int]) -> int:
    if type.kind is Kind.NAMED:
        return depths.get(type.name, 0)
    return 1 + max((_depth(part, depths) for part in type.parts()), default=0)
