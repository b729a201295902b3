"""A streaming source of one row now and then, for work that goes by the clock. The moment is part of the offset."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

FORMAT = "riacho_ticks"
INTERVAL = "interval.ms"


class TickDataSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        from pyspark.sql.types import LongType, StructField, StructType

        return StructType([StructField("at_ms", LongType())])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return TickStreamReader(int(self.options[INTERVAL]))


class Tick(InputPartition):
    def __init__(self, at_ms: int) -> None:
        self.at_ms = at_ms


class TickStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, interval_ms: int) -> None:
        self._interval_s = interval_ms / 1000
        self._ticked_at: float | None = None
        self._is_now = False

    def initialOffset(self) -> dict[str, Any]:
        return {"at_ms": 0}

    def prepareForTriggerAvailableNow(self) -> None:
        self._is_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        now = time.monotonic()
        if self._ticked_at is not None and (self._is_now or now - self._ticked_at < self._interval_s):
            return start
        self._ticked_at = now
        # Offsets must differ, even where the clock was set back.
        return {"at_ms": max(time.time_ns() // 1_000_000, int(start["at_ms"]) + 1)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [Tick(int(end["at_ms"]))] if end != start else []

    def read(self, partition: InputPartition) -> Iterator[tuple[int]]:
        assert isinstance(partition, Tick)
        yield (partition.at_ms,)
