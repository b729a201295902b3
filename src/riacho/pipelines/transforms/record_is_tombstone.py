"""RecordIsTombstone: records whose value is null."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.records import VALUE
from riacho.pipelines.transforms.predicate import PACKAGE, Predicate


class RecordIsTombstone(Predicate):
    CLASS = f"{PACKAGE}RecordIsTombstone"
    DOC = "True for records with a null value."

    def test(self, batch: DataFrame) -> Column:
        return F.col(VALUE).isNull()
