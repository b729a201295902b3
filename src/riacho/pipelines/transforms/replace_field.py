"""ReplaceField: leaves out fields, keeps only some, gives others new names."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError, Value, invalid
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.transforms.part import Part
from riacho.pipelines.transforms.transform import REPLACE_NULL_WITH_DEFAULT, Outcome, PartTransform, key_and_value


def _renames(mappings: list[str]) -> dict[str, str]:
    renames = {}
    for mapping in mappings:
        old, _, new = mapping.partition(":")
        if not old or not new or ":" in new:
            raise invalid("renames", mappings, f"Invalid rename mapping: {mapping}")
        renames[old] = new
    return renames


def _valid_renames(name: str, value: Value) -> None:
    _renames(value if isinstance(value, list) else [])


def _no_empty_item(name: str, value: Value) -> None:
    if isinstance(value, list) and "" in value:
        raise ConfigError(f"Configuration '{name}' values must not be empty.")


class ReplaceField(PartTransform):
    DOC = "Filter or rename fields."
    CONFIG = ConfigDef(
        Definition(
            "exclude",
            ConfigType.LIST,
            "",
            doc="Fields to exclude. This takes precedence over the fields to include.",
            valid=_no_empty_item,
        ),
        Definition(
            "include",
            ConfigType.LIST,
            "",
            doc="Fields to include. If specified, only these fields will be used.",
            valid=_no_empty_item,
        ),
        Definition(
            "renames",
            ConfigType.LIST,
            "",
            doc="Field rename mappings, as old:new pairs parted by commas.",
            valid=_valid_renames,
        ),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        self._renames = _renames(self.items("renames"))

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        unfit = part.needs_struct("field replacement")
        if unfit is not None or not part.is_struct:
            return self.failing(part, unfit)
        include, exclude = self.items("include"), self.items("exclude")
        kept = [each for each in part.fields if each.name not in exclude and (not include or each.name in include)]
        names = [self._renames.get(each.name, each.name) for each in kept]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            # Without a schema, Kafka would let one of the two win, whichever its hash map brings last.
            message = F.lit(f"Cannot create field because of field name duplication {twice[0]}")
            exception = "org.apache.kafka.connect.errors.SchemaBuilderException"
            return self.failing(part, F.when(part.value.isNotNull(), message), exception)
        columns = [part.kept(field, name) for field, name in zip(kept, names, strict=True)]
        return Outcome({self.PART: part.rebuilt(columns)}, {self.PART: part.metadata})


ReplaceFieldKey, ReplaceFieldValue = key_and_value(ReplaceField)
