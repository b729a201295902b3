"""org.apache.kafka.connect.json.JsonConverter: JSON, each record with its schema around it or without any.

With `schemas.enable` (the default) a record is `{"schema": ..., "payload": ...}`. Without it the type of a column is
what the batch's own records have: whole numbers are longs, others doubles, a field of several types its JSON text.
All of it is native expressions of Spark; only the schemas that occur are looked at by the driver.
"""

from __future__ import annotations

import json
import re

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, StringType, StructField, StructType

from riacho.base.config import Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.formats.column_types import REQUIRED, FormatError, merged
from riacho.pipelines.formats.connect_schemas import connect_schema, spark_field
from riacho.pipelines.formats.converter import Converter
from riacho.pipelines.formats.json_reading import CORRUPT, OPTIONS, Expected, outcome, payload
from riacho.pipelines.formats.json_values import once, to_wire, wire_type
from riacho.pipelines.records import is_good, schema_of, with_schema

NO_ENVELOPE = (
    'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain additional fields. If'
    " you are trying to deserialize plain JSON data, set schemas.enable=false in your converter configuration."
)
NOT_JSON = "Converting byte[] to Kafka Connect data failed due to serialization error: the bytes are not JSON."
SERIALIZATION_EXCEPTION = "org.apache.kafka.common.errors.SerializationException"
_SCHEMAS_MAX = 1_000
_TEXT, _READ, _SCHEMA, _FOUND = "__riacho_text", "__riacho_read", "__riacho_schema", "__riacho_found"
_DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)|FLOAT")
_VAGUE = re.compile(r"\b(?:VOID|VARIANT)\b")


def _decimal_format(name: str, value: Value) -> None:
    if str(value).upper() not in ("BASE64", "NUMERIC"):
        raise invalid(name, value, "Expected value to be either BASE64 or NUMERIC")


