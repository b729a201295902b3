"""InsertField: fields with where a record comes from (topic, partition, offset, timestamp), or with a fixed text.

A tombstone stays one. A required field (`name!`) without a value fails the record here; Kafka would let its converter
find out. The fields of data without a schema replace those of the same name, as in Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.records import OFFSET, PARTITION, TIMESTAMP, TOPIC
from riacho.pipelines.transforms.part import Part
from riacho.pipelines.transforms.transform import (
    REPLACE_NULL_WITH_DEFAULT,
    Outcome,
    PartTransform,
    first_failure,
    key_and_value,
)

_OPTIONALITY = "Suffix with ! to make this a required field, or ? to keep it optional (the default)."
_SCHEMA_TYPES = {"topic": "STRING", "partition": "INT32", "timestamp": "INT64", "static": "STRING"}


def _definition(name: str, doc: str) -> Definition:
    return Definition(f"{name}.field", ConfigType.STRING, doc=f"{doc} {_OPTIONALITY}")


@dataclass(frozen=True, slots=True)
class Insertion:
    source: str
    name: str
    is_required: bool


class InsertField(PartTransform):
    DOC = "Insert field(s) using attributes from the record metadata or a configured static value."
    CONFIG = ConfigDef(
        _definition("topic", "Field name for Kafka topic."),
        _definition("partition", "Field name for Kafka partition."),
        _definition("offset", "Field name for Kafka offset - only applicable to sink connectors."),
        _definition("timestamp", "Field name for record timestamp."),
        _definition("static", "Field name for static data field."),
        Definition("static.value", ConfigType.STRING, doc="Static field value, if field name configured."),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        self._insertions = list(self._read())
        if not self._insertions:
            raise ConfigError("No field insertion configured")
        static = next((each for each in self._insertions if each.source == "static"), None)
        if static is not None and self.settings["static.value"] is None:
            raise invalid("static.value", "null", f"No value specified for static field: {static.name}")

    def _read(self) -> Iterator[Insertion]:
        for source in ("topic", "partition", "offset", "timestamp", "static"):
            spec = self.settings[f"{source}.field"]
            if isinstance(spec, str):
                yield Insertion(source, spec[:-1] if spec.endswith(("?", "!")) else spec, spec.endswith("!"))

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        unfit = part.needs_struct("field insertion")
        if unfit is not None or not part.is_struct:
            return self.failing(part, unfit)
        names = [each.name for each in self._insertions]
        twice = [name for name in names if part.find(name) or names.count(name) > 1]
        if twice and not part.is_schemaless:
            message = F.lit(f"Cannot create field because of field name duplication {twice[0]}")
            exception = "org.apache.kafka.connect.errors.SchemaBuilderException"
            return self.failing(part, F.when(part.value.isNotNull(), message), exception)
        columns = {field.name: part.kept(field) for field in part.fields}
        for each in self._insertions:
            columns[each.name] = self._inserted(each, part).alias(each.name)
        failure = first_failure([self._failure(each, part) for each in self._insertions])
        return Outcome({self.PART: part.rebuilt(list(columns.values()))}, {self.PART: part.metadata}, failure)

    def _inserted(self, insertion: Insertion, part: Part) -> Column:
        match insertion.source:
            case "static":
                return F.lit(self.text("static.value"))
            case "timestamp":
                # Kafka counts in milliseconds; without a schema it leaves them a number.
                millis = F.unix_millis(F.col(TIMESTAMP))
                return millis if part.is_schemaless else F.timestamp_millis(millis)
            case source:
                return F.col({"topic": TOPIC, "partition": PARTITION, "offset": OFFSET}[source])

    def _failure(self, insertion: Insertion, part: Part) -> Column | None:
        if insertion.source == "offset":
            message = (
                "Only SinkRecord supported for [field insertion], found: org.apache.kafka.connect.source.SourceRecord"
            )
        elif insertion.is_required and insertion.source in ("partition", "timestamp") and not part.is_schemaless:
            kind = _SCHEMA_TYPES[insertion.source]
            message = f'Invalid value: null used for required field: "{insertion.name}", schema type: {kind}'
        else:
            return None
        column = F.col({"offset": OFFSET, "partition": PARTITION, "timestamp": TIMESTAMP}[insertion.source])
        return F.when(part.value.isNotNull() & column.isNull(), F.lit(message))


InsertFieldKey, InsertFieldValue = key_and_value(InsertField)
