"""A compiled expression: Spark SQL text with the ksqlDB type of what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.pipelines.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class Compiled:
    """`text` stands wherever a value can: what is compound is in parentheses or is a call. `type` is None for a NULL
    whose type nothing says. `literal` is the Python value of a literal, else None; strings and numbers only."""

    text: str
    type: SqlType | None
    literal: object = None
