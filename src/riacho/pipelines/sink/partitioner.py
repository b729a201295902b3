"""Which partition each row goes to: the one its column names, the one of its key, or any.

Keys go where Java's producer sends them. Rows without a key go in runs to one partition after another, each long
enough to make a good batch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riacho.pipelines.formats.varint_columns import Integers
from riacho.pipelines.sink.columns import Columns
from riacho.pipelines.sink.encoded_batch import TopicPartition
from riacho.pipelines.sink.errors import SinkError
from riacho.pipelines.sink.murmur2 import murmur2

_RUN_ROWS_MIN = 512


class Partitioner:
    """`count_of` tells how many partitions a topic has, knowing the highest that rows ask for (-1 for none); `first` is
    where rows without a key begin."""

    def __init__(self, count_of: Callable[[str, int], int], topic: str | None, first: int = 0) -> None:
        self._count_of = count_of
        self._topic = topic
        self._next = first

    def partition(self, columns: Columns) -> tuple[list[TopicPartition], Integers]:
        """The partitions of all topics, and for each row which of them."""
        hashes = None if columns.keys is None else murmur2(columns.keys)
        names, codes = self._topics(columns)
        topic_partitions: list[TopicPartition] = []
        target = np.empty(columns.rows, np.int64)
        for code, topic in enumerate(names):
            rows = None if codes is None else np.flatnonzero(codes == code)
            wanted = columns.partitions if columns.partitions is None or rows is None else columns.partitions[rows]
            highest = -1 if wanted is None or not len(wanted) else int(wanted.max())
            count = self._count_of(topic, highest)
            if highest >= count:
                problem = f"A row asks for partition {highest} of topic '{topic}', which has {count} partitions."
                raise SinkError(problem)
            chosen = self._by_key(columns.keys, hashes, rows, columns.rows, count)
            if wanted is not None:
                chosen = np.where(wanted >= 0, wanted, chosen)
            if rows is None:
                target[:] = chosen
            else:
                target[rows] = chosen + len(topic_partitions)
            topic_partitions += [TopicPartition(topic, partition) for partition in range(count)]
        return topic_partitions, target

    def _topics(self, columns: Columns) -> tuple[list[str], Integers | None]:
        if columns.topics is None:
            assert self._topic is not None
            return [self._topic], None
        encoded = columns.topics.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        if len(names) == 1:
            return names, None
        return names, np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int64)

    def _by_key(
        self, keys: pa.BinaryArray | None, hashes: np.ndarray | None, rows: Integers | None, total: int, count: int
    ) -> Integers:
        if keys is None or hashes is None or keys.null_count == total:
            return self._runs(total if rows is None else len(rows), count)
        own = hashes if rows is None else hashes[rows]
        chosen = (own & np.uint32(0x7FFFFFFF)).astype(np.int64) % count
        if keys.null_count:
            is_null = np.asarray(pc.is_null(keys))
            is_null = is_null if rows is None else is_null[rows]
            chosen[is_null] = self._runs(int(is_null.sum()), count)
        return chosen

    def _runs(self, rows: int, count: int) -> Integers:
        runs = max(1, min(count, rows // _RUN_ROWS_MIN))
        first, self._next = self._next, (self._next + runs) % count
        return (first + np.arange(rows) * runs // max(rows, 1)) % count
