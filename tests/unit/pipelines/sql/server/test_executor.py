"""Statements of one request, where the instance that carries them out stops to lead between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.functions.registry import REGISTRY
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.definitions import Definitions
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.surroundings import Surroundings
from riacho.single_writer.errors import NotLeader
from riacho.single_writer.record import LogRecord
from riacho.web.errors import ApiError

STREAM = "CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);"
TYPE = "CREATE TYPE t AS STRUCT<a INT>;"


class Lost:
    """A command topic whose writer has just stopped to lead."""

    async def change(self, decide: Callable[[], Any]) -> Any:
        raise NotLeader


class Inserted:
    """Rows that arrived."""

    def __init__(self) -> None:
        self.rows: list[bytes | None] = []

    async def insert(self, topic: str, key: bytes | None, value: bytes | None, timestamp_ms: int | None) -> None:
        self.rows.append(key)


def _nothing(*asked: object) -> Any:
    raise AssertionError(f"nobody is asked about {asked}")


def _executor(inserted: Inserted) -> Executor:
    state = CommandState()
    outcome: Any = analyse(parse_one(STREAM), state.catalogue, Settings(), state.sequence)
    append = state.append("stream/`S`/create", STREAM, outcome.changes, message="")
    state.apply(LogRecord(append.key, append.value, 0, 0))
    surroundings = Surroundings(_nothing, _nothing, REGISTRY, {}, None, {})
    anybody = cast("Any", None)
    definitions = Definitions(state, Lost(), anybody, None, 10)
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
