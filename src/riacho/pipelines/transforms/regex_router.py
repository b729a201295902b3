"""RegexRouter: a new topic by a regular expression, for records whose whole topic name matches it.

`Matcher.replaceFirst` replaces the first find, which for a pattern that matches the whole name starts at its beginning:
hence the anchor, which also keeps Spark's replacement to that one place.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import TOPIC
from riacho.pipelines.transforms.java_regex import matches, replacement_fault, valid_regex
from riacho.pipelines.transforms.transform import PACKAGE, Outcome, Transform


class RegexRouter(Transform):
    CLASS = f"{PACKAGE}RegexRouter"
    DOC = "Update the record topic using the configured regular expression and replacement string."
    CONFIG = ConfigDef(
        Definition(
            "regex",
            ConfigType.STRING,
            doc="Regular expression to use for matching.",
            required=True,
            valid=valid_regex,
            importance=Importance.HIGH,
        ),
        Definition(
            "replacement",
            ConfigType.STRING,
            doc="Replacement string, with $1 for what a group matched.",
            required=True,
            importance=Importance.HIGH,
        ),
    )

    def outcome(self, batch: DataFrame) -> Outcome:
        regex, replacement = self.text("regex"), self.text("replacement")
        topic = F.col(TOPIC)
        matched = matches(topic, regex)
        fault = replacement_fault(regex, replacement)
        if fault is not None:
            return Outcome({}, failure=F.when(matched, F.lit(fault[1])), exception=fault[0])
        replaced = F.regexp_replace(topic, F.lit(rf"\A(?:{regex})"), F.lit(replacement))
        return Outcome({TOPIC: F.when(matched, replaced).otherwise(topic)})
