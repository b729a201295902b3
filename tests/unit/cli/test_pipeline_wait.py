"""When a pipeline has caught up: not by one batch that left nothing; and how it is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import click
import pytest

from riacho.cli import pipeline_wait as module
from riacho.cli.connect_client import ConnectClient
from riacho.cli.pipeline_wait import SETTLED_S, CaughtUp, wait_until_read


def batch(number: int | None, lag: int | None) -> dict[str, object]:
    return {"batch_id": number, "lag": lag}


def test_a_batch_that_left_nothing_and_none_after_it() -> None:
    caught_up = CaughtUp()
    assert not caught_up.is_so(batch(7, 0), 10.0)
    assert not caught_up.is_so(batch(7, 0), 10.0 + SETTLED_S - 0.1)
    assert caught_up.is_so(batch(7, 0), 10.0 + SETTLED_S)


def test_another_batch_begins_the_wait_anew() -> None:
    caught_up = CaughtUp()
    assert not caught_up.is_so(batch(7, 0), 10.0)
    assert not caught_up.is_so(batch(8, 0), 12.0)
    assert not caught_up.is_so(batch(8, 0), 10.0 + SETTLED_S)
    assert caught_up.is_so(batch(8, 0), 12.0 + SETTLED_S)


def test_lag_or_no_batch_is_no_end() -> None:
    caught_up = CaughtUp()
    for second in range(100):
        assert not caught_up.is_so(batch(None, None), float(second))
        assert not caught_up.is_so(batch(3, 5), float(second))


def test_a_source_that_tells_no_lag_ends_when_it_rests() -> None:
    caught_up = CaughtUp()
    assert not caught_up.is_so(batch(3, None), 0.0)
    assert caught_up.is_so(batch(3, None), SETTLED_S)


class Worker:
    """Answers with one picture after the other, then the last; its clock goes on by a second with each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *found: dict[str, object]) -> None:
        self._found = list(found)
        self._now_s = 100.0
        self.shown: list[tuple[int, int | None]] = []
        monkeypatch.setattr(module, "time", self)
        monkeypatch.setattr(module, "progress", self._progress)

    def wait(self, timeout_s: float | None = None) -> int:
        return wait_until_read(cast("ConnectClient", self), "lines", timeout_s)

    def pipeline(self, name: str) -> dict[str, object]:
        assert name == "lines"
        return self._found.pop(0) if len(self._found) > 1 else self._found[0]

    def reach(self, done: int, total: int | None) -> None:
        self.shown.append((done, total))

    def monotonic(self) -> float:
        return self._now_s

    def sleep(self, seconds: float) -> None:
        self._now_s += 1

    @contextmanager
    def _progress(self, about: str, total: int | None) -> Iterator[Worker]:
        assert (about, total) == ("lines reads", None)
        yield self


def picture(rows: int, number: int | None, lag: int | None, state: str = "RUNNING") -> dict[str, object]:
    return batch(number, lag) | {"rows": rows, "state": state, "tasks": [state]}


def test_it_waits_until_all_is_read_and_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(
        monkeypatch, picture(0, None, None, "UNASSIGNED"), picture(0, None, None), picture(400, 1, 600),
        picture(1_000, 2, 0), picture(1_200, 3, 0),
    )  # fmt: skip
    assert worker.wait() == 1_200
    assert list(dict.fromkeys(worker.shown)) == [(0, None), (400, 1_000), (1_000, 1_000), (1_200, 1_200)]
    assert worker.shown.count((1_200, 1_200)) == SETTLED_S + 1


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (picture(400, 1, 600), "lines has not caught up after 5 s: 600 records to go."),
        (picture(0, None, None), "lines has not caught up after 5 s: its first batch is not done."),
    ],
)
def test_it_waits_no_longer_than_it_is_told(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, object], told: str
) -> None:
    worker = Worker(monkeypatch, found)
    with pytest.raises(click.ClickException) as refused:
        worker.wait(5)
    assert refused.value.message == told
    assert len(worker.shown) == 7


@pytest.mark.parametrize("state", ["FAILED", "PAUSED", "STOPPED"])
def test_what_does_not_run_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    worker = Worker(monkeypatch, picture(400, 1, 600), picture(400, 1, 600, state))
    with pytest.raises(click.ClickException) as refused:
        worker.wait()
    assert refused.value.message == f"lines is {state}; it reads nothing."
