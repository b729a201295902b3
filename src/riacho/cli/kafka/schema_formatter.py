"""Records with schemas as lines of JSON, as kafka-avro-console-consumer and its kin print them."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.cli.kafka.deserializers import Deserializer
from riacho.cli.kafka.formatters import DefaultFormatter
from riacho.cli.kafka.schema_records import SchemaRecords

_ID_AT = slice(1, 5)


class SchemaFormatter(DefaultFormatter):
    """With a `key.deserializer` keys are what that says; `print.schema.ids` shows the id behind each decoded part."""

    def __init__(self, java_name: str, properties: Mapping[str, str]) -> None:
        super().__init__(properties)
        records = SchemaRecords(java_name, properties)
        shows_ids = properties.get("print.schema.ids", "false").strip().lower() == "true"
        separator = properties.get("schema.id.separator", "\t").encode()

        def with_id(data: bytes) -> bytes:
            return records.decode(data) + separator + b"%d" % int.from_bytes(data[_ID_AT], "big")

        decode: Deserializer = with_id if shows_ids else records.decode
        self._key = self._key or decode
        self._value = self._value or decode
