"""What the command line's producers are set to, and that users have the last word."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.cli import librdkafka_client
from riacho.cli.librdkafka_client import make_producer
from riacho.cli.target import Target


def made_with(monkeypatch: pytest.MonkeyPatch, target: Target) -> dict[str, Any]:
    given: dict[str, Any] = {}
    monkeypatch.setattr(librdkafka_client, "make_client", lambda kind, config, unknown: given.update(config))
    make_producer(target)
    return given


def test_a_topic_that_is_not_there_is_told_before_the_user_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made_with(monkeypatch, Target("127.0.0.1:9092"))["topic.metadata.propagation.max.ms"] == 5_000


def test_what_the_user_sets_goes_before(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target("127.0.0.1:9092", {"topic.metadata.propagation.max.ms": "1000", "linger.ms": "50"})
    given = made_with(monkeypatch, target)
    assert (given["topic.metadata.propagation.max.ms"], given["linger.ms"]) == ("1000", "50")
