"""A batch read: both ends are fixed when it is planned, then each split is read by a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from riacho.pipelines.source.offset_reader import OffsetReader
from riacho.pipelines.source.options import source_options
from riacho.pipelines.source.split_reading import read_split
from riacho.pipelines.source.splits import Split, ranges, split


class BatchReader(DataSourceReader):
    """It goes to the workers whole, so it keeps the options as they were given and nothing made from them."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._given = dict(options)
        source_options(self._given, streaming=False)

    def partitions(self) -> list[InputPartition]:
        options = source_options(self._given, streaming=False)
        reader = OffsetReader(options)
        try:
            start, end = reader.starting_and_ending()
        finally:
            reader.close()
        wanted = ranges(start, end)
        return [Split(r) for r in split(wanted, options.partitions_min, options.records_per_partition_max)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        # With nothing to read Spark still plans one task, with a partition that is none of ours.
        if isinstance(partition, Split):
            yield from read_split(self._given, partition.range, streaming=False)
