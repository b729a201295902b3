"""io.confluent.connect.json.JsonSchemaConverter: JSON behind the id of its JSON Schema in a registry.

Reading and writing are native expressions; Python has a part only in the optional check against the schema
(`json.fail.invalid.schema`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, StructField

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.formats.arrow_columns import one_column
from riacho.pipelines.formats.column_types import REQUIRED, FormatError, merged
from riacho.pipelines.formats.connect_schemas import connect_schema, spark_field
from riacho.pipelines.formats.framed import PREFIX_BYTES, UNKNOWN_MAGIC, result_of
from riacho.pipelines.formats.json_converter import json_text
from riacho.pipelines.formats.json_reading import Expected, Finish, outcome, payload
from riacho.pipelines.formats.json_schemas import ConnectSchemas, json_schema
from riacho.pipelines.formats.json_values import to_wire
from riacho.pipelines.formats.registry_client import RegistryError, registry_client
from riacho.pipelines.formats.registry_config import REGISTRY_CONFIG
from riacho.pipelines.formats.registry_converter import RegistryConverter
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.records import TOPIC, is_good, schema_of
from riacho.schemas.parsed import DataError, ParsedSchema

# Pairs of maps are tuples as this draft writes them; it is also what registries take a schema for that names none.
_DRAFT = "http://json-schema.org/draft-07/schema#"


class JsonSchemaConverter(RegistryConverter):
    CLASS = "io.confluent.connect.json.JsonSchemaConverter"
    ALIASES = ("JsonSchemaConverter", "JsonSchema")
    SCHEMA_TYPE = "JSON"
    CONFIG = REGISTRY_CONFIG + ConfigDef(
        Definition("decimal.format", ConfigType.STRING, "BASE64", doc="BASE64 or NUMERIC."),
        Definition(
            "json.fail.invalid.schema", ConfigType.BOOLEAN, "false", doc="Whether records have to fit their schema."
        ),
    )

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        batch, numbers = self.schema_ids(batch, column)
        if self.settings["json.fail.invalid.schema"]:
            batch = self._checked(batch, column)
        fields: dict[int, StructField] = {}
        faults: dict[int, str] = {}
        kind: DataType | None = None
        for number in numbers:
            try:
                field = column_of(self.client.by_id(number))
                kind = field.dataType if kind is None else merged(kind, field.dataType)
                fields[number] = field
            except FormatError as error:
                faults[number] = f"Schema {number}: {error}."
            except RegistryError as error:
                if not error.is_refusal:
                    raise ConnectError(str(error)) from None
                faults[number] = f"Schema {number}: {error}."
        metadata = dict(next(iter(fields.values())).metadata) if len(fields) == 1 else {}
        metadata.pop(REQUIRED, None)
        return self.replaced(batch, column, decoded(F.col(column), kind or BinaryType(), fields, faults), metadata)

    def _checked(self, batch: DataFrame, column: str) -> DataFrame:
        result = one_column(JsonCheck(self.client_settings), F.when(is_good(), F.col(column)), BinaryType())
        return self.replaced(batch, column, result)

    def schema_text(self, kind: DataType, metadata: Mapping[str, Any]) -> str:
        found = {"$schema": _DRAFT, **json_schema(connect_schema(kind, False, metadata))}
        return json.dumps(found, separators=(",", ":"))

    def encoded(self, batch: DataFrame, column: str, ids: Mapping[str, int]) -> Column:
        kind, _ = schema_of(batch, column)
        numeric = str(self.settings["decimal.format"]).upper() == "NUMERIC"
        prefix = F.lit(None).cast("binary")
        for topic, number in ids.items():
            prefix = F.when(F.col(TOPIC) == topic, F.lit(b"\0" + number.to_bytes(4, "big"))).otherwise(prefix)
        return framed_text(prefix, F.col(column), kind, numeric)


def framed_text(prefix: Column, value: Column, kind: DataType, numeric: bool) -> Column:
    """A struct of value and error, for the converter and for `to_json_schema`."""
    text = json_text(to_wire(value, kind, numeric), kind).cast("binary")
    written = F.when(value.isNotNull(), F.concat(prefix, text))
    return F.struct(written.alias("value"), F.lit(None).cast("string").alias("error"))


def column_of(schema: ParsedSchema) -> StructField:
    if schema.schema_type != "JSON":
        raise FormatError(f"it is a schema of type {schema.schema_type}, not JSON")
    return spark_field(ConnectSchemas(schema.text, schema.resolved).root())


def decoded(value: Column, kind: DataType, fields: Mapping[int, StructField], faults: Mapping[int, str]) -> Column:
    """A struct of value and error, each row by the schema whose id it has."""
    nothing = F.lit(None).cast(kind)
    found = {number: _payload(value, field, kind, outcome) for number, field in fields.items()}
    found |= {number: outcome(nothing, F.lit(message)) for number, message in faults.items()}
    cases = F.when(value.isNull(), outcome(nothing, F.lit(None).cast("string")))
    for number, result in found.items():
        # The whole prefix at once: comparing bytes costs less than making a number of them.
        cases = cases.when(F.startswith(value, F.lit(b"\0" + number.to_bytes(4, "big"))), result)
    return cases.otherwise(outcome(nothing, F.lit(UNKNOWN_MAGIC)))


def any_version(value: Column, field: StructField, finish: Finish) -> Column:
    """What `finish` makes of value and error, with one type for all rows, whatever id they have."""
    framed = (F.length(value) >= PREFIX_BYTES) & F.startswith(value, F.lit(b"\0"))
    unknown = finish(F.lit(None).cast(field.dataType), F.lit(UNKNOWN_MAGIC))
    return F.when(framed, _payload(value, field, field.dataType, finish)).when(value.isNotNull(), unknown)


def _payload(value: Column, field: StructField, kind: DataType, finish: Finish) -> Column:
    """Of framed bytes whose schema is `field`, as `kind`."""
    text = F.try_validate_utf8(F.substring(value, PREFIX_BYTES + 1, 0x7FFFFFFF).cast("string"))
    message = f"The bytes are no JSON of the type {field.dataType.simpleString()[:200]}."
    return payload(text, Expected(field, kind, message), finish)


@dataclass(frozen=True)
class JsonCheck:
    """Compares each record with its JSON Schema, which only Python can; one that does not fit gets an error."""

    settings: Mapping[str, str]

    def __call__(self, values: pa.Array) -> pa.Array:
        client = registry_client(self.settings)
        errors = np.full(len(values), None, object)
        for row, value in enumerate(values.to_pylist()):
            if value is None or len(value) < PREFIX_BYTES or value[0] != 0:
                continue
            number = int.from_bytes(value[1:PREFIX_BYTES], "big")
            try:
                client.by_id(number).codec().decode(value[PREFIX_BYTES:])
            except DataError as error:
                errors[row] = f"Schema {number}: {error}."
            except RegistryError as error:
                if not error.is_refusal:
                    raise
        wrong = pa.array([error is not None for error in errors], pa.bool_())
        return result_of(pc.if_else(wrong, pa.scalar(None, pa.binary()), values), errors)
