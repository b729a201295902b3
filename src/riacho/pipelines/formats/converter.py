"""What a converter is: bytes of one column of a record frame to a typed column, and back.

A converter is made on the driver, once a connector, and works on batch frames; it may look at the data with small jobs.
Its rows keep their places; one that it cannot treat becomes null with an error, and null stays null.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.config_def import ConfigDef
from riacho.pipelines.records import (
    STAGE_KEY_CONVERTER,
    STAGE_VALUE_CONVERTER,
    fail_where,
    is_good,
    with_schema,
)

_RESULT = "__riacho_converted"


class Converter(ABC):
    """`CLASS` is the name that configs give; `ALIASES` others that mean the same."""

    CLASS: ClassVar[str]
    ALIASES: ClassVar[tuple[str, ...]] = ()
    CONFIG: ClassVar[ConfigDef] = ConfigDef()

    def __init__(self, configs: Mapping[str, str], is_key: bool) -> None:
        self.configs = dict(configs)
        self.settings = self.CONFIG.parse(configs)
        self.is_key = is_key
        self.stage = STAGE_KEY_CONVERTER if is_key else STAGE_VALUE_CONVERTER

    @abstractmethod
    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        """`column` from binary to typed."""

    @abstractmethod
    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        """`column` from typed to binary."""

    def replaced(
        self,
        batch: DataFrame,
        column: str,
        result: Column,
        metadata: Mapping[str, Any] | None = None,
        *,
        exception: str | None = None,
    ) -> DataFrame:
        """`column` becomes `result.value`; where `result.error` tells something, the row has failed.

        The result is a column of its own in between, so that Spark computes it once for both.
        """
        given = batch.withColumn(_RESULT, F.when(is_good() & F.col(column).isNotNull(), result))
        failed = self.failed(given, F.col(_RESULT)["error"].isNotNull(), F.col(_RESULT)["error"], exception)
        return with_schema(failed, column, F.col(_RESULT)["value"], metadata or {}).drop(_RESULT)

    def failed(
        self, batch: DataFrame, condition: Column, message: Column | str, exception: str | None = None
    ) -> DataFrame:
        more = {} if exception is None else {"exception": exception}
        return fail_where(batch, condition, stage=self.stage, class_name=self.CLASS, message=message, **more)
