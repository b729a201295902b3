"""TimestampConverter: timestamps between Connect's Timestamp, Date and Time, Unix time and text.

All go through milliseconds since 1970, as in Kafka, so what is finer is lost. A Time is an integer of milliseconds with
the logical type's name in its metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.base.config import ConfigError, one_of
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import SCHEMA_NAME, SCHEMA_VERSION
from riacho.pipelines.transforms.date_pattern import PatternError, Token, format_date, parse_date, tokens_of
from riacho.pipelines.transforms.part import Part, java_class, named, null_of
from riacho.pipelines.transforms.simple_text import MILLIS_A_DAY, epoch_millis
from riacho.pipelines.transforms.transform import (
    REPLACE_NULL_WITH_DEFAULT,
    Outcome,
    PartTransform,
    first_failure,
    key_and_value,
)

TIME = "org.apache.kafka.connect.data.Time"
_MILLIS_MAX = 9_223_372_036_854_775  # what Spark's microseconds can hold
_MULTIPLIED = {"seconds": 1000, "milliseconds": 1}
_DIVIDED = {"microseconds": 1000, "nanoseconds": 1_000_000}
_SCHEMA_TYPES: Mapping[type[T.DataType], str] = {
    T.ByteType: "INT8",
    T.ShortType: "INT16",
    T.IntegerType: "INT32",
    T.FloatType: "FLOAT32",
    T.DoubleType: "FLOAT64",
    T.BooleanType: "BOOLEAN",
    T.BinaryType: "BYTES",
    T.DecimalType: "org.apache.kafka.connect.data.Decimal:BYTES",
    T.ArrayType: "ARRAY",
    T.MapType: "MAP",
    T.StructType: "STRUCT",
}


class TimestampConverter(PartTransform):
    DOC = "Convert timestamps between different formats such as Unix epoch, strings, and Connect Date/Timestamp types."
    CONFIG = ConfigDef(
        Definition(
            "field",
            ConfigType.STRING,
            "",
            doc="The field containing the timestamp, or empty if the entire value is a timestamp",
            importance=Importance.HIGH,
        ),
        Definition(
            "target.type",
            ConfigType.STRING,
            doc="The desired timestamp representation: string, unix, Date, Time, or Timestamp",
            required=True,
            valid=one_of("string", "unix", "Date", "Time", "Timestamp"),
            importance=Importance.HIGH,
        ),
        Definition(
            "format",
            ConfigType.STRING,
            "",
            doc="A SimpleDateFormat-compatible format for the timestamp, for strings on either side.",
        ),
        Definition(
            "unix.precision",
            ConfigType.STRING,
            "milliseconds",
            doc="The desired Unix precision: seconds, milliseconds, microseconds, or nanoseconds. Whatever is finer "
            "than a millisecond is lost.",
            valid=one_of("nanoseconds", "microseconds", "milliseconds", "seconds"),
            importance=Importance.LOW,
        ),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        pattern = self.text("format")
        self._target = self.text("target.type")
        self._tokens: list[Token] | None = None
        if self._target == "string" and not pattern:
            raise ConfigError("TimestampConverter requires format option to be specified when using string timestamps")
        try:
            self._tokens = tokens_of(pattern) if pattern else None
        except PatternError as error:
            raise ConfigError(
                "TimestampConverter requires a SimpleDateFormat-compatible pattern for string timestamps: "
                f"{pattern} ({error})"
            ) from None

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        name = self.text("field")
        if not name:
            value, failure = self._converted(part.value, part.type, part.metadata, part.is_schemaless)
            return Outcome({self.PART: value}, {self.PART: {**self._metadata(), **part.bare_metadata}}, failure)
        unfit = part.needs_struct("converting timestamp formats")
        if unfit is not None or not part.is_struct:
            return self.failing(part, unfit)
        columns: list[Column] = []
        failures: list[Column | None] = []
        for field in part.fields:
            if field.name != name:
                columns.append(part.kept(field))
                continue
            metadata = field.metadata or {}
            value, failure = self._converted(part.read(field), field.dataType, metadata, part.is_schemaless)
            columns.append(named(value, name, self._metadata()))
            failures.append(failure)
        if part.is_schemaless and part.find(name) is None:
            columns.append(self._typed(null_of(T.LongType())).alias(name))
        return Outcome({self.PART: part.rebuilt(columns)}, {self.PART: part.metadata}, first_failure(failures))

    def _metadata(self) -> dict[str, Any]:
        return {SCHEMA_NAME: TIME, SCHEMA_VERSION: 1} if self._target == "Time" else {}

    def _converted(
        self, column: Column, kind: T.DataType, metadata: Mapping[str, Any], is_schemaless: bool
    ) -> tuple[Column, Column | None]:
        millis, error = self._millis(column, kind, metadata, is_schemaless)
        # Only Unix time can be more than Spark holds.
        usable = F.when(millis.between(-_MILLIS_MAX, _MILLIS_MAX), millis) if isinstance(kind, T.LongType) else millis
        failure = None if error is None else F.when(column.isNotNull() & usable.isNull(), error)
        return self._typed(usable), failure

    def _millis(
        self, column: Column, kind: T.DataType, metadata: Mapping[str, Any], is_schemaless: bool
    ) -> tuple[Column, Column | None]:
        """Milliseconds, null where there are none to be had; and what to tell of those."""
        nothing = null_of(T.LongType())
        match kind:
            case T.NullType():
                return nothing, None
            case T.TimestampType() | T.DateType():
                return epoch_millis(column, kind), None
            case T.IntegerType() if metadata.get(SCHEMA_NAME) == TIME:
                return column.cast("bigint"), None
            case T.StringType() if self._tokens is None:
                return nothing, F.lit("TimestampConverter requires format option to parse string timestamps")
            case T.StringType():
                assert self._tokens is not None
                start, end = F.lit("Could not parse timestamp: value ("), f") does not match pattern ({self._pattern})"
                return parse_date(column, self._tokens), F.concat(start, column, F.lit(end))
            case T.LongType():
                precision = self.text("unix.precision")
                error = F.concat(F.lit("Unix timestamp is out of range: "), column.cast("string"))
                if precision in _DIVIDED:
                    return F.call_function("div", column, F.lit(_DIVIDED[precision])), error
                return F.try_multiply(column, F.lit(_MULTIPLIED[precision]).cast("bigint")), error
            case _ if is_schemaless:
                return nothing, F.lit(
                    f"TimestampConverter does not support class {java_class(kind)} objects as timestamps"
                )
            case _:
                schema = _SCHEMA_TYPES.get(type(kind), kind.simpleString())
                return nothing, F.lit(f"Schema Schema{{{schema}}} does not correspond to a known timestamp type format")

    @property
    def _pattern(self) -> str:
        return self.text("format")

    def _typed(self, millis: Column) -> Column:
        match self._target:
            case "string":
                return format_date(millis, self._tokens or [])
            case "Timestamp":
                return F.timestamp_millis(millis)
            case "Date":
                days = F.call_function("div", millis - F.pmod(millis, F.lit(MILLIS_A_DAY)), F.lit(MILLIS_A_DAY))
                return F.date_from_unix_date(days.try_cast("int"))
            case "Time":
                return F.pmod(millis, F.lit(MILLIS_A_DAY)).cast("int")
        precision = self.text("unix.precision")
        if precision == "seconds":
            return F.call_function("div", millis, F.lit(1000))
        return F.try_multiply(millis, F.lit(_DIVIDED.get(precision, 1)).cast("bigint"))


TimestampConverterKey, TimestampConverterValue = key_and_value(TimestampConverter)
