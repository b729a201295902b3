"""A run of a connector begins again when Spark has not waited for a Python worker, and only then."""

from __future__ import annotations

import io
import json
import threading
from typing import Any

import pytest

from riacho.pipelines.connect.protocol import Settings, Start
from riacho.pipelines.connect.runner import hosted
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark_child.events import Events

LATE = RuntimeError("java.net.SocketTimeoutException: Timed out while waiting for the Python worker to connect back")
START = Start(
    name="orders", generation=1, type="sink", configs={"connection.password": "hunter2"}, checkpoint="/nowhere"
)


def told(monkeypatch: pytest.MonkeyPatch, *errors: Exception) -> list[dict[str, Any]]:
    """The events of a run whose beginnings raise these, one after another."""
    left = list(errors)

    def fails(start: Start, settings: Settings) -> None:
        raise left.pop(0)

    def no_session() -> Any:
        raise AssertionError("Spark is not needed for this")

    monkeypatch.setattr(hosted.QueryPlan, "of", fails)
    stream = io.BytesIO()
    settings = Settings(bootstrap_servers="127.0.0.1:1")
    run = hosted.Hosted(START, settings, no_session, threading.Lock(), Events(stream))
    run.begin()
    run.join(60)
    assert run.is_over
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_late_worker_is_given_another_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    events = told(monkeypatch, LATE, LATE, ConnectError("The database said no to hunter2."))
    assert [each["event"] for each in events] == ["log", "log", "failed"]
    assert (events[-1]["trace"], events[-1]["task"]) == ("The database said no to [hidden].", None)


def test_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    events = told(monkeypatch, *[LATE] * (hosted.LATE_MAX + 1))
    assert [each["event"] for each in events] == ["log"] * hosted.LATE_MAX + ["failed"]
    assert "connect back" in events[-1]["trace"].splitlines()[0]


def test_any_other_failure_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    (event,) = told(monkeypatch, ConnectError("The file is gone."))
    assert (event["event"], event["trace"]) == ("failed", "The file is gone.")
