"""Made-up records as a streaming source of Spark: an offset is how many each task has made, and time moves it on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from riacho.pipelines.connectors.datagen.schema import record_at, record_recipe

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

FORMAT = "riacho_datagen"
# Rows in one Arrow batch, and what one task makes in a micro-batch when nothing holds it back.
_CHUNK = 1_000
_AT_ONCE = 10_000


def value_schema(schema_text: str) -> StructType:
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    made, _ = record_recipe(schema_text)
    return StructType([StructField("value", from_arrow_type(made.arrow()))])


class DatagenDataSource(DataSource):
    """Options: `schema`, `seed`, `tasks`, `interval.ms` (the longest wait between records), `iterations`, `start`."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return value_schema(self.options["schema"])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return DatagenStreamReader({str(name): str(value) for name, value in self.options.items()})


class Share(InputPartition):
    """Records [first, last) of one task."""

    def __init__(self, task: int, first: int, last: int) -> None:
        self.task = task
        self.first = first
        self.last = last


class DatagenStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, options: dict[str, str]) -> None:
        self._schema = options["schema"]
        self._seed = options["seed"]
        self._tasks = int(options["tasks"])
        self._interval_s = int(options["interval.ms"]) / 1000
        self._iterations = int(options["iterations"])
        self._start: dict[str, Any] = json.loads(options.get("start", "{}"))
        self._began: tuple[float, dict[str, int]] | None = None
        self._is_now = False
        self._gave_now = False

    def initialOffset(self) -> dict[str, Any]:
        return {str(task): int(self._start.get(str(task), 0)) for task in range(self._tasks)}

    def prepareForTriggerAvailableNow(self) -> None:
        self._is_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        now = time.monotonic()
        if self._began is None:
            self._began = (now, dict(start))
        made = {str(task): int(start.get(str(task), 0)) for task in range(self._tasks)}
        if self._is_now and self._iterations < 0 and self._gave_now:
            return made
        self._gave_now = True
        return {task: self._bounded(self._due(task, done, now)) for task, done in made.items()}

    def _due(self, task: str, done: int, now: float) -> int:
        """Waits are drawn evenly up to the longest, so on average they take half of it."""
        assert self._began is not None
        began, first = self._began
        if self._interval_s <= 0 or (self._is_now and self._iterations >= 0):
            return done + _AT_ONCE
        due = int(first.get(task, 0)) + 1 + int((now - began) / (self._interval_s / 2))
        return max(done, min(due, done + _AT_ONCE))

    def _bounded(self, count: int) -> int:
        return count if self._iterations < 0 else min(count, self._iterations)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [
            Share(int(task), int(start.get(task, 0)), int(last))
            for task, last in end.items()
            if int(last) > int(start.get(task, 0))
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        assert isinstance(partition, Share)
        made, _ = record_recipe(self._schema)
        kind = made.arrow()
        for first in range(partition.first, partition.last, _CHUNK):
            indexes = range(first, min(first + _CHUNK, partition.last))
            rows = [record_at(made, self._seed, partition.task, index) for index in indexes]
            yield pa.RecordBatch.from_arrays([pa.array(rows, kind)], ["value"])
