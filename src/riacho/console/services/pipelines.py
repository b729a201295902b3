"""What runs on Spark beside a cluster: connectors and queries as pipelines, with the figures that their services tell.

How fast one reads is what came between two looks of the console: Spark's own figure of a connector is how fast its last
batch was, which an idle one keeps for ever, and of a query none is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from riacho.base.lru_cache import LruCache
from riacho.console.services.connect import Connect
from riacho.console.services.ksql import Ksql, Query
from riacho.console.services.links import link_address
from riacho.console.services.query_figures import figures_of
from riacho.web.errors import ApiError

CONNECTOR, QUERY = "connector", "query"
_FAILED = "FAILED"
_COUNTS_KEPT = 2_000
# Nearer looks say little: a micro-batch may take as long.
_APART_MS_MIN = 2_000
_PROBLEM_CHARACTERS_MAX = 1_000


class PipelineRow(msgspec.Struct):
    """What is not known is None."""

    # connector or query
    kind: str
    name: str
    type: str
    state: str | None
    # What it is at, where it has not begun.
    doing: str | None
    rows: int | None
    rows_per_s: float | None
    batch_ms: float | None
    lag: int | None
    state_rows: int | None
    state_bytes: int | None
    errors: int | None
    dead_letters: int | None
    updated_ms: int | None
    problem: str | None
    reads: list[str]
    writes: list[str]
    # The address of Spark's own pages, as its service tells it.
    spark_ui: str | None


class Running(NamedTuple):
    items: list[PipelineRow]
    # Why some may be missing.
    problems: list[str]
    # Kinds of which the last answer is shown, since there is no new one.
    stale: frozenset[str]


class _Count(msgspec.Struct):
    rows: int
    at_ms: int
    per_s: float | None


class Rates:
    """Of counters that are looked at now and then."""

    def __init__(self, clock_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000) -> None:
        self._clock_ms = clock_ms
        self._counts: LruCache[tuple[str, str], _Count] = LruCache(_COUNTS_KEPT)

    def of(self, kind: str, name: str, rows: int) -> float | None:
        """None at the first look, and where the counter began anew."""
        now_ms = self._clock_ms()
        before = self._counts.get((kind, name))
        if before is not None and now_ms - before.at_ms < _APART_MS_MIN:
            return before.per_s
        per_s = None
        if before is not None and rows >= before.rows:
            per_s = (rows - before.rows) * 1000 / (now_ms - before.at_ms)
        self._counts.put((kind, name), _Count(rows, now_ms, per_s))
        return per_s


class Pipelines:
    """Of one cluster."""

    def __init__(self, connect: Connect, ksql: Ksql) -> None:
        self._connect = connect
        self._ksql = ksql
        self._rates = Rates()

    @property
    def are_there(self) -> bool:
        return self._connect.is_there or self._ksql.is_there

    async def now(self) -> Running:
        """What cannot be asked is missing, and told as a problem."""
        problems: list[str] = []
        stale: set[str] = set()
        items = await self._connectors(problems) + await self._queries(problems, stale)
        return Running(items, problems, frozenset(stale))

    async def _connectors(self, problems: list[str]) -> list[PipelineRow]:
        if not self._connect.is_there:
            return []
        try:
            found = await self._connect.pipelines()
            known = (await self._connect.all.now()).value if any(each.get("trace") for each in found) else {}
        except ApiError as error:
            problems.append(error.message)
            return []
        rows = []
        for each in found:
            expanded = known.get(str(each.get("name")))
            trace = each.get("trace")
            if isinstance(trace, str) and expanded is not None:
                trace = (await self._connect.secrets(expanded.info.config)).without(trace)
            rows.append(_connector(each, trace if expanded is not None else None, self._rates))
        return rows

    async def _queries(self, problems: list[str], stale: set[str]) -> list[PipelineRow]:
        if not self._ksql.is_there:
            return []
        try:
            known = await self._ksql.queries.now()
        except ApiError as error:
            problems.append(error.message)
            return []
        if known.stale_reason is not None:
            problems.append(known.stale_reason)
            stale.add(QUERY)
        rates = self._rates if known.stale_reason is None else None
        return [_query(each, rates, known.as_of_ms) for each in known.value]


def _connector(told: dict[str, Any], trace: Any, rates: Rates) -> PipelineRow:
    is_sink = told.get("type") == "sink"
    topics = [str(each) for each in _dict(told.get("lag_by_topic"))]
    has_run = told.get("batch_id") is not None
    name, rows = str(told.get("name", "")), _integer(told.get("rows"))
    return PipelineRow(
        kind=CONNECTOR,
        name=name,
        type=str(told.get("type", "")),
        # A connector runs on while its tasks do not: as a pipeline it does not.
        state=_FAILED if _FAILED in _list(told.get("tasks")) else _text(told.get("state")),
        doing=_text(told.get("doing")),
        rows=rows,
        rows_per_s=None if rows is None else rates.of(CONNECTOR, name, rows),
        batch_ms=_number(told.get("batch_ms")),
        lag=_integer(told.get("lag")),
        state_rows=_integer(told.get("state_rows")) if has_run else None,
        state_bytes=_integer(told.get("state_bytes")) if has_run else None,
        errors=_integer(told.get("errors")),
        dead_letters=_integer(told.get("dead_letters")),
        updated_ms=_integer(told.get("updated_ms")),
        problem=_problem(trace),
        reads=topics if is_sink else [],
        writes=[] if is_sink else topics,
        spark_ui=link_address(told.get("spark_ui")),
    )


def _query(query: Query, rates: Rates | None, as_of_ms: int) -> PipelineRow:
    told = query.statistics
    figures = figures_of(query)
    rows = _integer(told.get("rows"))
    since_s = _number(told.get("secondsSinceLastBatch"))
    lag = told.get("lag")
    return PipelineRow(
        kind=QUERY,
        name=query.id,
        type=query.query_type.lower(),
        state=query.state,
        doing=None,
        rows=rows,
        rows_per_s=None if rows is None or rates is None else rates.of(QUERY, query.id, rows),
        batch_ms=_number(told.get("lastBatchMs")),
        lag=None if lag is None else _sum(number for each in _dict(lag).values() for number in _dict(each).values()),
        state_rows=figures.state_rows,
        state_bytes=figures.state_bytes,
        errors=len(query.query_errors) if told else None,
        dead_letters=None,
        updated_ms=None if since_s is None else as_of_ms - int(since_s * 1000),
        problem=_problem(query.query_errors[-1].get("errorMessage")) if query.query_errors else None,
        reads=query.sources,
        writes=query.sinks,
        spark_ui=figures.spark_ui,
    )


def _problem(text: Any) -> str | None:
    return text[:_PROBLEM_CHARACTERS_MAX] if isinstance(text, str) and text else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _sum(values: Iterable[Any]) -> int:
    return sum(_integer(value) or 0 for value in values)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
