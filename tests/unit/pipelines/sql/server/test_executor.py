"""Statements of one request, where the instance that carries them out stops to lead between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.functions.registry import REGISTRY
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.server import definitions
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.definitions import Definitions
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.surroundings import Surroundings
from riacho.single_writer.errors import NotLeader
from riacho.single_writer.record import Append, LogRecord
from riacho.web.errors import ApiError

STREAM = "CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);"
QUERY = "CREATE STREAM q AS SELECT * FROM s;"
TYPE = "CREATE TYPE t AS STRUCT<a INT>;"


class Lost:
    """A command topic whose writer has just stopped to lead."""

    async def change(self, decide: Callable[[], Any]) -> Any:
        raise NotLeader


class Written:
    """A command topic that takes everything; `before` happens just before a statement's turn."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.records: list[Append] = []
        self._before = before

    async def change(self, decide: Callable[[], Any]) -> Any:
        self._before()
        decision = decide()
        self.records += decision.records
        return decision.reply


class AnyTopics:
    def create(self, name: str, partitions: int, replicas: int, config: Any) -> None: ...


class Inserted:
    """Rows that arrived."""

    def __init__(self) -> None:
        self.rows: list[bytes | None] = []

    async def insert(self, topic: str, key: bytes | None, value: bytes | None, timestamp_ms: int | None) -> None:
        self.rows.append(key)


def _nothing(*asked: object) -> Any:
    raise AssertionError(f"nobody is asked about {asked}")


def _define(state: CommandState, text: str) -> None:
    outcome: Any = analyse(parse_one(text), state.catalogue, Settings(), state.sequence)
    append = state.append(f"command/{state.sequence}", text, outcome.changes, message="")
    state.apply(LogRecord(append.key, append.value, 0, 0))


def _executor(inserted: Inserted, writer: Any = None) -> Executor:
    state = CommandState()
    _define(state, STREAM)
    surroundings = Surroundings(lambda name: None, _nothing, REGISTRY, {}, None, {})
    anybody = cast("Any", None)
    definitions = Definitions(state, Lost() if writer is None else writer, cast("Any", AnyTopics()), None, 10)
    return Executor(state, definitions, anybody, cast("Any", inserted), None, lambda: surroundings, {})


def test_who_leads_no_longer_has_nobody_repeat_what_was_done_already() -> None:
    inserted = Inserted()
    with pytest.raises(ApiError) as refused:
        asyncio.run(_executor(inserted).execute(f"INSERT INTO s VALUES ('a', 1); {TYPE}", Session()))
    assert inserted.rows == [b"a"]
    assert (refused.value.status, refused.value.error_code, refused.value.fields["statementText"]) == (503, 50301, TYPE)


def test_a_request_of_which_nothing_was_done_may_go_to_another_leader() -> None:
    with pytest.raises(NotLeader):
        asyncio.run(_executor(Inserted()).execute(TYPE, Session()))


def test_a_statement_is_analysed_again_only_where_another_came_between(monkeypatch: pytest.MonkeyPatch) -> None:
    again: list[str] = []

    def counted(parsed: Any, *seen: Any) -> Any:
        again.append(parsed.text)
        return analyse(parsed, *seen)

    monkeypatch.setattr(definitions, "analyse", counted)
    alone = Written()
    asyncio.run(_executor(Inserted(), alone).execute(QUERY, Session()))
    assert again == []
    late = Written(lambda: _define(executor.state, TYPE))
    executor = _executor(Inserted(), late)
    asyncio.run(executor.execute(QUERY, Session()))
    assert again == [QUERY]
    ids = [msgspec.json.decode(written.records[0].value)["query_id"] for written in (alone, late)]
    assert ids == ["CSAS_Q_1", "CSAS_Q_2"]
