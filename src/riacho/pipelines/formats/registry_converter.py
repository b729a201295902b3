"""What the converters of a schema registry share: which schemas a batch was written with, and what to write it with."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from riacho.pipelines.formats.column_types import FormatError
from riacho.pipelines.formats.converter import Converter
from riacho.pipelines.formats.header_ids import id_header, looked_up, prefix_of
from riacho.pipelines.formats.registry_client import RegistryClient, RegistryError, registry_client
from riacho.pipelines.formats.registry_config import REGISTRY_CONFIG, client_settings
from riacho.pipelines.formats.subjects import strategy_of, subject_of
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.records import TOPIC, is_good, schema_of
from riacho.schemas.registry_conversations import RegisteredSchema

# More schemas, or topics, in one batch than anybody means to have.
DISTINCT_MAX = 1_000


class RegistryConverter(Converter):
    CONFIG = REGISTRY_CONFIG
    SCHEMA_TYPE: ClassVar[str]

    def __init__(self, configs: Mapping[str, str], is_key: bool) -> None:
        super().__init__(configs, is_key)
        self.client_settings = client_settings(self.configs)
        strategy = self.settings[f"{'key' if is_key else 'value'}.subject.name.strategy"]
        self._strategy = strategy_of(str(strategy)) or ""

    @property
    def client(self) -> RegistryClient:
        return registry_client(self.client_settings)

    @abstractmethod
    def schema_text(self, kind: DataType, metadata: Mapping[str, Any]) -> str:
        """The schema that a column's type becomes. FormatError where it has none."""

    @abstractmethod
    def encoded(self, batch: DataFrame, column: str, ids: Mapping[str, int]) -> Column:
        """A struct of value (binary) and error, by the id of each topic's schema."""

    def encode(self, batch: DataFrame, column: str) -> DataFrame:
        kind, metadata = schema_of(batch, column)
        ids: dict[str, int] = {}
        refused: dict[str, str] = {}
        for topic in self._topics(batch, column):
            try:
                ids[topic] = self._schema_for(topic, kind, metadata).id
            except FormatError as error:
                refused[topic] = f"{error}."
            except RegistryError as error:
                if not error.is_refusal:
                    raise ConnectError(str(error)) from None
                refused[topic] = str(error)
        for topic, message in refused.items():
            concerned = is_good() & F.col(column).isNotNull() & (F.col(TOPIC) == topic)
            batch = self.failed(batch, concerned, message)
        return self.replaced(batch, column, self.encoded(batch, column, ids))

    def _schema_for(self, topic: str, kind: DataType, metadata: Mapping[str, Any]) -> RegisteredSchema:
        if self.settings["use.latest.version"] and not self.settings["auto.register.schemas"]:
            name = metadata.get("connect.name")
            return self.client.latest(subject_of(self._strategy, topic, name, self.is_key))
        text = self.schema_text(kind, metadata)
        return self.client.registered(
            subject_of(self._strategy, topic, self.record_name(kind, metadata), self.is_key),
            self.SCHEMA_TYPE,
            text,
            register=bool(self.settings["auto.register.schemas"]),
            normalize=bool(self.settings["normalize.schemas"]),
        )

    def record_name(self, kind: DataType, metadata: Mapping[str, Any]) -> str | None:
        return metadata.get("connect.name")

    def _topics(self, batch: DataFrame, column: str) -> list[str]:
        written = batch.where(is_good() & F.col(column).isNotNull() & F.col(TOPIC).isNotNull())
        return sorted(row[0] for row in written.select(TOPIC).distinct().limit(DISTINCT_MAX).collect())

    def looked_at(self, batch: DataFrame, column: str, look: Callable[[Column], Column]) -> tuple[DataFrame, list[Any]]:
        """What `look` finds in the rows that look framed; and the batch, in which now all rows are that have a schema:
        where a header names it, it was put in front."""
        value, header = F.col(column), id_header(self.is_key)
        framed = (F.length(value) >= 5) & (F.substring(value, 1, 1) == F.lit(b"\0"))
        found = F.when(header.isNull(), look(value))
        pairs = _distinct(batch.where(is_good() & (framed | (value.isNotNull() & header.isNotNull()))), header, found)
        headers = {bytes(each) for each, _ in pairs if each is not None}
        if not headers:
            return batch, [each for _, each in pairs]
        batch = self._prefixed(batch, column, headers)
        return batch, [each for _, each in _distinct(batch.where(is_good() & framed), F.lit(None), look(value))]

    def _prefixed(self, batch: DataFrame, column: str, headers: Iterable[bytes]) -> DataFrame:
        prefixes: dict[bytes, bytes] = {}
        faults: dict[bytes, str] = {}
        for each in sorted(headers):
            try:
                prefixes[each] = prefix_of(self.client, each)
            except FormatError as error:
                faults[each] = f"{error}."
            except RegistryError as error:
                if not error.is_refusal:
                    raise ConnectError(str(error)) from None
                faults[each] = str(error)
        header = id_header(self.is_key)
        named = is_good() & F.col(column).isNotNull() & header.isNotNull()
        prefix = looked_up(header, prefixes, "binary")
        unknown = F.coalesce(looked_up(header, faults, "string"), F.lit("The header names no schema that is known."))
        judged = self.failed(batch, named & prefix.isNull(), unknown)
        joined = F.concat(prefix, F.col(column))
        return judged.withColumn(column, F.when(is_good() & header.isNotNull(), joined).otherwise(F.col(column)))

    def schema_ids(self, batch: DataFrame, column: str) -> tuple[DataFrame, list[int]]:
        batch, found = self.looked_at(batch, column, schema_id)
        return batch, sorted(map(int, found))


def _distinct(batch: DataFrame, *columns: Column) -> list[Any]:
    named = [column.alias(f"c{place}") for place, column in enumerate(columns)]
    return batch.select(*named).distinct().limit(DISTINCT_MAX).collect()


def schema_id(value: Column) -> Column:
    return F.conv(F.hex(F.substring(value, 2, 4)), 16, 10)
