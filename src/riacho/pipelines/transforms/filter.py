"""Filter: drops records; with a predicate, those that match it. Rows with an error stay, for whoever reports them."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame

from riacho.pipelines.records import is_good
from riacho.pipelines.transforms.transform import PACKAGE, Outcome, Transform


class Filter(Transform):
    CLASS = f"{PACKAGE}Filter"
    DOC = "Drops all records; meant to be used with a predicate, to drop those that match it."

    def outcome(self, batch: DataFrame) -> Outcome:
        return Outcome({})

    def apply(self, batch: DataFrame, where: Column | None = None) -> DataFrame:
        return batch.where(~(is_good() if where is None else is_good() & where))
