"""Cast: fields, or the whole key or value, to another type."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError, Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.transforms.casting import TARGETS, cast_value
from riacho.pipelines.transforms.part import DEFAULT, Part, named, null_of
from riacho.pipelines.transforms.transform import (
    REPLACE_NULL_WITH_DEFAULT,
    Outcome,
    PartTransform,
    first_failure,
    key_and_value,
)

# Types that Connect has but nothing can be cast to.
_OTHER_TYPES = ("BYTES", "ARRAY", "MAP", "STRUCT")
# The metadata that belongs to a type, which a cast changes.
_OF_THE_TYPE = (DEFAULT, "connect.name", "connect.version", "connect.parameters")


def _casts(mappings: list[str]) -> dict[str | None, str]:
    """Type by field; the field None stands for the whole."""
    casts: dict[str | None, str] = {}
    for mapping in mappings:
        parts = mapping.rstrip(":").split(":")
        if len(parts) > 2:
            raise invalid("spec", mappings, f"Invalid cast mapping: {mapping}")
        casts[parts[0].strip() if len(parts) == 2 else None] = _target(parts[-1].strip())
    if None in casts and len(mappings) > 1:
        raise ConfigError(
            "Cast transformations that specify a type to cast the entire value to may only specify a single cast in "
            "their spec"
        )
    return casts


def _target(text: str) -> str:
    target = text.upper()
    if target in _OTHER_TYPES:
        raise ConfigError(
            f"Cast transformation does not support casting to {target}; supported types are [{', '.join(TARGETS)}]"
        )
    if target not in TARGETS:
        raise ConfigError(f"Invalid type found in casting spec: {text}")
    return target


def _valid_spec(name: str, value: Value) -> None:
    if not isinstance(value, list) or not value:
        raise ConfigError("Must specify at least one field to cast.")
    _casts(value)


class Cast(PartTransform):
    DOC = (
        "Cast fields or the entire key or value to a specific type, e.g. to force an integer field to a smaller width."
    )
    CONFIG = ConfigDef(
        Definition(
            "spec",
            ConfigType.LIST,
            doc="Fields and the types to cast them to, as field1:type,field2:type; or one type for the whole. Valid "
            "types are int8, int16, int32, int64, float32, float64, boolean, and string.",
            required=True,
            valid=_valid_spec,
            importance=Importance.HIGH,
        ),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        self._casts = _casts(self.items("spec"))

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        whole = self._casts.get(None)
        if whole is not None:
            value, failure = cast_value(part.value, part.type, whole, part.is_schemaless)
            return Outcome({self.PART: value}, {self.PART: part.metadata}, failure)
        if not part.is_struct:
            return self.failing(part, self._no_fields(part))
        columns: list[Column] = []
        failures: list[Column | None] = []
        for field in part.fields:
            target = self._casts.get(field.name)
            if target is None:
                columns.append(part.kept(field))
                continue
            value, failure = cast_value(part.read(field), field.dataType, target, part.is_schemaless)
            kept = {name: each for name, each in (field.metadata or {}).items() if name not in _OF_THE_TYPE}
            columns.append(named(value, field.name, kept))
            failures.append(failure)
        if part.is_schemaless:
            absent = [(name, to) for name, to in self._casts.items() if name and part.find(name) is None]
            columns += [null_of(TARGETS[to]).alias(name) for name, to in absent]
        return Outcome({self.PART: part.rebuilt(columns)}, {self.PART: part.metadata}, first_failure(failures))

    @staticmethod
    def _no_fields(part: Part) -> Column | None:
        if part.is_schemaless:
            return part.needs_struct("cast types")
        return F.when(part.value.isNotNull(), F.lit("Cannot list fields on non-struct type"))


CastKey, CastValue = key_and_value(Cast)
