"""What a codec is: payloads of a key or a value to the columns of a row, and back, without Spark.

The server uses codecs for what it inserts, prints and serves; Spark's workers for what queries read and write. A row is
a dict of JSON values as `row_json.py` lays down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = dict[str, Any]


class CodecError(Exception):
    """A payload that cannot be read or a row that cannot be written; one sentence."""


@dataclass(frozen=True, slots=True)
class CodecSpec:
    """All that a codec is made of; it travels as JSON to Spark's driver and workers.

    `columns` are names with type texts (`types.parse`-able: what `str(SqlType)` gives). `registry` are client settings
    (`schema.registry.url` ...), empty where the format needs none; `subject` is where its schema is registered,
    `schema_id` where a statement named one.
    """

    format: str
    is_key: bool
    columns: tuple[tuple[str, str], ...]
    wrap: bool | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    registry: Mapping[str, str] = field(default_factory=dict)
    subject: str = ""
    schema_id: int | None = None
    window: str | None = None
    """Of a windowed key: TUMBLING, HOPPING or SESSION; the bounds are the columns WINDOWSTART and WINDOWEND of its rows
    (Kafka Streams' serialised form: end, or start and end, behind the key's bytes)."""
    window_size_ms: int | None = None


class Codec(Protocol):
    def decode(self, payload: bytes | None) -> Row | None:
        """None for a null payload. CodecError."""

    def encode(self, row: Row | None) -> bytes | None:
        """None for no row: a null key, or a tombstone. CodecError."""
