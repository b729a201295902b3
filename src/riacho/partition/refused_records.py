"""How records are refused, and how a caller learns that they take long to check.

Apart from what raises them, which is compiled where there is a compiler: a compiled class has no base elsewhere.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError


class TakesLongError(Exception):
    """The records of this batch are more than the event loop may be held up for."""


class InvalidRecordsError(KafkaError):
    """Some records of the batch are unacceptable: (index in the batch, why) of each, for Produce v8+ (KIP-467)."""

    def __init__(self, code: ErrorCode, record_errors: list[tuple[int, str]]) -> None:
        super().__init__(code, f"{len(record_errors)} record(s) refused; the first: {record_errors[0][1]}")
        self.record_errors = record_errors


def invalid(reason: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_RECORD, reason)
