"""Where a sink connector begins to read when its checkpoint is new: offsets of a worker, or its consumer's reset."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from riacho.pipelines.plugin import ConnectError, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NUMBERS = {"latest": -1, "earliest": -2}
Partitions = Iterable[tuple[str, int]]


def starting_offsets(offsets: Sequence[SourceOffset], reset: str, partitions: Partitions) -> str:
    """For the option of that name, which wants every partition: those that nobody names begin at `reset`."""
    chosen: dict[str, dict[str, int]] = {}
    for topic, partition in partitions:
        chosen.setdefault(topic, {})[str(partition)] = _NUMBERS[reset]
    for each in offsets:
        name, number = each.partition.get("kafka_topic"), each.partition.get("kafka_partition")
        offset = None if each.offset is None else each.offset.get("kafka_offset")
        if not isinstance(name, str) or number is None:
            raise ConnectError("An offset of a sink connector needs kafka_topic and kafka_partition.")
        # One of a topic that the connector no longer reads, or that is gone, has nothing to say.
        if str(int(number)) in chosen.get(name, {}) and offset is not None:
            chosen[name][str(int(number))] = int(offset)
    return json.dumps(chosen)


def partitions_of(topics: Mapping[str, Iterable[int]], subscription: Mapping[str, str]) -> list[tuple[str, int]]:
    """Every partition that is there of what is subscribed."""
    names = subscription.get("subscribe", "").split(",")
    pattern = subscription.get("subscribePattern")
    wanted = [name for name in topics if (re.fullmatch(pattern, name) if pattern else name in names)]
    return [(name, partition) for name in sorted(wanted) for partition in sorted(topics[name])]


def is_new(spark: SparkSession, checkpoint: str) -> bool:
    """Whether no batch of it was ever planned. Where that cannot be seen (Spark Connect) it is taken to be old."""
    try:
        jvm, context = cast(Any, spark)._jvm, cast(Any, spark)._jsc
        path = jvm.org.apache.hadoop.fs.Path(f"{checkpoint.rstrip('/')}/offsets/0")
        return not path.getFileSystem(context.hadoopConfiguration()).exists(path)
    except Exception:  # a session of Spark Connect has neither, and says so in several ways
        from pathlib import Path

        local = checkpoint.removeprefix("file://")
        return "://" not in local and not any(Path(local).glob("offsets/[0-9]*"))
