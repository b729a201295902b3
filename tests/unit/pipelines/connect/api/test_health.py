"""`/health` (KIP-1017) of a worker that loses its brokers and finds them again; and how it waits for them at first."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.pipelines.connect import brokers
from support.connect_worker import running_connect, topics_named
from support.riacho_process import RiachoProcess


def test_brokers_that_are_lost_make_a_worker_unwell(tmp_path: Path) -> None:
    broker = RiachoProcess(tmp_path / "broker")
    broker.start()
    try:
        with running_connect(broker.bootstrap, tmp_path / "worker", topics_named("lost")) as connect:
            assert connect.get("/health") == (
                200,
                {"status": "healthy", "message": "Worker has completed startup and is ready to handle requests."},
            )
            broker.kill()
            _, answer = connect.until(lambda: connect.get("/health"), lambda found: found[0] == 500)
            assert answer["status"] == "unhealthy"
            assert answer["message"].startswith(
                "Worker was unable to handle this request and may be unable to handle other requests. "
            )
            broker.start()
            connect.until(lambda: connect.get("/health"), lambda found: found[0] == 200)
    finally:
        if broker.is_running:
            broker.stop()


def _until_answered(errors: list[KafkaError], timeout_s: float = 60.0) -> int:
    """How often somebody was asked."""
    asked = 0

    def ask() -> None:
        nonlocal asked
        asked += 1
        if errors:
            raise errors.pop(0)

    asyncio.run(brokers.until_answered(ask, "b:9092", timeout_s))
    return asked


GONE = KafkaError(ErrorCode.NETWORK_EXCEPTION, "Cannot reach the cluster. b:9092: connection refused.")
REFUSED = KafkaError(ErrorCode.SASL_AUTHENTICATION_FAILED, "b:9092: Authentication failed")


def test_brokers_that_come_later_are_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(brokers, "FIRST_WORD_S", 0.0)
    monkeypatch.setattr(brokers, "_AGAIN_S", 0.0)
    with caplog.at_level(logging.WARNING, "riacho.connect"):
        assert _until_answered([GONE] * 3) == 4
    # Said once, and not again before some time has passed.
    [told] = caplog.messages
    assert told == "waiting for the brokers at=b:9092 for_s=0 reason=b:9092: connection refused"


def test_brokers_that_do_not_come_are_told_of() -> None:
    with pytest.raises(ConfigError, match=r"^no Kafka broker answered in time at b:9092: b:9092: connection refused$"):
        _until_answered([GONE], timeout_s=0.0)


def test_a_refusal_counts_when_it_is_said_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brokers, "_REFUSED_AGAIN_S", 0.0)
    monkeypatch.setattr(brokers, "_AGAIN_S", 0.0)
    assert _until_answered([REFUSED, GONE, REFUSED]) == 4
    with pytest.raises(ConfigError, match=r"^the brokers at b:9092 do not let this worker in: b:9092: Auth"):
        _until_answered([REFUSED, REFUSED])
