"""InsertHeader: adds a header with the same value to every record, beside those of that name that are there."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import HEADERS, HEADERS_TYPE
from riacho.pipelines.transforms.simple_text import literal_text
from riacho.pipelines.transforms.transform import PACKAGE, Outcome, Transform


class InsertHeader(Transform):
    CLASS = f"{PACKAGE}InsertHeader"
    DOC = "Add a header to each record."
    CONFIG = ConfigDef(
        Definition(
            "header", ConfigType.STRING, doc="The name of the header.", required=True, importance=Importance.HIGH
        ),
        Definition(
            "value.literal",
            ConfigType.STRING,
            doc="The literal value that is to be set as the header value on all records.",
            required=True,
            importance=Importance.HIGH,
        ),
    )

    def outcome(self, batch: DataFrame) -> Outcome:
        text = literal_text(self.text("value.literal"))
        value = F.lit(None if text is None else text.encode()).cast("binary")
        header = F.struct(F.lit(self.text("header")).alias("key"), value.alias("value"))
        return Outcome({HEADERS: F.concat(F.col(HEADERS), F.array(header).cast(HEADERS_TYPE))})
