"""Reports of batches, here and through a file; and retries of what may pass."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from riacho.pipelines.connect.runner.micro_batch import reported
from riacho.pipelines.connect.runner.reports import Report, Reports
from riacho.pipelines.connect.runner.retries import retried
from riacho.pipelines.errors.policy import ErrorPolicy
from riacho.pipelines.plugin import ConnectError, RetriableError


def test_reports_are_taken_once(tmp_path: Path) -> None:
    reports = Reports(str(tmp_path / "reports.jsonl"))
    reports.add(Report(0, bad=2))
    assert reports.take() == [Report(0, bad=2)]
    assert reports.take() == []


def test_a_function_that_was_sent_away_reports_through_a_file(tmp_path: Path) -> None:
    here = Reports(str(tmp_path / "deep" / "reports.jsonl"))
    away = pickle.loads(pickle.dumps(here))
    away.add(Report(0, bad=1, log=["a line"]))
    assert [(each.batch_id, each.bad, list(each.log)) for each in here.take()] == [(0, 1, ["a line"])]
    away.add(Report(1))
    assert [each.batch_id for each in here.take()] == [1]
    here.clear()
    assert Reports(str(tmp_path / "deep" / "reports.jsonl")).take() == []


def test_a_failure_is_reported_and_raised_in_one_sentence_without_secrets(tmp_path: Path) -> None:
    reports = Reports(str(tmp_path / "reports.jsonl"))
    with pytest.raises(ConnectError, match=r"^cannot log in with \[hidden\]$"), reported(reports, 5, ("hunter2",)):
        raise ConnectError("cannot log in with hunter2")
    (report,) = reports.take()
    assert report.batch_id == 5
    assert (report.failure or "").startswith("cannot log in with [hidden]")


class Failing:
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.tries = 0

    def __call__(self) -> str:
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def test_what_may_pass_is_tried_again_with_growing_waits() -> None:
    waits: list[float] = []
    action = Failing(RetriableError("away"), ConnectionRefusedError("refused"))
    assert retried(action, ErrorPolicy(retry_timeout_ms=10_000), waits.append) == "done"
    assert (waits, action.tries) == ([0.3, 0.6], 3)


def test_what_stays_is_raised_at_once_and_so_is_anything_without_a_timeout() -> None:
    broken = Failing(ConnectError("no such table"))
    with pytest.raises(ConnectError):
        retried(broken, ErrorPolicy(retry_timeout_ms=10_000), lambda _: None)
    assert broken.tries == 1
    away = Failing(RetriableError("away"))
    with pytest.raises(RetriableError):
        retried(away, ErrorPolicy(), lambda _: None)
    assert away.tries == 1


def test_the_last_try_gives_its_error() -> None:
    away = Failing(*(RetriableError(f"away {n}") for n in range(9)))
    with pytest.raises(RetriableError, match="away 2"):
        retried(away, ErrorPolicy(retry_timeout_ms=500), lambda _: None)
