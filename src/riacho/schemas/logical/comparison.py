"""Two schemas column by column: the way through them, which both kinds of table share. What a table minds is its own.

Columns meet by name. Two named types are compared once, at the first place where they meet, which also ends the way
through recursive ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from riacho.schemas.logical.finding import FINDINGS_MAX, Finding, Mode, Rule, joined
from riacho.schemas.logical.types import Column, Kind, LogicalSchema, LogicalType

PAIRS_MAX = 100_000

_STRUCTS = (Kind.STRUCT, Kind.UNION)


class TooComplexError(Exception):
    """More pairs of types than anyone's schemas have."""


class Comparison(ABC):
    mode: Mode

    def __init__(self, writer: LogicalSchema, reader: LogicalSchema) -> None:
        self._writer = writer
        self._reader = reader
        self._findings: list[Finding] = []
        self._met: set[tuple[str, str]] = set()
        self._walked: set[tuple[int, int]] = set()
        self._pairs = 0

    def findings(self) -> list[Finding]:
        """What keeps a table of the reader's schema from taking what was written with the writer's."""
        self._compare(self._writer.root, self._reader.root, "")
        return self._findings

    def _compare(self, written: LogicalType, read: LogicalType, path: str) -> None:
        self._count()
        if written.kind is read.kind is Kind.NAMED:
            names = written.name, read.name
            if names in self._met:
                return
            self._met.add(names)
        written, read = self._writer.resolve(written), self._reader.resolve(read)
        if Kind.NAMED in (written.kind, read.kind):
            if (written.kind, written.name) != (read.kind, read.name):
                self._change(Rule.TYPE_MISMATCH, path, written, read)
        elif self._shape(written) is not self._shape(read):
            self._change(Rule.TYPE_MISMATCH, path, written, read)
        elif written.kind in _STRUCTS:
            self._compare_structs(written, read, path)
        else:
            self._compare_values(written, read, path)

    def _compare_structs(self, written: LogicalType, read: LogicalType, path: str) -> None:
        # A root is met without its name first, and by its name again.
        if (id(written), id(read)) in self._walked:
            return
        self._walked.add((id(written), id(read)))
        before = {column.name: column for column in written.columns}
        for column in read.columns:
            place = joined(path, column.name)
            old = before.pop(column.name, None)
            if old is None:
                if not self._fills_in(column):
                    self._find(Rule.REQUIRED_FIELD_ADDED, place)
                continue
            self._compare_columns(old, column, place)
            self._compare(old.type, column.type, place)
        for column in before.values():
            self._drop(column, joined(path, column.name))

    def _shape(self, type: LogicalType) -> Kind | None:
        """Types of one shape can be compared further; None is the shape of all plain values."""
        if type.kind in _STRUCTS:
            return Kind.STRUCT
        return type.kind if type.kind in (Kind.ARRAY, Kind.MAP, Kind.MULTISET) else None

    @abstractmethod
    def _fills_in(self, column: Column) -> bool:
        """Whether there is something to read in a column that was not written."""

    @abstractmethod
    def _compare_columns(self, written: Column, read: Column, path: str) -> None:
        """Apart from their types."""

    @abstractmethod
    def _drop(self, written: Column, path: str) -> None:
        """A column that is not read any more."""

    @abstractmethod
    def _compare_values(self, written: LogicalType, read: LogicalType, path: str) -> None:
        """Arrays, maps and plain values of one shape."""

    def _count(self) -> None:
        self._pairs += 1
        if self._pairs > PAIRS_MAX:
            raise TooComplexError

    def _find(self, rule: Rule, path: str, detail: str = "") -> None:
        if len(self._findings) < FINDINGS_MAX:
            self._findings.append(Finding(self.mode, rule, path, detail))

    def _change(self, rule: Rule, path: str, written: LogicalType, read: LogicalType) -> None:
        self._find(rule, path, f"written as {written}, read as {read}")
