"""What a single message transform is here: expressions that make new columns of a record frame, and say what fails.

A transform never touches rows itself. It gives an `Outcome`: columns by name, and a text that is null where the row is
fine. `apply` turns that into at most two projections, whatever the transform: the first puts the error on rows that
fail, the second takes the new columns for the rows that are good and, under a predicate, match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError, Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import DATA_EXCEPTION, KEY, STAGE_TRANSFORMATION, VALUE, fail_where, is_good
from riacho.pipelines.transforms.merging import Choice, choose
from riacho.pipelines.transforms.part import Part

PACKAGE = "org.apache.kafka.connect.transforms."

REPLACE_NULL_WITH_DEFAULT = Definition(
    "replace.null.with.default",
    ConfigType.BOOLEAN,
    "true",
    doc="Whether a field that is null and has a default value is read as that default.",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    columns: Mapping[str, Column]
    """New columns by name; the others stay."""
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Metadata of those among them that are a key or a value."""
    failure: Column | None = None
    """Why a row fails, null where it does not. What `columns` say of such a row does not count."""
    exception: str = DATA_EXCEPTION


class Transform(ABC):
    """`CLASS` is Kafka's name of it. Made from its settings without their prefix; ConfigError in one sentence."""

    CLASS: ClassVar[str]
    DOC: ClassVar[str] = ""
    CONFIG: ClassVar[ConfigDef] = ConfigDef()

    def __init__(self, configs: Mapping[str, str]) -> None:
        self.settings = self.CONFIG.parse(configs)

    @abstractmethod
    def outcome(self, batch: DataFrame) -> Outcome:
        """What becomes of the rows of `batch`."""

    def apply(self, batch: DataFrame, where: Column | None = None) -> DataFrame:
        """The batch transformed; with `where`, only the rows where it is true. `where` must never be null."""
        outcome = self.outcome(batch)
        choice = Choice.everything()
        if where is not None:
            choice = choose(batch, outcome.columns, outcome.metadata, where, self.CLASS)
        if choice.is_nothing:
            return batch
        if outcome.failure is not None:
            failed = outcome.failure.isNotNull()
            batch = fail_where(
                batch,
                failed if choice.where is None else choice.where & failed,
                stage=STAGE_TRANSFORMATION,
                class_name=self.CLASS,
                message=outcome.failure,
                exception=outcome.exception,
            )
        # Only what changes is named: each column costs several calls into the JVM, for every batch.
        return batch.withColumns({name: self._column(name, outcome, choice) for name in outcome.columns})

    def _column(self, name: str, outcome: Outcome, choice: Choice) -> Column:
        old = F.col(f"`{name}`")
        new = outcome.columns[name]
        if choice.where is not None:
            new, old = choice.conformed(name, new, old)
            chosen = F.when(is_good() & choice.where, new).when(is_good() & ~choice.where, old)
            kept = chosen if name in (KEY, VALUE) else chosen.otherwise(old)
        else:
            # A key or value of a bad row is null: its type may not be that of the new column.
            good = F.when(is_good(), new)
            kept = good if name in (KEY, VALUE) else good.otherwise(old)
        return kept.alias(name, metadata=dict(outcome.metadata.get(name, {})))

    def text(self, name: str) -> str:
        """A setting that is text; empty where it was not given."""
        value = self.settings[name]
        return value if isinstance(value, str) else ""

    def items(self, name: str) -> list[str]:
        value = self.settings[name]
        return value if isinstance(value, list) else []


class PartTransform(Transform):
    """A transform that exists twice, for the key and for the value of records."""

    PART: ClassVar[str]

    @property
    def replaces_null(self) -> bool:
        return self.settings.get("replace.null.with.default") is not False

    def failing(self, part: Part, failure: Column | None, exception: str = DATA_EXCEPTION) -> Outcome:
        """Rows where `failure` tells something fail, the others stay as they are."""
        return Outcome({self.PART: part.value}, {self.PART: part.metadata}, failure, exception)


AnyPart = TypeVar("AnyPart", bound=PartTransform)


def key_and_value(base: type[AnyPart]) -> tuple[type[AnyPart], type[AnyPart]]:
    """The `$Key` and the `$Value` form of a transform."""
    forms = [
        type(f"{base.__name__}{suffix}", (base,), {"CLASS": f"{PACKAGE}{base.__name__}${suffix}", "PART": part})
        for suffix, part in (("Key", KEY), ("Value", VALUE))
    ]
    return forms[0], forms[1]


def first_failure(failures: Sequence[Column | None]) -> Column | None:
    """The first reason that is not null, or None where there can be none."""
    present = [failure for failure in failures if failure is not None]
    if not present:
        return None
    return present[0] if len(present) == 1 else F.coalesce(*present)


def filled_list(name: str, value: Value) -> None:
    """Kafka's rule for the lists of transforms: at least one item, none of them empty; repeats are let through."""
    assert isinstance(value, list), name
    if not value:
        raise ConfigError(f"Configuration '{name}' must not be empty. Valid values include: any non-empty value")
    if "" in value:
        raise ConfigError(f"Configuration '{name}' values must not be empty.")


def non_empty_list(name: str, value: Value) -> None:
    if not value:
        raise invalid(name, value, "Empty list")


def field_list(name: str, doc: str) -> Definition:
    return Definition(name, ConfigType.LIST, doc=doc, required=True, valid=filled_list, importance=Importance.HIGH)
