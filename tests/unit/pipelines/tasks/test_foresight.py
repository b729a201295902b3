"""What a task is said to ask for is what it asks for first."""

from __future__ import annotations

import pytest

from riacho.pipelines.tasks.foresight import place_of
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec, WindowSpec
from riacho.pipelines.tasks.store import DictStore
from riacho.pipelines.tasks.task import open_task

COUNT = (AggregateSpec("N", "COUNT", (), (), "BIGINT"),)


class Watched(DictStore):
    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, key: str) -> str | None:
        self.asked.add(key)
        return super().get(key)


@pytest.mark.parametrize(
    "spec",
    [
        TaskSpec("aggregate", COUNT),
        TaskSpec("aggregate", COUNT, is_over_table=True),
        TaskSpec("materialise"),
        TaskSpec("session", COUNT, window=WindowSpec("SESSION", 10, 10, 0, 100)),
    ],
    ids=lambda spec: f"{spec.kind}{' of a table' if spec.is_over_table else ''}",
)
def test_a_task_asks_for_what_was_foreseen(spec: TaskSpec) -> None:
    store = Watched()
    rows = [TaskRow(key=f'{{"K":{n}}}', row="{}", time=n, seq=n, partition=0, offset=n) for n in range(5)]
    list(open_task(spec, store).run(rows))
    assert {place_of(spec, row) for row in rows} <= store.asked


def test_nothing_is_foreseen_of_rows_without_a_key_and_of_windows() -> None:
    row = TaskRow(key=None, row="{}", time=0, seq=0, partition=0, offset=0)
    assert place_of(TaskSpec("aggregate", COUNT), row) is None
    assert place_of(TaskSpec("window", COUNT), row._replace(key="{}")) is None
