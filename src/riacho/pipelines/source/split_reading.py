"""What a worker does with one split: fetch, decode, hand over Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from riacho.base.errors import KafkaError
from riacho.pipelines.late_pandas import put_off_pandas
from riacho.pipelines.source.cluster_pool import cluster_pool
from riacho.pipelines.source.fetcher import Fetcher
from riacho.pipelines.source.offset_reader import SourceError, sentence
from riacho.pipelines.source.options import source_options
from riacho.pipelines.source.record_columns import record_batches
from riacho.pipelines.source.splits import OffsetRange
from riacho.pipelines.worker_heap import settle


def read_split(given: Mapping[str, str], wanted: OffsetRange, *, streaming: bool) -> Iterator[pa.RecordBatch]:
    put_off_pandas()
    settle("read")
    options = source_options(given, streaming=streaming)
    try:
        with cluster_pool.borrowed(given, options.client) as pooled:
            for answer in Fetcher(options, wanted, pooled).fetched():
                yield from record_batches(
                    answer.buffer,
                    answer.batches,
                    wanted.topic,
                    wanted.partition,
                    # A batch may begin before it: with offsets of another task, or with ones that were deleted.
                    start=answer.start,
                    end=wanted.end,
                    headers=options.include_headers,
                )
    except KafkaError as error:
        raise SourceError(sentence(error)) from None
