"""What a predicate is: a condition on records, by which a transform applies to some rows of a batch only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from pyspark.sql import Column, DataFrame

from riacho.pipelines.config_def import ConfigDef

PACKAGE = "org.apache.kafka.connect.transforms.predicates."


class Predicate(ABC):
    """`CLASS` is Kafka's name of it. Made from its settings without their prefix; ConfigError in one sentence."""

    CLASS: ClassVar[str]
    DOC: ClassVar[str] = ""
    CONFIG: ClassVar[ConfigDef] = ConfigDef()

    def __init__(self, configs: Mapping[str, str]) -> None:
        self.settings = self.CONFIG.parse(configs)

    @abstractmethod
    def test(self, batch: DataFrame) -> Column:
        """True for the rows that match; null counts as false."""
