"""Lines of JSON as records with schemas, as kafka-avro-console-producer and its kin read them."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.cli.kafka.line_reader import Line, LineReader
from riacho.cli.kafka.schema_records import Code, SchemaRecords


class SchemaLineReader(LineReader):
    """With a `key.serializer` (a StringSerializer, say) the key is the line's text as it stands."""

    def __init__(self, java_name: str, properties: Mapping[str, str], topic: str) -> None:
        super().__init__(properties)
        records = SchemaRecords(java_name, properties)
        self._value = records.encoder(topic, is_key=False)
        has_schema = self.parse_key and "key.serializer" not in properties
        self._key: Code | None = records.encoder(topic, is_key=True) if has_schema else None

    def read(self, line: bytes, number: int) -> Line:
        read = super().read(line, number)
        key = read.key if self._key is None or read.key is None else self._key(read.key)
        return Line(key, None if read.value is None else self._value(read.value), read.headers)
