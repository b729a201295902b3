"""TopicNameMatches: records whose topic matches a Java regular expression, from its first character to its last."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import Value, non_empty
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.records import TOPIC
from riacho.pipelines.transforms.java_regex import matches, valid_regex
from riacho.pipelines.transforms.predicate import PACKAGE, Predicate


def _pattern(name: str, value: Value) -> None:
    non_empty(name, value)
    valid_regex(name, value)


class TopicNameMatches(Predicate):
    CLASS = f"{PACKAGE}TopicNameMatches"
    DOC = "True for records with a topic name that matches the configured regular expression."
    CONFIG = ConfigDef(
        Definition(
            "pattern",
            ConfigType.STRING,
            doc="A Java regular expression that a record's whole topic name has to match.",
            required=True,
            valid=_pattern,
        )
    )

    def test(self, batch: DataFrame) -> Column:
        return matches(F.col(TOPIC), str(self.settings["pattern"]))
