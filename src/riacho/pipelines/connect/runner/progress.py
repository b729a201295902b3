"""Figures of a batch, from what Spark says about it, in Connect's terms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from riacho.pipelines.connect.protocol import Progress, Start
from riacho.pipelines.plugin import SourceOffset


def has_moved(progress: Mapping[str, Any], is_counted: bool) -> bool:
    """Whether a batch has read something. On Spark Connect a batch of foreachBatch has no rows by its figures, as they
    are not `is_counted`; there its offsets tell."""
    if progress.get("numInputRows") or is_counted:
        return bool(progress.get("numInputRows"))
    return _offset(progress, "startOffset") != end_offset(progress)


def figures(
    start: Start, progress: Mapping[str, Any], rows: int, offsets: Iterable[SourceOffset], topics: Iterable[str]
) -> Progress:
    """`topics` are those that a source has written; a sink's are in its offsets."""
    return Progress(
        start.name,
        start.generation,
        batch_id=progress["batchId"],
        rows=rows,
        rows_per_second=round(float(progress.get("processedRowsPerSecond") or 0.0), 1),
        batch_ms=(progress.get("durationMs") or {}).get("triggerExecution", 0),
        lag=lag(progress),
        state_rows=state_rows(progress),
        state_bytes=state_bytes(progress),
        topics=tuple(sorted(topics)),
        offsets=tuple(offsets),
    )


def state_rows(progress: Mapping[str, Any]) -> int:
    return sum(each.get("numRowsTotal", 0) for each in progress.get("stateOperators") or [])


def state_bytes(progress: Mapping[str, Any]) -> int | None:
    """Of state in memory and, where RocksDB has it, in its files; None where Spark tells neither, and 0 where there is
    no state."""
    sizes: list[int] = []
    operators = progress.get("stateOperators") or []
    for each in operators:
        metrics = each.get("customMetrics") or {}
        found = (each.get("memoryUsedBytes"), metrics.get("rocksdbSstFileSize"))
        # -1 is a figure that a store does not have.
        sizes += [size for size in found if isinstance(size, int) and size >= 0]
    return sum(sizes) if sizes or not operators else None


def end_offset(progress: Mapping[str, Any]) -> dict[str, Any]:
    return _offset(progress, "endOffset")


def sink_offsets(end: Mapping[str, Any]) -> list[SourceOffset]:
    """Those of topics: the next offset to be read of each partition."""
    return [
        SourceOffset({"kafka_topic": topic, "kafka_partition": int(partition)}, {"kafka_offset": offset})
        for topic, partitions in sorted(end.items())
        if isinstance(partitions, Mapping)
        for partition, offset in sorted(partitions.items(), key=lambda each: int(each[0]))
    ]


def lag(progress: Mapping[str, Any]) -> dict[str, dict[str, int]] | None:
    """Records not yet read, by topic and partition; None where the source has no such offsets."""
    end, latest = _offset(progress, "endOffset"), _offset(progress, "latestOffset")
    found: dict[str, dict[str, int]] = {}
    for topic, partitions in latest.items():
        reached = end.get(topic)
        if not isinstance(partitions, Mapping) or not isinstance(reached, Mapping):
            return None
        found[topic] = {number: max(0, last - reached.get(number, last)) for number, last in partitions.items()}
    return found or None


def _offset(progress: Mapping[str, Any], which: str) -> dict[str, Any]:
    """Spark gives offsets as JSON, as the text of JSON, or not at all."""
    sources = progress.get("sources") or []
    offset = sources[0].get(which) if sources else None
    if isinstance(offset, str):
        try:
            offset = json.loads(offset)
        except ValueError:
            return {}
    return dict(offset) if isinstance(offset, Mapping) else {}
