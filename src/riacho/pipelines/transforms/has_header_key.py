"""HasHeaderKey: records with at least one header of the name."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import non_empty
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.records import HEADERS
from riacho.pipelines.transforms.predicate import PACKAGE, Predicate


class HasHeaderKey(Predicate):
    CLASS = f"{PACKAGE}HasHeaderKey"
    DOC = "True for records with at least one header of the configured name."
    CONFIG = ConfigDef(Definition("name", ConfigType.STRING, doc="The header name.", required=True, valid=non_empty))

    def test(self, batch: DataFrame) -> Column:
        return F.exists(F.col(HEADERS), lambda header: header["key"] == F.lit(self.settings["name"]))
