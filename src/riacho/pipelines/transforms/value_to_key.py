"""ValueToKey: the key becomes a struct of fields of the value. A record without a value fails, as in Kafka."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.pipelines.config_def import ConfigDef
from riacho.pipelines.records import KEY, VALUE
from riacho.pipelines.transforms.part import Part, null_of
from riacho.pipelines.transforms.transform import (
    PACKAGE,
    REPLACE_NULL_WITH_DEFAULT,
    Outcome,
    Transform,
    field_list,
)


class ValueToKey(Transform):
    CLASS = f"{PACKAGE}ValueToKey"
    DOC = "Replace the record key with a new key formed from a subset of fields in the record value."
    CONFIG = ConfigDef(
        field_list("fields", "Field names on the record value to extract as the record key."), REPLACE_NULL_WITH_DEFAULT
    )

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, VALUE, self.settings["replace.null.with.default"] is not False)
        key = Part.of(batch, KEY)
        unchanged = {KEY: key.value}
        unfit = part.needs_struct("copying fields from value to key", null_fails=True)
        if not part.is_struct:
            return Outcome(unchanged, {KEY: key.metadata}, unfit)
        names = list(dict.fromkeys(self.items("fields")))
        missing = [name for name in names if part.find(name) is None]
        if missing and not part.is_schemaless:
            failure = F.when(part.value.isNotNull(), F.lit(f"Field does not exist: {missing[0]}")).otherwise(unfit)
            return Outcome(unchanged, {KEY: key.metadata}, failure)
        found = [(name, part.find(name)) for name in names]
        columns = [part.kept(field) if field else null_of(T.StringType()).alias(name) for name, field in found]
        return Outcome({KEY: part.rebuilt(columns)}, {KEY: part.bare_metadata}, unfit)
