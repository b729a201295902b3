"""What analysis is given besides the statement and the catalogue: settings, functions, and whom to ask about topics and
schemas. Nothing of it reaches out by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from riacho.pipelines.sql.catalogue.sources import FormatInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.aggregate_signatures import AGGREGATE_FUNCTIONS, AggregateFunction
from riacho.pipelines.sql.functions.registry import REGISTRY, Registry
from riacho.pipelines.sql.types import Field, SqlType

PARTITIONS_DEFAULT = 1
REPLICAS_DEFAULT = 1


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """`is_assumed`: nobody has seen it; it is as a statement says, where one says anything."""

    partitions: int = PARTITIONS_DEFAULT
    replicas: int = REPLICAS_DEFAULT
    is_assumed: bool = False


@dataclass(frozen=True, slots=True)
class InferenceRequest:
    """The columns of a key or a value, from the schema of its subject, or of `format.schema_id` where it is given."""

    topic: str
    format: FormatInfo
    is_key: bool


@dataclass(frozen=True, slots=True)
class Inferred:
    """`is_single`: the schema is no record but one value, which is the only column."""

    columns: tuple[Field, ...]
    is_single: bool = False


Infer: TypeAlias = Callable[[InferenceRequest], Inferred]
FindTopic: TypeAlias = Callable[[str], TopicFacts | None]
Evaluate: TypeAlias = Callable[[str, SqlType], Any]
"""A constant Spark SQL expression to its value, in `row_json.py`'s form."""

# What works in one way only, and why.
_FIXED = {
    "ksql.cast.strings.preserve.nulls": ("true", "null cast to STRING is null here, never the text 'null'"),
}


def refuse_fixed(name: str, value: str) -> None:
    """KsqlError for a value that has no effect here."""
    only, why = _FIXED.get(name, (value, ""))
    if value.lower() != only.lower():
        raise KsqlError(f"{name} can only be {only}: {why}.")


@dataclass(frozen=True, slots=True)
class Settings:
    """`properties` are the server's and the request's together, by ksqlDB's names. `registry` are client settings of
    the schema registry, empty where there is none. `find_topic` is None where topics are not looked at, `evaluate`
    where INSERT VALUES takes literals only."""

    properties: Mapping[str, str] = field(default_factory=dict)
    registry: Mapping[str, str] = field(default_factory=dict)
    functions: Registry = REGISTRY
    aggregates: Mapping[str, AggregateFunction] = field(default_factory=lambda: AGGREGATE_FUNCTIONS)
    infer: Infer | None = None
    find_topic: FindTopic | None = None
    evaluate: Evaluate | None = None
    pulls_aggregates: bool = False
    """Pull queries may have GROUP BY and aggregates, which ksqlDB has not: for callers that can answer them."""

    def value_of(self, name: str, default: str | None = None) -> str | None:
        """Also by the name with `ksql.streams.` in front, which means the same."""
        for known in (name, f"ksql.streams.{name}"):
            if known in self.properties:
                return str(self.properties[known])
        return default

    @property
    def key_format(self) -> str | None:
        return self.value_of("ksql.persistence.default.format.key", "KAFKA")

    @property
    def value_format(self) -> str | None:
        return self.value_of("ksql.persistence.default.format.value")

    @property
    def wraps_single_values(self) -> bool | None:
        text = self.value_of("ksql.persistence.wrap.single.values")
        return None if text in (None, "") else str(text).lower() == "true"

    @property
    def strict_time(self) -> bool:
        return str(self.value_of("ksql.timestamp.throw.on.invalid", "false")).lower() == "true"

    @property
    def emits_every_change(self) -> bool:
        """Without a cache every change of a table is emitted, not only the last of a batch."""
        for name in ("statestore.cache.max.bytes", "cache.max.bytes.buffering"):
            text = self.value_of(name)
            if text is not None:
                return text == "0"
        return False
