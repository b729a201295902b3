"""What names of columns mean where an expression stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class Resolved:
    """A column as Spark knows it. `text` stands wherever a value can, so what is compound is in parentheses."""

    text: str
    type: SqlType


class Scope(Protocol):
    """Parameters of lambdas are no business of a scope: the compiler knows them."""

    def resolve(self, column: Column) -> Resolved:
        """KsqlError where there is no such column, or more than one."""
        ...
