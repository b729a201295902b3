"""DropHeaders: takes all headers of the given names away."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.config_def import ConfigDef
from riacho.pipelines.records import HEADERS
from riacho.pipelines.transforms.transform import PACKAGE, Outcome, Transform, field_list


class DropHeaders(Transform):
    CLASS = f"{PACKAGE}DropHeaders"
    DOC = "Removes one or more headers from each record."
    CONFIG = ConfigDef(field_list("headers", "The names of the headers to be removed."))

    def outcome(self, batch: DataFrame) -> Outcome:
        names = self.items("headers")
        return Outcome({HEADERS: F.filter(F.col(HEADERS), lambda header: ~header["key"].isin(*names))})
