"""A file of statements that a server cannot use keeps it from starting, with one sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from riacho.base.backoff import Backoff
from riacho.base.config import ConfigError
from riacho.pipelines.sql.server import headless
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.headless import QueriesFile
from riacho.single_writer.errors import LogTimeout, NotLeader, OutcomeUnknown, RecordTooLarge, ReplicatedLogError


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELEC 1;", "line 1:1"),
        (
            "CREATE STREAM x (a INT) WITH (kafka_topic='x', value_format='json'); SELECT * FROM x EMIT CHANGES;",
            "SELECT",
        ),
        ("DROP STREAM x;", "DROP STREAM x"),
        ("", "no statements"),
        (None, "cannot be read"),
        ("\0", "line 1:1"),
        ("(" * 100_000 + ";", "cannot be used"),
    ],
)
def test_it_is_refused(tmp_path: Path, text: str | None, part: str) -> None:
    file = tmp_path / "queries.sql"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=r"^ksql\.queries\.file") as refused:
        QueriesFile(str(file))
    assert part in str(refused.value)
    assert "\n" not in str(refused.value)


def test_variables_hold_from_their_definition_on(tmp_path: Path) -> None:
    file = tmp_path / "queries.sql"
    file.write_text(
        "DEFINE name = 'x'; CREATE STREAM ${name} (a INT) WITH (kafka_topic='${name}', value_format='json');"
        "SET 'auto.offset.reset' = 'earliest'; CREATE STREAM y AS SELECT * FROM ${name};"
    )
    QueriesFile(str(file))


class Executor:
    """Fails as it is told to, a statement after the other."""

    def __init__(self, failures: list[ReplicatedLogError | None]) -> None:
        self.state = CommandState()
        self.failures = failures
        self.executed: list[str] = []

    async def execute(self, text: str, _session: Any) -> None:
        self.executed.append(text.split()[2])
        failure = self.failures.pop(0) if self.failures else None
        if failure is not None:
            raise failure


@pytest.mark.parametrize("failure", [LogTimeout("not now"), OutcomeUnknown("who knows"), NotLeader()])
def test_what_the_command_topic_does_not_take_for_now_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: ReplicatedLogError
) -> None:
    monkeypatch.setattr(headless, "_BACKOFF", Backoff(1, 2))
    executor = Executor([None, failure, failure])
    asyncio.run(_three(tmp_path).run(executor, {}))  # type: ignore[arg-type]
    assert executor.executed == ["a", "b", "b", "b", "c"]


def test_a_statement_too_large_for_the_command_topic_is_left(tmp_path: Path) -> None:
    executor = Executor([None, RecordTooLarge("too large")])
    asyncio.run(_three(tmp_path).run(executor, {}))  # type: ignore[arg-type]
    assert executor.executed == ["a", "b", "c"]


def _three(directory: Path) -> QueriesFile:
    file = directory / "queries.sql"
    file.write_text("".join(f"CREATE TYPE {name} AS STRUCT<x INT>;" for name in "abc"))
    return QueriesFile(str(file))
