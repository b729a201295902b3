"""TimestampRouter: a new topic made of the old one and the record's timestamp."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import OFFSET, PARTITION, TIMESTAMP, TOPIC
from riacho.pipelines.transforms.date_pattern import PatternError, format_date, tokens_of
from riacho.pipelines.transforms.transform import PACKAGE, Outcome, Transform


class TimestampRouter(Transform):
    CLASS = f"{PACKAGE}TimestampRouter"
    DOC = "Update the record's topic field as a function of the original topic value and the record timestamp."
    CONFIG = ConfigDef(
        Definition(
            "topic.format",
            ConfigType.STRING,
            "${topic}-${timestamp}",
            doc="Format string which can contain ${topic} and ${timestamp} as placeholders.",
            importance=Importance.HIGH,
        ),
        Definition(
            "timestamp.format",
            ConfigType.STRING,
            "yyyyMMdd",
            doc="Format string for the timestamp that is compatible with java.text.SimpleDateFormat.",
            importance=Importance.HIGH,
        ),
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        pattern = self.text("timestamp.format")
        try:
            self._tokens = tokens_of(pattern)
        except PatternError as error:
            raise invalid("timestamp.format", pattern, str(error)) from None

    def outcome(self, batch: DataFrame) -> Outcome:
        timestamp = F.col(TIMESTAMP)
        stamp = format_date(F.unix_millis(timestamp), self._tokens)
        with_topic = F.replace(F.lit(self.text("topic.format")), F.lit("${topic}"), F.col(TOPIC))
        routed = F.replace(with_topic, F.lit("${timestamp}"), stamp)
        return Outcome({TOPIC: routed}, failure=F.when(timestamp.isNull(), _missing()))


def _missing() -> Column:
    """Kafka prints the whole record; its place is enough, and holds no data."""
    place = [F.lit("topic="), F.col(TOPIC)]
    for name in (PARTITION, OFFSET):
        place += [F.lit(f", {name}="), F.coalesce(F.col(name).cast("string"), F.lit("null"))]
    return F.concat(F.lit("Timestamp missing on record: "), *place)
