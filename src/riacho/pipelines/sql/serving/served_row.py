"""A row as the server reads it from a topic or its store: columns by name, with the pseudo-columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riacho.pipelines.sql.formats.codec import Row

PSEUDO_COLUMNS = ("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND")


@dataclass(frozen=True, slots=True)
class ServedRow:
    """Values are JSON values of `row_json.py`'s form. `value` is None for a tombstone; columns of headers are in it."""

    key: Row | None
    value: Row | None
    timestamp_ms: int
    partition: int
    offset: int
    window_start: int | None = None
    window_end: int | None = None

    def column(self, name: str) -> Any:
        if self.value is not None and name in self.value:
            return self.value[name]
        if self.key is not None and name in self.key:
            return self.key[name]
        return self._pseudo(name)

    def _pseudo(self, name: str) -> Any:
        match name:
            case "ROWTIME":
                return self.timestamp_ms
            case "ROWPARTITION":
                return self.partition
            case "ROWOFFSET":
                return self.offset
            case "WINDOWSTART":
                return self.window_start
            case "WINDOWEND":
                return self.window_end
            case _:
                return None
