"""A streaming read: from where the last micro-batch ended to what there is by now, within the limits of the options.

Planning calls come from one process of the driver's machine that lives as long as the query; `read` runs in workers, on
a copy that has planned nothing. What a batch reads follows from its two offsets and the options alone (see `splits`): a
partition that is new in the end offset is read from 0, and if its log begins later than that, the difference is a loss.

A query that begins at the latest offsets has an empty first micro-batch: its end, which the checkpoint keeps, is where
the query began. Spark keeps no beginning: it asks for it again when that batch is repeated after a crash, and by then
`latest` has moved past records that the query must not miss.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)

from riacho.pipelines.source.offset_reader import OffsetReader
from riacho.pipelines.source.options import SourceOptions, source_options
from riacho.pipelines.source.positions import Offsets, from_json, to_json
from riacho.pipelines.source.splits import Split, limited, ranges, split
from riacho.pipelines.source.subscription import named

if TYPE_CHECKING:
    import pyarrow as pa

OffsetJson = dict[str, dict[str, int]]


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """It goes to the workers whole, so what is made from the options is made when the planner first needs it."""

    def __init__(self, options: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        self._given = dict(options)
        self._clock = clock
        self._offsets: OffsetReader | None = None
        self._starting: Offsets | None = None
        self._has_begun = False
        self._target: Offsets | None = None
        self._latest: Offsets | None = None
        self._triggered_s: float | None = None
        source_options(self._given, streaming=True)

    @property
    def options(self) -> SourceOptions:
        return source_options(self._given, streaming=True)

    @property
    def _reader(self) -> OffsetReader:
        if self._offsets is None:
            self._offsets = OffsetReader(self.options)
        return self._offsets

    # --- planning

    def initialOffset(self) -> OffsetJson:
        """Spark asks again for the first batch, after it has its end: `latest` must not have moved past that."""
        if self._starting is None:
            self._starting = self._reader.starting()
        return to_json(self._starting)

    def getDefaultReadLimit(self) -> ReadLimit:
        """No limit of Spark's is a minimum and a maximum at once: either means both, as the options say."""
        options = self.options
        if options.offsets_per_trigger_max is not None:
            return ReadMaxRows(options.offsets_per_trigger_max)
        if options.offsets_per_trigger_min is not None:
            return ReadMinRows(options.offsets_per_trigger_min)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = self._reader.latest()

    def latestOffset(self, start: OffsetJson, limit: ReadLimit) -> OffsetJson:
        begun = from_json(start)
        latest = self._latest = self._reader.latest() if self._target is None else self._target
        options = self.options
        if not self._has_begun:
            self._has_begun = True
            if begun == self._starting and options.starting_moves:
                return start
        if isinstance(limit, ReadAllAvailable):
            return to_json(latest)
        begun |= self._reader.earliest(set(latest) - set(begun))
        if self._must_wait(begun, latest, options):
            return start
        if isinstance(limit, ReadMaxRows) and limit.max_rows > 0:
            return to_json(limited(begun, latest, limit.max_rows))
        return to_json(latest)

    def _must_wait(self, start: Offsets, latest: Offsets, options: SourceOptions) -> bool:
        """Whether too little is there for minOffsetsPerTrigger. AvailableNow takes what there is, or would not end."""
        if options.offsets_per_trigger_min is None or self._target is not None:
            return False
        now = self._clock()
        is_due = self._triggered_s is None or (now - self._triggered_s) * 1000 >= options.trigger_delay_ms_max
        if not is_due and sum(latest[key] - start.get(key, 0) for key in latest) < options.offsets_per_trigger_min:
            return True
        self._triggered_s = now
        return False

    def reportLatestOffset(self) -> OffsetJson | None:
        return None if self._latest is None else to_json(self._latest)

    def partitions(self, start: OffsetJson, end: OffsetJson) -> list[InputPartition]:
        options = self.options
        begun, ended = from_json(start), from_json(end)
        if self._is_beginning(begun, ended, options):
            return []
        if options.fail_on_data_loss:
            _check_nothing_is_lost(begun, ended)
        wanted = ranges(begun, ended)
        return [Split(r) for r in split(wanted, options.partitions_min, options.records_per_partition_max)]

    def _is_beginning(self, start: Offsets, end: Offsets, options: SourceOptions) -> bool:
        """Whether this is the empty first batch, perhaps repeated, when the start is the latest of a later time."""
        if start != self._starting or not options.starting_moves:
            return False
        return all(offset <= start.get(key, -1) for key, offset in end.items())

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing: the checkpoint keeps the offsets, and this call comes a batch late, if at all."""

    def stop(self) -> None:
        if self._offsets is not None:
            self._offsets.close()

    # --- in a worker

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        # The planner, whose start a query waits for, reads nothing.
        from riacho.pipelines.source.split_reading import read_split

        assert isinstance(partition, Split)
        yield from read_split(self._given, partition.range, streaming=True)


def _check_nothing_is_lost(start: Offsets, end: Offsets) -> None:
    from riacho.pipelines.source.fetcher import LossError

    remedy = "set the option 'failOnDataLoss' to false to read on with what is left."
    gone = set(start) - set(end)
    if gone:
        raise LossError(f"Partitions {named(gone)} are gone, and with them what was not read; {remedy}")
    back = [key for key in start if end[key] < start[key]]
    if back:
        topic, partition = key = back[0]
        raise LossError(
            f"Partition {topic}-{partition} ends at offset {end[key]} but was read up to {start[key]}, "
            f"so it was deleted or cut in between; {remedy}"
        )
