"""org.apache.kafka.connect.json.JsonConverter: JSON, each record with its schema around it or without any.

With `schemas.enable` (the default) a record is `{"schema": ..., "payload": ...}`. Without it the type of a column is
what the batch's own records have: whole numbers are longs, others doubles, a field of several types its JSON text.
All of it is native expressions of Spark; only the schemas that occur are looked at by the driver.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, StringType, StructField, StructType

from riacho.base.config import Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.formats.column_types import REQUIRED, FormatError, merged
from riacho.pipelines.formats.connect_schemas import connect_schema, spark_field
from riacho.pipelines.formats.converter import Converter
from riacho.pipelines.formats.json_values import from_wire, once, to_wire, wire_type
from riacho.pipelines.records import is_good, schema_of, with_schema

NO_ENVELOPE = (
    'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain additional fields. If'
    " you are trying to deserialize plain JSON data, set schemas.enable=false in your converter configuration."
)
NOT_JSON = "Converting byte[] to Kafka Connect data failed due to serialization error: the bytes are not JSON."
SERIALIZATION_EXCEPTION = "org.apache.kafka.common.errors.SerializationException"
_SCHEMAS_MAX = 1_000
CORRUPT = "__riacho_corrupt"
_TEXT, _READ, _SCHEMA, _FOUND = "__riacho_text", "__riacho_read", "__riacho_schema", "__riacho_found"
_OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
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
        given = batch.withColumn(_READ, parsed(F.col(_TEXT), kind))
        wrong = F.col(_TEXT).isNotNull() & F.col(_READ)[CORRUPT].isNotNull()
        failed = self.failed(given, wrong, NOT_JSON, SERIALIZATION_EXCEPTION)
        return with_schema(failed, column, F.when(is_good(), F.col(_READ)["v"]), {}).drop(_READ)

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
        judged = checked.withColumn(_FOUND, found)
        failed = self.failed(judged, F.col(_FOUND)["error"].isNotNull(), F.col(_FOUND)["error"])
        value = F.when(is_good(), F.col(_FOUND)["value"])
        return with_schema(failed, column, value, metadata).drop(_SCHEMA, _FOUND)

    def _payload(self, text: Column, field: StructField, kind: DataType) -> Column:
        """A struct of the payload of a schema, as `kind`, and of what is wrong with it."""
        shape = StructType([StructField("payload", wire_type(field.dataType)), StructField(CORRUPT, StringType())])
        told = f"The payload does not fit its schema {field.dataType.simpleString()[:200]}."

        def value_of(read: Column) -> Column:
            value = from_wire(read["payload"], field.dataType)
            return with_defaults(value, field) if self.settings["replace.null.with.default"] else value

        return once(
            F.from_json(text, shape, _OPTIONS),
            lambda read: once(
                value_of(read),
                lambda value: outcome(
                    projected(value, field.dataType, kind),
                    fault(F.when(read[CORRUPT].isNotNull(), F.lit(told)), value, field, "payload"),
                ),
            ),
        )

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


def outcome(value: Column, error: Column) -> Column:
    return F.struct(value.alias("value"), error.alias("error"))


def fault(wrong: Column, value: Column, field: StructField, path: str) -> Column:
    """What is wrong already, else the required field that is missing."""
    missing = missing_field(value, field, path)
    return wrong if missing is None else F.coalesce(wrong, missing)


def parsed(text: Column, kind: DataType) -> Column:
    """A struct of `v`, the value, and the text where it is no JSON of the type."""
    corrupt = StructField(CORRUPT, StringType())
    if isinstance(kind, StructType):
        # At the top level no frame is needed, which spares a copy of the text.
        is_null = F.trim(text) == "null"

        def framed_value(read: Column) -> Column:
            names = [read[field.name].alias(field.name) for field in kind.fields]
            return F.struct(
                F.when(~is_null & read.isNotNull(), F.struct(*names)).alias("v"),
                F.when(~is_null, read[CORRUPT]).alias(CORRUPT),
            )

        return once(F.from_json(text, StructType([*kind.fields, corrupt]), _OPTIONS), framed_value)
    framed = F.concat(F.lit('{"v":'), text, F.lit("}"))
    # A text such as `1},{` would be closed by the frame.
    is_wrong = F.try_parse_json(text).isNull()
    return once(
        F.from_json(framed, StructType([StructField("v", kind), corrupt]), _OPTIONS),
        lambda read: F.struct(read["v"].alias("v"), F.when(is_wrong, text).otherwise(read[CORRUPT]).alias(CORRUPT)),
    )


def inferred_type(batch: DataFrame, text: Column) -> DataType:
    """What the records have in common; text where they have nothing."""
    found = batch.select(F.schema_of_variant_agg(F.try_parse_json(text))).first()
    told = _VAGUE.sub("STRING", _DECIMAL.sub("DOUBLE", (found[0] if found else None) or "VOID"))
    kind = DataType.fromDDL(told.replace("OBJECT<", "STRUCT<"))
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


def projected(value: Column, kind: DataType, target: DataType) -> Column:
    """A struct with the fields of a merged type, null where it has them not."""
    if kind == target or not (isinstance(kind, StructType) and isinstance(target, StructType)):
        return value.cast(target)
    own = {field.name: field.dataType for field in kind.fields}
    fields = [
        (
            projected(value[field.name], own[field.name], field.dataType)
            if field.name in own
            else F.lit(None).cast(field.dataType)
        ).alias(field.name)
        for field in target.fields
    ]
    return F.when(value.isNotNull(), F.struct(*fields))


def with_defaults(value: Column, field: StructField) -> Column:
    """Defaults of scalars in place of null."""
    kind = field.dataType
    if isinstance(kind, StructType):
        if not any("connect.default" in (each.metadata or {}) for each in kind.fields):
            return value
        fields = [with_defaults(value[each.name], each).alias(each.name) for each in kind.fields]
        return F.when(value.isNotNull(), F.struct(*fields))
    default: Any = json.loads((field.metadata or {}).get("connect.default", "null"))
    if default is None or isinstance(default, list | dict):
        return value
    return F.coalesce(value, from_wire(F.lit(default).try_cast(wire_type(kind)), kind))


def missing_field(value: Column, field: StructField, path: str) -> Column | None:
    """Names a field that its schema requires and the payload has not."""
    found: list[Column] = []
    if (field.metadata or {}).get(REQUIRED):
        found.append(F.when(value.isNull(), F.lit(f"Invalid null value for required field {path}.")))
    if isinstance(field.dataType, StructType):
        for each in field.dataType.fields:
            inner = missing_field(value[each.name], each, f"{path}.{each.name}")
            if inner is not None:
                found.append(F.when(value.isNotNull(), inner))
    return F.coalesce(*found) if found else None
