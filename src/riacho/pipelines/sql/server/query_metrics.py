"""What the server tells Prometheus of its queries, by their ids, of which there is a bounded number."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from riacho.base.metrics import header, sample
from riacho.pipelines.sql.server.query_supervisor import Job, QuerySupervisor
from riacho.pipelines.sql.serving.push import PushQueries

_Figure = Callable[[Job], float | None]
_FIGURES: tuple[tuple[str, str, str, _Figure], ...] = (
    ("riacho_ksql_query_rows_total", "counter", "Records that the query has read.", lambda job: job.rows),
    ("riacho_ksql_query_dropped_total", "counter", "Records that the query left out.", lambda job: job.dropped),
    ("riacho_ksql_query_failures_total", "counter", "How often the query failed.", lambda job: job.failed),
    ("riacho_ksql_query_lag_records", "gauge", "Records that the query has not read yet.", lambda job: _lag(job)),
    (
        "riacho_ksql_query_batch_milliseconds",
        "gauge",
        "How long its last micro-batch took.",
        lambda job: None if job.progress is None else job.progress.batch_ms,
    ),
    (
        "riacho_ksql_query_state_rows",
        "gauge",
        "Rows of its state.",
        lambda job: None if job.progress is None else job.progress.state_rows,
    ),
    (
        "riacho_ksql_query_state_bytes",
        "gauge",
        "How large its state is, in memory and in RocksDB's files.",
        lambda job: None if job.progress is None else job.progress.state_bytes,
    ),
)


def query_metrics(supervisor: QuerySupervisor, push: PushQueries) -> Iterable[str]:
    jobs = sorted(supervisor.jobs.items())
    yield header("riacho_ksql_push_queries", "gauge", "Push queries that are open.")
    yield sample("riacho_ksql_push_queries", len(push.open), {})
    yield header("riacho_ksql_query_state", "gauge", "1 for the state that a query is in.")
    for query_id, job in jobs:
        yield sample("riacho_ksql_query_state", 1, {"query": query_id, "state": job.status})
    for name, kind, about, figure in _FIGURES:
        yield header(name, kind, about)
        for query_id, job in jobs:
            value = figure(job)
            if value is not None:
                yield sample(name, value, {"query": query_id})


def _lag(job: Job) -> int | None:
    if job.progress is None or job.progress.lag is None:
        return None
    return sum(lag for topic in job.progress.lag.values() for lag in topic.values())
