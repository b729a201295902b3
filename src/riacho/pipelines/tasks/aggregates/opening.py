"""Aggregates by their names in SQL. Those of users (`functions/user.py`) are added by whoever runs a statement."""

from __future__ import annotations

from collections.abc import Callable

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.attr import Attr
from riacho.pipelines.tasks.aggregates.average import Average
from riacho.pipelines.tasks.aggregates.by_offset import EarliestByOffset, LatestByOffset
from riacho.pipelines.tasks.aggregates.collect import CollectList, CollectSet
from riacho.pipelines.tasks.aggregates.correlation import Correlation
from riacho.pipelines.tasks.aggregates.count import Count
from riacho.pipelines.tasks.aggregates.count_distinct import CountDistinct
from riacho.pipelines.tasks.aggregates.extremes import Maximum, Minimum
from riacho.pipelines.tasks.aggregates.histogram import Histogram
from riacho.pipelines.tasks.aggregates.standard_deviation import SampleDeviation, SampleVariance
from riacho.pipelines.tasks.aggregates.sum import DoubleSum, open_sum
from riacho.pipelines.tasks.aggregates.sum_list import SumList
from riacho.pipelines.tasks.aggregates.topk import TopK, TopKDistinct
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import AggregateSpec

AGGREGATES: dict[str, Callable[[AggregateSpec], Aggregate]] = {
    "ATTR": Attr,
    "AVG": Average,
    "COLLECT_LIST": CollectList,
    "COLLECT_SET": CollectSet,
    "CORRELATION": Correlation,
    "COUNT": Count,
    "COUNT_DISTINCT": CountDistinct,
    "EARLIEST_BY_OFFSET": EarliestByOffset,
    "HISTOGRAM": Histogram,
    "LATEST_BY_OFFSET": LatestByOffset,
    "MAX": Maximum,
    "MIN": Minimum,
    "STDDEV_SAMP": SampleVariance,
    "STDDEV_SAMPLE": SampleDeviation,
    "SUM": open_sum,
    "SUM_LIST": SumList,
    "TOPK": TopK,
    "TOPKDISTINCT": TopKDistinct,
}


def open_aggregate(spec: AggregateSpec) -> Aggregate:
    try:
        return AGGREGATES[spec.function](spec)
    except KeyError:
        raise TaskError(f"There is no aggregate {spec.function}.") from None


def can_undo(function: str) -> bool:
    """Whether it may stand over a table."""
    opened = AGGREGATES.get(function)
    if opened is open_sum:
        return DoubleSum.can_undo
    return isinstance(opened, type) and issubclass(opened, Aggregate) and opened.can_undo
