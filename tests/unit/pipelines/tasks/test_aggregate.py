"""Groups without windows, over streams and over tables; and a table's own rows."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from riacho.pipelines.tasks.dropped import Reason
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec, WindowSpec
from riacho.pipelines.tasks.store import DictStore
from riacho.pipelines.tasks.task import open_task
from support.task_world import COUNT, LIST, TaskWorld, olds, row

STREAM = TaskSpec("aggregate", (COUNT,), emit_every_change=True)
TABLE = TaskSpec("aggregate", (COUNT, LIST), emit_every_change=True, is_over_table=True)
KEY = '{"K":"a"}'


def test_every_row_is_a_change_with_the_latest_time() -> None:
    world = TaskWorld(STREAM)
    assert world.emitted(row("a", 5), row("b", 7), row("a", 3)) == [("a", 1, 5), ("b", 1, 7), ("a", 2, 5)]
    assert world.emitted(row("a", 9)) == [("a", 3, 9)]


def test_the_first_change_of_a_stream_has_an_aggregate_before_it() -> None:
    changes = TaskWorld(STREAM).run(row("a", 1), row("a", 2))
    assert olds(changes) == [{"N": 0}, {"N": 1}]


def test_without_a_key_or_a_value_a_row_counts_for_nothing() -> None:
    world = TaskWorld(STREAM)
    assert world.run(row(None, 1), TaskRow(KEY, None, 1)) == []
    assert [each.reason for each in world.dropped] == [Reason.NULL_KEY, Reason.NULL_VALUE]
    assert str(world.dropped[0]) == "Skipping record due to null key."


def test_only_the_last_change_of_a_key_where_that_is_enough() -> None:
    world = TaskWorld(TaskSpec("aggregate", (COUNT,)))
    changes = world.run(row("a", 1), row("b", 1), row("a", 2))
    assert [(change.key, change.new, change.old) for change in changes] == [
        ('{"K": "b"}', '{"N":1}', '{"N":0}'),
        ('{"K": "a"}', '{"N":2}', '{"N":0}'),
    ]


def test_columns_are_carried_from_the_last_row() -> None:
    world = TaskWorld(TaskSpec("aggregate", (COUNT,), carried=("V",), emit_every_change=True))
    assert world.emitted(row("a", 1, "x"), row("a", 2, "y"))[-1] == ("a", {"V": "y", "N": 2}, 2)


def test_a_tables_old_value_is_taken_back_and_the_new_one_added_as_one_change() -> None:
    world = TaskWorld(TABLE)
    assert world.emitted(TaskRow(KEY, '{"V":1}', 5)) == [("a", {"N": 1, "L": [1]}, 5)]
    assert world.emitted(TaskRow(KEY, '{"V":2}', 4, undo='{"V":1}')) == [("a", {"N": 1, "L": [2]}, 5)]


def test_two_rows_of_one_record_and_group_are_one_change() -> None:
    world = TaskWorld(TABLE)
    world.run(TaskRow(KEY, '{"V":1}', 1, seq=1))
    undo, add = TaskRow(KEY, None, 2, seq=2, undo='{"V":1}'), TaskRow(KEY, '{"V":2}', 2, seq=2)
    assert world.emitted(undo, add) == [("a", {"N": 1, "L": [2]}, 2)]


def test_of_two_groups_the_undo_comes_first() -> None:
    world = TaskWorld(TABLE)
    world.run(TaskRow(KEY, '{"V":1}', 1))
    undo, add = TaskRow(KEY, None, 2, seq=1, undo='{"V":1}'), TaskRow('{"K":"b"}', '{"V":1}', 2, seq=1)
    assert world.emitted(undo, add) == [("a", {"N": 0, "L": []}, 2), ("b", {"N": 1, "L": [1]}, 2)]


def test_the_first_change_of_a_tables_group_has_nothing_before_it() -> None:
    changes = TaskWorld(TABLE).run(TaskRow(KEY, '{"V":1}', 1), TaskRow(KEY, None, 2, undo='{"V":1}'))
    assert olds(changes) == [None, {"N": 1, "L": [1]}]


def test_an_undo_of_a_group_that_nobody_knows_is_nothing() -> None:
    world = TaskWorld(TABLE)
    assert world.run(TaskRow(KEY, None, 2, undo='{"V":1}'), TaskRow(None, '{"V":1}', 2)) == []
    assert [each.reason for each in world.dropped] == [Reason.NULL_KEY]


def test_a_table_is_materialised_by_key() -> None:
    world = TaskWorld(TaskSpec("materialise", emit_every_change=True))
    changes = world.run(TaskRow(KEY, '{"V":1}', 5), TaskRow(KEY, '{"V":2}', 3), TaskRow(KEY, None, 9))
    assert [(change.old, change.new, change.time) for change in changes] == [
        (None, '{"V":1}', 5),
        ('{"V":1}', '{"V":2}', 3),
        ('{"V":2}', None, 9),
    ]
    assert [*world.store.items()] == []
    assert world.run(TaskRow(None, '{"V":1}', 5)) == []


def test_a_tombstone_of_an_unknown_key_is_a_change_too() -> None:
    world = TaskWorld(TaskSpec("materialise", emit_every_change=True))
    assert len(world.run(TaskRow(KEY, None, 5))) == 1


def test_keys_of_two_windows_are_two_keys() -> None:
    world = TaskWorld(TaskSpec("materialise", emit_every_change=True))
    rows = [TaskRow(KEY, '{"V":1}', 5, window_start=at, window_end=at + 10) for at in (0, 10, 0)]
    assert [change.old for change in world.run(*rows)] == [None, None, '{"V":1}']


def test_state_of_another_version_is_refused() -> None:
    world = TaskWorld(STREAM)
    world.store.put("g" + KEY, '["a9",1,[1],[]]')
    with pytest.raises(TaskError, match="another version: a9"):
        world.run(row("a", 1).__class__(KEY, '{"V":1}', 1))


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(TaskError, match="no task of kind join"):
        TaskWorld(TaskSpec("join")).run()


def test_an_aggregate_without_undo_is_refused_over_a_table() -> None:
    most = AggregateSpec("M", "MAX", ("V",), ("INTEGER",), "INTEGER")
    world = TaskWorld(TaskSpec("aggregate", (most,), is_over_table=True))
    with pytest.raises(TaskError, match="MAX cannot be applied to a table source"):
        world.run(TaskRow(KEY, '{"V":1}', 1), TaskRow(KEY, None, 2, undo='{"V":1}'))


@pytest.mark.parametrize("kind", ["aggregate", "table", "window", "session"])
def test_an_aggregate_that_was_added_begins_with_what_comes(kind: str) -> None:
    """As when a statement is put in another's place."""
    total = AggregateSpec("T", "SUM", ("A",), ("BIGINT",), "BIGINT")
    windows = {"window": WindowSpec("TUMBLING", 10, 10, 0, 10), "session": WindowSpec("SESSION", 10, 10, 0, 10)}
    spec = TaskSpec(
        "aggregate" if kind == "table" else kind, (COUNT,), window=windows.get(kind), is_over_table=kind == "table"
    )
    store = DictStore()
    found = []
    for each in (spec, replace(spec, aggregates=(COUNT, total))):
        found = list(open_task(each, store).run([TaskRow("k", '{"A":5}', 1)]))
    assert msgspec.json.decode(found[-1].new or "") == {COUNT.name: 2, "T": 5}
