"""Tasks against models: any cut into micro-batches gives the same, and windows, sessions and undo give what counting by
hand over all rows gives."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec
from riacho.pipelines.tasks.store import DictStore
from riacho.pipelines.tasks.task import open_task
from support.task_world import COUNT, LIST, short, window

LATEST = AggregateSpec("E", "LATEST_BY_OFFSET", ("V",), ("INTEGER",), "INTEGER")
SUM = AggregateSpec("S", "SUM", ("V",), ("INTEGER",), "INTEGER")
HISTOGRAM = AggregateSpec("H", "HISTOGRAM", ("T",), ("STRING",), "MAP<STRING, BIGINT>")
AVERAGE = AggregateSpec("A", "AVG", ("V",), ("INTEGER",), "DOUBLE")
ALL = (COUNT, LIST, LATEST, SUM, HISTOGRAM, AVERAGE)

rows = st.lists(
    st.builds(
        lambda key, time, value: TaskRow(
            json.dumps({"K": key}), json.dumps({"V": value, "T": str(value)}), time, seq=0
        ),
        st.sampled_from("abc"),
        st.integers(0, 60),
        st.one_of(st.none(), st.integers(-5, 5)),
    ),
    max_size=30,
)
specs = st.sampled_from(
    [
        TaskSpec("materialise"),
        TaskSpec("aggregate", ALL, carried=("V",)),
        TaskSpec("window", ALL, window=window("TUMBLING", 10, grace_ms=7)),
        TaskSpec("window", ALL, window=window("HOPPING", 10, grace_ms=7, advance_ms=3)),
        TaskSpec("window", ALL, window=window("TUMBLING", 10, grace_ms=7), emit_final=True),
        TaskSpec("window", ALL, window=window("HOPPING", 9, grace_ms=0, advance_ms=2), emit_final=True),
        TaskSpec("session", ALL, window=window("SESSION", 5, grace_ms=7)),
        TaskSpec("session", ALL, window=window("SESSION", 5, grace_ms=0), emit_final=True),
    ]
)


def run(spec: TaskSpec, batches: list[list[TaskRow]]) -> tuple[list[list[Change]], dict[str, str]]:
    store = DictStore()
    return [list(open_task(spec, store).run(batch)) for batch in batches], dict(store.items())


def cut(whole: list[TaskRow], cuts: set[int]) -> list[list[TaskRow]]:
    places = [0, *sorted(at for at in cuts if at <= len(whole)), len(whole)]
    return [whole[start:end] for start, end in pairwise(places)]


@given(specs, rows, st.sets(st.integers(0, 30)))
@settings(max_examples=300, deadline=None)
def test_any_cut_gives_the_same_changes_and_state(spec: TaskSpec, whole: list[TaskRow], cuts: set[int]) -> None:
    every = TaskSpec(spec.kind, spec.aggregates, spec.carried, spec.window, spec.emit_final, emit_every_change=True)
    at_once, state = run(every, [whole])
    in_parts, other_state = run(every, cut(whole, cuts))
    assert [change for batch in in_parts for change in batch] == at_once[0]
    assert other_state == state


@given(specs, rows, st.sets(st.integers(0, 30)))
@settings(max_examples=200, deadline=None)
def test_the_last_changes_give_the_same_table_and_state(spec: TaskSpec, whole: list[TaskRow], cuts: set[int]) -> None:
    every = TaskSpec(spec.kind, spec.aggregates, spec.carried, spec.window, spec.emit_final, emit_every_change=True)
    changes, state = run(every, [whole])
    fewer, other_state = run(spec, cut(whole, cuts))
    assert other_state == state
    assert table([change for batch in fewer for change in batch]) == table(changes[0])
    for batch in fewer:
        assert len({(each.key, each.window_start, each.window_end) for each in batch}) == len(batch)


def table(changes: list[Change]) -> dict[Any, Any]:
    kept: dict[Any, Any] = {}
    for change in changes:
        identity = (change.key, change.window_start, change.window_end)
        if change.new is None:
            kept.pop(identity, None)
        else:
            kept[identity] = (change.new, change.time)
    return kept


@given(rows, st.integers(1, 12), st.integers(1, 12), st.integers(0, 20), st.booleans())
@settings(max_examples=300, deadline=None)
def test_windows_are_those_of_a_model(
    whole: list[TaskRow], size: int, advance: int, grace: int, is_final: bool
) -> None:
    kind = window("HOPPING", size, grace, min(advance, size))
    spec = TaskSpec("window", (COUNT,), window=kind, emit_final=is_final, emit_every_change=True)
    counts: dict[tuple[str, int], list[int]] = {}
    expected: list[tuple[Any, ...]] = []
    closed: set[tuple[str, int]] = set()
    stream_time = -1
    for row in whole:
        stream_time = max(stream_time, row.time)
        key = json.loads(row.key or "")["K"]
        for start in range(0, row.time + 1, kind.advance_ms):
            if start + size > row.time and start + size + grace > stream_time:
                times = counts.setdefault((key, start), [])
                times.append(row.time)
                if not is_final:
                    expected.append((key, len(times), max(times), start, start + size))
        if is_final:
            for key, start in sorted(counts.keys() - closed, key=lambda each: (each[1], each[0])):
                if start + size + grace <= stream_time:
                    closed.add((key, start))
                    times = counts[key, start]
                    expected.append((key, len(times), max(times), start, start + size))
    assert [short(change) for change in run(spec, [whole])[0][0]] == expected


@given(rows, st.integers(1, 12), st.integers(0, 20))
@settings(max_examples=300, deadline=None)
def test_sessions_are_those_of_a_model(whole: list[TaskRow], gap: int, grace: int) -> None:
    """The model knows rows only: a session is what is left when rows are linked that are within the gap."""
    spec = TaskSpec("session", (COUNT,), window=window("SESSION", gap, grace), emit_every_change=True)
    taken: dict[str, list[int]] = defaultdict(list)
    expected: list[tuple[Any, ...]] = []
    stream_time = -1
    for row in whole:
        stream_time = max(stream_time, row.time)
        key = json.loads(row.key or "")["K"]
        # A session that is over takes no more rows, not even through one that is not late itself.
        alive = [each for each in linked(taken[key], gap) if each[-1] + gap + grace >= stream_time]
        taken[key] = [time for each in alive for time in each]
        before = linked(taken[key], gap)
        after = linked([*taken[key], row.time], gap)
        (session,) = [each for each in after if each[0] <= row.time <= each[-1]]
        if session[-1] + gap + grace < stream_time:
            continue
        gone = [each for each in before if each not in after]
        if (session[0], session[-1]) != (row.time, row.time):
            expected += [(key, None, each[-1], each[0], each[-1]) for each in gone]
        expected.append((key, len(session), session[-1], session[0], session[-1]))
        taken[key].append(row.time)
    assert [short(change) for change in run(spec, [whole])[0][0]] == expected


def linked(times: list[int], gap: int) -> list[list[int]]:
    sessions: list[list[int]] = []
    for time in sorted(times):
        if sessions and time - sessions[-1][-1] <= gap:
            sessions[-1].append(time)
        else:
            sessions.append([time])
    return sessions


updates = st.lists(
    st.tuples(st.sampled_from("xyz"), st.one_of(st.none(), st.tuples(st.sampled_from("ab"), st.integers(-5, 5)))),
    max_size=30,
)


@given(updates)
@settings(max_examples=200, deadline=None)
def test_undo_and_add_are_a_recomputation(changes: list[tuple[str, tuple[str, int] | None]]) -> None:
    """Of a table of rows (group, value) by key, grouped by group."""
    aggregates = (COUNT, SUM, HISTOGRAM, AVERAGE)
    spec = TaskSpec("aggregate", aggregates, emit_every_change=True, is_over_table=True)
    kept: dict[str, tuple[str, int]] = {}
    fed: list[TaskRow] = []
    seen: set[str] = set()
    for seq, (key, new) in enumerate(changes):
        old = kept.get(key)
        if old is not None:
            fed.append(TaskRow(json.dumps({"K": old[0]}), None, seq, seq, undo=columns(old[1])))
        if new is None:
            kept.pop(key, None)
        else:
            kept[key] = new
            seen.add(new[0])
            fed.append(TaskRow(json.dumps({"K": new[0]}), columns(new[1]), seq, seq))
    last = {json.loads(change.key)["K"]: json.loads(change.new or "") for change in run(spec, [fed])[0][0]}
    assert last.keys() == seen
    for group, result in last.items():
        values = [value for other, value in kept.values() if other == group]
        texts = [str(value) for value in values]
        assert result == {
            "N": len(values),
            "S": sum(values),
            "H": {text: texts.count(text) for text in texts},
            "A": sum(values) / len(values) if values else 0.0,
        }


def columns(value: int) -> str:
    return json.dumps({"V": value, "T": str(value)})
