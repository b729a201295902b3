"""Records that a call brings to be written, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from riacho.base.errors import KafkaError
from riacho.console.clusters.errors import sentence
from riacho.console.messages.encode import WRITTEN_FORMATS, EncodeError, Encoder
from riacho.console.messages.produce import Outcome, WrittenRecord
from riacho.web.errors import ApiError

MS_MAX = (1 << 62) - 1
_SHOWN_MAX = 40


def wrong(message: str) -> ApiError:
    return ApiError(400, 40001, message)


def shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "...")


class NewRecord(msgspec.Struct, forbid_unknown_fields=True):
    """`key` and `value` are texts of their formats; null is no key, and a tombstone. Formats with schemas take the
    latest of the subject, `<topic>-key` and `<topic>-value` where none is named, or the schema of an id."""

    key: str | None = None
    value: str | None = None
    headers: list[tuple[str, str | None]] = []
    partition: int | None = None
    timestamp_ms: int | None = None
    key_format: str = "text"
    value_format: str = "text"
    key_subject: str | None = None
    value_subject: str | None = None
    key_schema_id: int | None = None
    value_schema_id: int | None = None


class NewRecords(msgspec.Struct, forbid_unknown_fields=True):
    records: list[NewRecord]


class ProducedRecord(msgspec.Struct):
    """`offset` is null, and `error` says why, where it was not written."""

    partition: int
    offset: int | None
    timestamp_ms: int
    error: str | None = None


class ProducedRecords(msgspec.Struct):
    records: list[ProducedRecord]


class Replay(msgspec.Struct, forbid_unknown_fields=True):
    """`topic` null: the one that it is in. `partition` null: the key decides. A dead letter may leave behind what
    Connect says of it in headers."""

    topic: str | None = None
    partition: int | None = None
    drop_error_headers: bool = False


def encoded(encoder: Encoder, topic: str, records: Sequence[NewRecord]) -> list[WrittenRecord]:
    return [_written(encoder, topic, number, record) for number, record in enumerate(records, 1)]


def _written(encoder: Encoder, topic: str, number: int, record: NewRecord) -> WrittenRecord:
    if record.timestamp_ms is not None and not 0 <= record.timestamp_ms <= MS_MAX:
        raise wrong(f"Record {number}: the timestamp is not a time after 1970.")
    if record.partition is not None and not 0 <= record.partition < 1 << 31:
        raise wrong(f"Record {number}: there is no partition {record.partition}.")

    def part(name: str, text: str | None, format: str, subject: str | None, schema_id: int | None) -> bytes | None:
        if format not in WRITTEN_FORMATS:
            raise wrong(f"Record {number}: {name}_format can be {', '.join(WRITTEN_FORMATS)}, not {shown(format)}.")
        if schema_id is not None and not 0 <= schema_id < 1 << 31:
            raise wrong(f"Record {number}: {name}_schema_id is no id.")
        try:
            return encoder.encode(text, format, subject=subject or f"{topic}-{name}", schema_id=schema_id)
        except EncodeError as error:
            raise wrong(f"Record {number}: the {name} cannot be written as {format}. {error}") from None

    try:
        headers = [(name, None if text is None else text.encode()) for name, text in record.headers]
    except UnicodeEncodeError:
        raise wrong(f"Record {number}: a header is not text in UTF-8.") from None
    return WrittenRecord(
        record.partition,
        part("key", record.key, record.key_format, record.key_subject, record.key_schema_id),
        part("value", record.value, record.value_format, record.value_subject, record.value_schema_id),
        headers,
        record.timestamp_ms,
    )


def produced(outcome: Outcome) -> ProducedRecord:
    error: KafkaError | None = outcome.error
    return ProducedRecord(
        outcome.partition, outcome.offset, outcome.timestamp_ms, None if error is None else sentence(error)
    )
