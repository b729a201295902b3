"""What a push query shows of a table's changes: rows, and tombstones of those that were shown and are no more.

Under a condition a row that stops passing is gone too. Keys that passed are remembered, up to a bound; past that every
row that does not pass is shown as gone: to whoever keeps a copy, deleting what is not there changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

import msgspec

from riacho.pipelines.sql.serving.conditions import Condition
from riacho.pipelines.sql.serving.served_row import ServedRow

KEYS_MAX = 50_000


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Of a row that was deleted: its key columns, and null for the others."""

    columns: list[Any]


ChangedRow: TypeAlias = list[Any] | Tombstone


@dataclass(slots=True)
class TableChanges:
    """`condition` is None where there is none: then every tombstone of the topic is one."""

    condition: Condition | None
    keys_max: int = KEYS_MAX
    _passed: set[bytes] = field(default_factory=set)
    _is_complete: bool = True

    def is_shown(self, row: ServedRow) -> bool | None:
        """True for a row, False for its tombstone, None for nothing."""
        if row.key is None:
            return None
        if self.condition is None:
            return row.value is not None
        key = blake2b(msgspec.json.encode([row.key, row.window_start]), digest_size=16).digest()
        if row.value is not None and self.condition(row):
            self._remember(key)
            return True
        if key in self._passed:
            self._passed.discard(key)
            return False
        return None if self._is_complete else False

    def _remember(self, key: bytes) -> None:
        if len(self._passed) < self.keys_max:
            self._passed.add(key)
        elif key not in self._passed:
            self._is_complete = False


def only_rows(found: Sequence[ChangedRow]) -> list[list[Any]]:
    return [each for each in found if not isinstance(each, Tombstone)]
