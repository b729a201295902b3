"""Named types as they are met: each is made once, after what uses it, so chains of them need no stack."""

from __future__ import annotations

from collections.abc import Callable

from riacho.schemas.logical.types import Kind, LogicalSchema, LogicalType, UnrepresentableError
from riacho.schemas.logical.validity import DEPTH_MAX

# Of one schema, those that stand in several places because something merges them counted each time.
TYPES_MAX = 100_000


class Naming:
    def __init__(self) -> None:
        self._named: dict[str, LogicalType] = {}
        self._waiting: dict[str, Callable[[], LogicalType]] = {}
        self._types = 0

    def named(self, name: str, make: Callable[[], LogicalType], is_nullable: bool) -> LogicalType:
        if name not in self._named:
            self._waiting.setdefault(name, make)
        return LogicalType(kind=Kind.NAMED, name=name, is_nullable=is_nullable)

    def check(self, depth: int) -> None:
        """For each type that is made, how many it stands in."""
        self._types += 1
        if depth > DEPTH_MAX:
            raise UnrepresentableError(f"types stand within types more than {DEPTH_MAX} deep")
        if self._types > TYPES_MAX:
            raise UnrepresentableError(f"the schema has more than {TYPES_MAX} types")

    def finish(self, root: LogicalType) -> LogicalSchema:
        while self._waiting:
            name, make = self._waiting.popitem()
            self._named.setdefault(name, root)  # so that it is not put there again while it is made
            self._named[name] = make()
        return LogicalSchema(root, self._named)
