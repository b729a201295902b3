"""Kafka's converters without schemas: strings, bytes, and numbers in the big endian form of Kafka's serializers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StructType,
)

from riacho.base.config import Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.formats.arrow_columns import one_column
from riacho.pipelines.formats.byte_cursor import Cursor, binary_of, spread
from riacho.pipelines.formats.column_types import arrow_type
from riacho.pipelines.formats.converter import Converter
from riacho.pipelines.formats.framed import result_of
from riacho.pipelines.formats.json_converter import SERIALIZATION_EXCEPTION
from riacho.pipelines.records import is_good, schema_of, with_schema

_UTF8 = ("UTF-8", "UTF8")


def _encoding(name: str, value: Value) -> None:
    if str(value).upper() not in (*_UTF8, "US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE"):
        raise invalid(name, value, "Expected an encoding that Spark has, such as UTF-8")


class StringConverter(Converter):
    """Any value as its text; structs and lists as JSON."""

    CLASS = "org.apache.kafka.connect.storage.StringConverter"
    ALIASES = ("StringConverter", "String")
    CONFIG = ConfigDef(
        Definition("converter.encoding", ConfigType.STRING, "UTF-8", doc="The encoding of the text.", valid=_encoding)
    )

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        """Bytes that are no text of the encoding become the sign for that, as in Java."""
        encoding = str(self.settings["converter.encoding"]).upper()
        text = F.col(column).cast("string")
        value = F.make_valid_utf8(text) if encoding in _UTF8 else F.decode(F.col(column), encoding)
        return with_schema(batch, column, value, {})

    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        kind, _ = schema_of(batch, column)
        encoding = str(self.settings["converter.encoding"]).upper()
        value = F.col(column)
        if not isinstance(kind, BinaryType):
            text = (
                F.to_json(value) if isinstance(kind, StructType) or "<" in kind.simpleString() else value.cast("string")
            )
            value = text.cast("binary") if encoding in _UTF8 else F.encode(text, encoding)
        return with_schema(batch, column, F.when(is_good(), value), {})


class ByteArrayConverter(Converter):
    CLASS = "org.apache.kafka.connect.converters.ByteArrayConverter"
    ALIASES = ("ByteArrayConverter", "ByteArray")

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        return batch

    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        kind, _ = schema_of(batch, column)
        if isinstance(kind, BinaryType):
            return with_schema(batch, column, F.col(column), {})
        concerned = is_good() & F.col(column).isNotNull()
        message = f"Invalid schema type for ByteArrayConverter: {kind.simpleString().upper()}"
        return with_schema(self.failed(batch, concerned, message), column, F.lit(None).cast("binary"), {})


class BooleanConverter(Converter):
    """One byte, 1 or 0."""

    CLASS = "org.apache.kafka.connect.converters.BooleanConverter"
    ALIASES = ("BooleanConverter",)

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        value = F.col(column)
        found = F.when(value == F.lit(b"\1"), F.lit(True)).when(value == F.lit(b"\0"), F.lit(False))
        failed = self.failed(
            batch,
            value.isNotNull() & found.isNull(),
            "Failed to deserialize boolean: the bytes are neither 0 nor 1",
            SERIALIZATION_EXCEPTION,
        )
        return with_schema(failed, column, F.when(is_good(), found), {})

    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        kind, _ = schema_of(batch, column)
        given = F.col(column).try_cast("boolean") if kind.simpleString() in ("boolean", "string") else F.lit(None)
        bad = is_good() & F.col(column).isNotNull() & given.isNull()
        failed = self.failed(batch, bad, "Failed to serialize to a boolean", SERIALIZATION_EXCEPTION)
        value = F.when(is_good() & given, F.lit(b"\1")).when(is_good() & ~given, F.lit(b"\0"))
        return with_schema(failed, column, value, {})


class _NumberConverter(Converter):
    KIND: ClassVar[DataType]
    DTYPE: ClassVar[str]
    WORD: ClassVar[str]

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        size, dtype, target, word = self._size(), self.DTYPE, arrow_type(self.KIND), self.WORD

        def read(values: pa.Array) -> pa.Array:
            return _numbers(values, size, dtype, target, word)

        result = one_column(read, F.col(column), self.KIND)
        return self.replaced(batch, column, result, exception=SERIALIZATION_EXCEPTION)

    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        cast = F.col(column).try_cast(self.KIND)
        message = f"Failed to serialize to {self.WORD}"
        bad = is_good() & F.col(column).isNotNull() & cast.isNull()
        failed = self.failed(batch, bad, message, SERIALIZATION_EXCEPTION)
        dtype, size = self.DTYPE, self._size()

        def write(values: pa.Array) -> pa.Array:
            return _number_bytes(values, dtype, size)

        return self.replaced(failed, column, one_column(write, cast, BinaryType()))

    def _size(self) -> int:
        return np.dtype(self.DTYPE).itemsize


def _numbers(values: pa.Array, size: int, dtype: str, target: pa.DataType, word: str) -> pa.Array:
    given = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
    cursor = Cursor.of(values.take(pa.array(given)))
    wrong = cursor.end - cursor.pos != size
    found = pa.array(cursor.matrix(size).view(dtype).reshape(len(cursor)).astype(np.dtype(dtype).newbyteorder("=")))
    errors = np.full(len(values), None, object)
    errors[given[wrong]] = f"Failed to deserialize {word}: Size of data received is not {size}"
    good = np.flatnonzero(~wrong)
    return result_of(spread(found.take(pa.array(good)), given[good], len(values)).cast(target), errors)


def _number_bytes(values: pa.Array, dtype: str, size: int) -> pa.Array:
    given = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
    numbers = values.take(pa.array(given)).to_numpy(zero_copy_only=False).astype(dtype)
    data = np.ascontiguousarray(numbers).view(np.uint8)
    written = binary_of(np.arange(len(given) + 1) * size, data)
    return result_of(spread(written, given, len(values)), np.full(len(values), None, object))


class ShortConverter(_NumberConverter):
    CLASS = "org.apache.kafka.connect.converters.ShortConverter"
    ALIASES = ("ShortConverter",)
    KIND, DTYPE, WORD = ShortType(), ">i2", "short"


class IntegerConverter(_NumberConverter):
    CLASS = "org.apache.kafka.connect.converters.IntegerConverter"
    ALIASES = ("IntegerConverter",)
    KIND, DTYPE, WORD = IntegerType(), ">i4", "integer"


class LongConverter(_NumberConverter):
    CLASS = "org.apache.kafka.connect.converters.LongConverter"
    ALIASES = ("LongConverter",)
    KIND, DTYPE, WORD = LongType(), ">i8", "long"


class FloatConverter(_NumberConverter):
    CLASS = "org.apache.kafka.connect.converters.FloatConverter"
    ALIASES = ("FloatConverter",)
    KIND, DTYPE, WORD = FloatType(), ">f4", "float"


class DoubleConverter(_NumberConverter):
    CLASS = "org.apache.kafka.connect.converters.DoubleConverter"
    ALIASES = ("DoubleConverter",)
    KIND, DTYPE, WORD = DoubleType(), ">f8", "double"
