"""Pipelines over time: rates between steps, gaps where nothing is known, so many and no more."""

from __future__ import annotations

from typing import Any

from riacho.console.history.measuring import BROKERS_MAX, GROUPS_MAX, TOPICS_MAX
from riacho.console.history.pipeline_series import PIPELINES_MAX, SERIES_EACH, PipelineSeries
from riacho.console.history.ring import SERIES_MAX
from riacho.console.services.pipelines import CONNECTOR, QUERY, PipelineRow, Running

# Of the cluster as a whole, and what is summed of topics and groups that are not followed.
_WHOLE_MAX = 30


def row(name: str, rows: int | None = 0, kind: str = CONNECTOR, **more: Any) -> PipelineRow:
    given = {"batch_ms": 40.0, "lag": 7, "state_rows": 3, "state_bytes": 4096, "state": "RUNNING"} | more
    return PipelineRow(
        kind=kind, name=name, type="sink", doing=None, rows=rows, rows_per_s=None, errors=0, dead_letters=0,
        updated_ms=1, problem=None, reads=[], writes=[], spark_ui=None, **given
    )  # fmt: skip


def running(*rows: PipelineRow, stale: frozenset[str] = frozenset()) -> Running:
    return Running(list(rows), [], stale)


def rate(name: str, kind: str = CONNECTOR) -> str:
    return f'pipeline_rows_per_s{{kind="{kind}",name="{name}"}}'


def test_the_rate_is_of_the_time_between_steps() -> None:
    kept = PipelineSeries()
    assert kept.step(running(row("a", 100)), now_ms=10_000)[rate("a")] is None
    assert kept.step(running(row("a", 350)), now_ms=20_000)[rate("a")] == 25.0
    assert kept.step(running(row("a", 350)), now_ms=30_000)[rate("a")] == 0.0
    # A worker that has started again counts from the beginning.
    assert kept.step(running(row("a", 20)), now_ms=40_000)[rate("a")] is None
    assert kept.step(running(row("a", 40)), now_ms=50_000)[rate("a")] == 2.0


def test_a_step_that_told_nothing_is_a_gap_and_not_a_rate_over_it() -> None:
    kept = PipelineSeries()
    kept.step(running(row("a", 100)), now_ms=10_000)
    assert kept.step(running(), now_ms=20_000) == {}
    assert kept.step(running(row("a", 900)), now_ms=30_000)[rate("a")] is None


def test_of_one_that_rests_latency_and_lag_are_not_known() -> None:
    kept = PipelineSeries()
    found = kept.step(running(row("a", 5, state="PAUSED"), row("b", None, state_rows=None)), now_ms=10_000)
    labels = 'kind="connector",name="a"'
    assert found[f"pipeline_batch_ms{{{labels}}}"] is None
    assert found[f"pipeline_lag{{{labels}}}"] is None
    assert found[f"pipeline_state_rows{{{labels}}}"] == 3
    assert found[f"pipeline_state_bytes{{{labels}}}"] == 4096
    assert found[rate("b")] is None


def test_an_answer_that_is_old_is_not_kept_again() -> None:
    kept = PipelineSeries()
    rows = (row("a", 1), row("q", 1, QUERY))
    found = kept.step(running(*rows, stale=frozenset({QUERY})), now_ms=10_000)
    assert rate("a") in found
    assert rate("q", QUERY) not in found


def test_a_connector_and_a_query_of_one_name_are_two() -> None:
    kept = PipelineSeries()
    kept.step(running(row("a", 0), row("a", 0, QUERY)), now_ms=0)
    found = kept.step(running(row("a", 10), row("a", 20, QUERY)), now_ms=1_000)
    assert (found[rate("a")], found[rate("a", QUERY)]) == (10.0, 20.0)


def test_the_busiest_are_followed_and_no_more() -> None:
    kept = PipelineSeries()
    names = [f"p{number}" for number in range(PIPELINES_MAX * 2)]
    kept.step(running(*(row(name, 0) for name in names)), now_ms=0)
    busy = {name: number * 1_000 for number, name in enumerate(names)}
    for step in range(1, 30):
        found = kept.step(running(*(row(name, busy[name] * step) for name in names)), now_ms=step * 10_000)
    assert len(found) == PIPELINES_MAX * SERIES_EACH
    assert rate(names[-1]) in found
    assert rate(names[0]) not in found


def test_everything_that_may_be_followed_has_room_in_the_ring() -> None:
    most = TOPICS_MAX * 4 + GROUPS_MAX + BROKERS_MAX * 4 + PIPELINES_MAX * SERIES_EACH + _WHOLE_MAX
    assert most <= SERIES_MAX
