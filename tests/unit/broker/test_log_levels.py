"""Levels of a running node's loggers: their own, or the root's."""

from __future__ import annotations

import logging

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.log_levels import LevelChange, LogLevels
from riacho.broker.logs import Logs


@pytest.fixture
def logs() -> Logs:
    access, error, agent, referrer = (
        logging.getLogger(f"test.levels.{name}") for name in ("access", "error", "agent", "referrer")
    )
    for logger in (access, error, agent, referrer):
        logger.setLevel(logging.INFO)
    return Logs(access, error, agent=agent, referrer=referrer)


def _levels(access: str, error: str, root: str) -> dict[str, str]:
    """Where those of visitors have the root's."""
    return {
        "riacho.access": access,
        "riacho.error": error,
        "riacho.agent": root,
        "riacho.referrer": root,
        "root": root,
    }


def test_a_logger_has_the_roots_level_until_it_has_its_own(logs: Logs) -> None:
    levels = logs.levels
    assert levels.all() == _levels("INFO", "INFO", "INFO")
    levels.apply([LevelChange("riacho.access", "DEBUG"), LevelChange("root", "WARN")])
    assert levels.all() == _levels("DEBUG", "WARN", "WARN")
    assert logs.logs_data_path
    assert not logs.error.isEnabledFor(logging.INFO)
    assert not logs.agent.isEnabledFor(logging.INFO)
    assert not logs.referrer.isEnabledFor(logging.INFO)
    levels.apply([LevelChange("riacho.access", None)])
    assert levels.all()["riacho.access"] == "WARN"
    assert not logs.logs_data_path


@pytest.mark.parametrize("word", ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"])
def test_kafkas_words(logs: Logs, word: str) -> None:
    logs.levels.check([LevelChange("root", word)])
    logs.levels.apply([LevelChange("root", word)])
    assert logs.levels.all() == _levels(word, word, word)


@pytest.mark.parametrize(
    ("change", "code", "word"),
    [
        (LevelChange("kafka", "INFO"), ErrorCode.INVALID_CONFIG, "kafka does not exist"),
        (LevelChange("riacho.audit", "FATAL"), ErrorCode.INVALID_CONFIG, "riacho.audit does not exist"),
        (LevelChange("root", "LOUD"), ErrorCode.INVALID_CONFIG, "LOUD"),
        (LevelChange("root", None), ErrorCode.INVALID_REQUEST, "root"),
    ],
)
def test_what_cannot_be_set(logs: Logs, change: LevelChange, code: ErrorCode, word: str) -> None:
    with pytest.raises(KafkaError, match=word) as raised:
        logs.levels.check([change])
    assert raised.value.code is code


def test_a_level_that_was_set_apart_at_the_start_stays(logs: Logs) -> None:
    logs.access.setLevel(logging.CRITICAL)
    levels = LogLevels(logs)
    assert levels.all() == _levels("FATAL", "INFO", "INFO")


def test_logs_without_visitors_have_no_say_in_others_levels() -> None:
    access, error = logging.getLogger("test.levels.alone"), logging.getLogger("test.levels.error")
    access.setLevel(logging.INFO)
    error.setLevel(logging.INFO)
    logs = Logs(access, error)
    logs.levels.apply([LevelChange("riacho.access", "DEBUG")])
    assert logs.logs_data_path