class JsonConverter(Converter):
    CLASS = "org.apache.kafka.connect.json.JsonConverter"
    ALIASES = ("JsonConverter", "Json")
    CONFIG = ConfigDef(
        Definition("schemas.enable", ConfigType.BOOLEAN, "true", doc="Include schemas within each record."),
        Definition("schemas.cache.size", ConfigType.INT, "1000", doc="How many schemas are kept at most."),
        Definition(
            "decimal.format",
            ConfigType.STRING,
            "BASE64",
            doc="How decimals are written: BASE64 of the unscaled number, or NUMERIC.",
            valid=_decimal_format,
        ),
        Definition(
            "replace.null.with.default",
            ConfigType.BOOLEAN,
            "true",
            doc="Whether a field that is null takes the default of its schema.",
        ),
    )

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        read = batch.withColumn(_TEXT, F.when(is_good(), F.try_validate_utf8(F.col(column).cast("string"))))
        read = self.failed(read, F.col(column).isNotNull() & F.col(_TEXT).isNull(), NOT_JSON, SERIALIZATION_EXCEPTION)
        decoded = self._decode_envelope(read, column) if self.settings["schemas.enable"] else self._decode(read, column)
        return decoded.drop(_TEXT)

    def _decode(self, batch: DataFrame, column: str) -> DataFrame:
        kind = inferred_type(batch, F.col(_TEXT))
        expected = Expected(StructField("", kind), kind, NOT_JSON)
        given = batch.withColumn(_READ, F.when(F.col(_TEXT).isNotNull(), payload(F.col(_TEXT), expected, outcome)))
        failed = self.failed(given, F.col(_READ)["error"].isNotNull(), NOT_JSON, SERIALIZATION_EXCEPTION)
        return with_schema(failed, column, F.when(is_good(), F.col(_READ)["value"]), {}).drop(_READ)

    def _decode_envelope(self, batch: DataFrame, column: str) -> DataFrame:
        text = F.col(_TEXT)
        keys = F.array_sort(F.json_object_keys(text))
        is_envelope = keys == F.array(F.lit("payload"), F.lit("schema"))
        checked = self.failed(batch, text.isNotNull() & ~F.coalesce(is_envelope, F.lit(False)), NO_ENVELOPE)
        checked = checked.withColumn(_SCHEMA, F.when(is_good(), F.from_json(text, "schema STRING")["schema"]))
        rows = checked.select(_SCHEMA).where(F.col(_SCHEMA).isNotNull()).distinct().limit(_SCHEMAS_MAX).collect()
        kind, fields, clashes = together([row[0] for row in rows])
        nothing = F.lit(None).cast(kind)
        found = outcome(nothing, F.lit(None).cast("string"))
        for schema, field in fields.items():
            found = F.when(F.col(_SCHEMA) == schema, self._payload(text, field, kind)).otherwise(found)
        for schema, message in clashes.items():
            found = F.when(F.col(_SCHEMA) == schema, outcome(nothing, F.lit(message))).otherwise(found)
        metadata = dict(next(iter(fields.values())).metadata) if len(fields) == 1 else {}
        metadata.pop(REQUIRED, None)
        looked_at = checked.withColumn(_FOUND, found)
        failed = self.failed(looked_at, F.col(_FOUND)["error"].isNotNull(), F.col(_FOUND)["error"])
        value = F.when(is_good(), F.col(_FOUND)["value"])
        return with_schema(failed, column, value, metadata).drop(_SCHEMA, _FOUND)

    def _payload(self, text: Column, field: StructField, kind: DataType) -> Column:
        """A struct of the payload of a schema, as `kind`, and of what is wrong with it."""
        shape = StructType([StructField("payload", wire_type(field.dataType)), StructField(CORRUPT, StringType())])
        message = f"The payload does not fit its schema {field.dataType.simpleString()[:200]}."
        expected = Expected(field, kind, message, "payload", bool(self.settings["replace.null.with.default"]))

        def outcome_of(read: Column) -> Column:
            found = read["payload"]
            return expected.checked(found, found.isNotNull(), read[CORRUPT].isNotNull(), outcome)

        return once(F.from_json(text, shape, OPTIONS), outcome_of)

    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        kind, metadata = schema_of(batch, column)
        numeric = str(self.settings["decimal.format"]).upper() == "NUMERIC"
        try:
            schema = connect_schema(kind, False, metadata)
        except FormatError as error:
            failed = self.failed(batch, is_good() & F.col(column).isNotNull(), f"{error}.")
            return with_schema(failed, column, F.lit(None).cast("binary"), {})
        text = json_text(to_wire(F.col(column), kind, numeric), kind)
        if self.settings["schemas.enable"]:
            head = '{"schema":' + json.dumps(schema, separators=(",", ":"), ensure_ascii=False) + ',"payload":'
            text = F.concat(F.lit(head), text, F.lit("}"))
        value = F.when(is_good() & F.col(column).isNotNull(), text.cast("binary"))
        return with_schema(batch, column, value, {})


def json_text(value: Column, kind: DataType) -> Column:
    """A value of any type as JSON: `to_json` takes no scalars, so it is one in a struct, whose frame is cut off."""
    options = {"ignoreNullFields": "false"}
    if isinstance(kind, StructType):
        return F.to_json(value, options)
    framed = F.to_json(F.struct(value.alias("v")), options)
    return once(framed, lambda text: text.substr(F.lit(6), F.length(text) - 6))


def inferred_type(batch: DataFrame, text: Column) -> DataType:
    """What the records have in common; text where they have nothing."""
    found = batch.select(F.schema_of_variant_agg(F.try_parse_json(text))).first()
    inferred = _VAGUE.sub("STRING", _DECIMAL.sub("DOUBLE", (found[0] if found else None) or "VOID"))
    kind = DataType.fromDDL(inferred.replace("OBJECT<", "STRUCT<"))
    return StringType() if isinstance(kind, StructType) and not kind.fields else kind


def together(schemas: list[str]) -> tuple[DataType, dict[str, StructField], dict[str, str]]:
    """One type for all schemas, the column of each, and what is wrong with those that fit no other."""
    kind: DataType | None = None
    fields: dict[str, StructField] = {}
    clashes: dict[str, str] = {}
    # Structs first: among records of several kinds, the odd one is a scalar.
    for schema in sorted(schemas, key=lambda text: ('"struct"' not in text, text)):
        try:
            field = spark_field(json.loads(schema))
            kind = field.dataType if kind is None else merged(kind, field.dataType)
            fields[schema] = field
        except (FormatError, ValueError) as error:
            clashes[schema] = f"{error}."
    return kind or BinaryType(), fields, clashes
