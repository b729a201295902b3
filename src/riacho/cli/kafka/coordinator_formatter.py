"""Records of the coordinators' topics as JSON lines, for kafka-console-consumer."""

from __future__ import annotations

from typing import Any

from riacho.cli.kafka.formatters import Printable
from riacho.cli.kafka.text.record_json import (
    GROUP_RECORDS,
    TRANSACTION_RECORDS,
    compact,
    coordinator_key,
    coordinator_value,
)

_SHOWN = {
    "OffsetsMessageFormatter": (GROUP_RECORDS, (0, 1)),
    "GroupMetadataMessageFormatter": (GROUP_RECORDS, (2,)),
    "TransactionLogMessageFormatter": (TRANSACTION_RECORDS, (0,)),
}


class CoordinatorFormatter:
    """Each formatter shows its own kind of record and passes over the others."""

    def __init__(self, name: str) -> None:
        self._table, self._kinds = _SHOWN[name]

    def format(self, record: Printable) -> bytes:
        if record.key is None or len(record.key) < 2:
            return b""
        kind, key = coordinator_key(self._table, record.key)
        if kind not in self._kinds or key is None:
            return b""
        value: dict[str, Any] | None = None
        if record.value is not None:
            version, data = coordinator_value(self._table, kind, record.value)
            value = {"version": version, "data": "unknown" if data is None else data}
        return compact({"key": {"type": kind, "data": key}, "value": value}).encode() + b"\n"
