"""maxOffsetsPerTrigger: how far each partition goes in one micro-batch, shared by how much each has waiting."""

from __future__ import annotations

import math
from collections.abc import Mapping

from riacho.client.offsets import TopicPartition
from riacho.pipelines.source.positions import Offsets


def limited(start: Mapping[TopicPartition, int], latest: Mapping[TopicPartition, int], offsets_max: int) -> Offsets:
    """About `offsets_max` in all, as Spark's own connector counts: no waiting partition is left with nothing."""
    waiting = {key: end - start.get(key, 0) for key, end in latest.items() if end > start.get(key, 0)}
    total = sum(waiting.values())
    if not total:
        return dict(latest)
    return {key: _limited(key, end, start, waiting, total, offsets_max) for key, end in latest.items()}


def _limited(
    key: TopicPartition,
    end: int,
    start: Mapping[TopicPartition, int],
    waiting: Mapping[TopicPartition, int],
    total: int,
    offsets_max: int,
) -> int:
    if key not in waiting:
        return end
    share = offsets_max * (waiting[key] / total)
    return min(end, start.get(key, 0) + (math.ceil(share) if share < 1 else math.floor(share)))
