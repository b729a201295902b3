"""EXPLAIN shows the very pipeline that the runner makes of its command; DESCRIBE what is known of a source."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from riacho.pipelines.sql.analysis.outcomes import PushOutcome
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.plan.plan_json import plan_from_json
from riacho.pipelines.sql.runner.hosted_query import PersistentQuery
from riacho.pipelines.sql.runner.hosted_query import PushQuery as HostedPush
from riacho.pipelines.sql.runner.protocol import StartQuery
from riacho.pipelines.sql.server.checkpoints import Checkpoints
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.config import load_server_settings, processing_log_topic, runner_settings
from riacho.pipelines.sql.server.describing import Describing
from riacho.pipelines.sql.server.entities import type_schema
from riacho.pipelines.sql.server.query_supervisor import QuerySupervisor
from riacho.pipelines.sql.serving.push import PushQueries, Spark
from riacho.pipelines.sql.type_text import type_from_text
from support.sql_statements import carry_out, known_sources

KNOWN = carry_out(
    "CREATE STREAM X AS SELECT ID, A FROM S; INSERT INTO X SELECT ID, A FROM RO;", known_sources()
).catalogue


class Runners:
    """Keep what is sent to them."""

    def __init__(self) -> None:
        self.sessions: tuple[str, ...] = ()
        self.events: asyncio.Queue[Any] = asyncio.Queue()
        self.commands: asyncio.Queue[StartQuery] = asyncio.Queue()

    async def send(self, session: str, command: StartQuery) -> None:
        self.commands.put_nowait(command)

    async def close(self) -> None:
        pass


class World:
    def __init__(self, directory: Path, **settings: str) -> None:
        own = {"bootstrap.servers": "b:1", "riacho.ksql.trigger.ms": "50", "ksql.service.id": "mine_", **settings}
        self.settings = load_server_settings(own)
        self.runners = Runners()
        runners: Any = self.runners
        topics: Any = None
        state = CommandState(catalogue=KNOWN)
        supervisor = QuerySupervisor(
            state,
            runners,
            Checkpoints(str(directory)),
            trigger_ms=self.settings.integer("riacho.ksql.trigger.ms"),
        )
        self.supervisor = supervisor
        self.describing = Describing(state, supervisor, topics, Registry(()), processing_log_topic(self.settings))

    async def starts(self) -> list[StartQuery]:
        """The commands that start the queries there are."""
        self.supervisor.start()
        self.supervisor.lead()
        try:
            async with asyncio.timeout(10):
                return [await self.runners.commands.get() for _ in KNOWN.queries]
        finally:
            await self.supervisor.stop()

    def hosted(self, start: StartQuery) -> PersistentQuery:
        nothing: Any = None
        return PersistentQuery(start, runner_settings(self.settings), nothing, threading.Lock(), nothing)

    def spark(self) -> Spark:
        """Where push queries send what the runner is to do."""
        runners = self.runners

        class Sent:
            async def send(self, command: Any) -> None:
                await runners.send("", command)

        return Sent()

    def source(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = asyncio.run(self.describing.source(name, "", False))["sourceDescription"]
        return found


@pytest.mark.parametrize("log", ["true", "false"])
def test_what_runs_is_what_explain_shows(tmp_path: Path, log: str) -> None:
    async def story() -> None:
        world = World(tmp_path, **{"ksql.logging.processing.topic.auto.create": log})
        for start in await world.starts():
            plan = KNOWN.queries[start.query_id].plan
            running = world.hosted(start).pipeline(plan_from_json(bytes(start.plan)))
            assert running == world.describing.pipeline(plan)
            assert running.trigger_ms == 50
            assert running.errors.dead_letter_topic == ("mine_ksql_processing_log" if log == "true" else None)
            assert world.describing.query(start.query_id)["topology"].startswith(running.draw() + "\n\n")

    asyncio.run(story())


def test_so_is_what_runs_of_a_push_query(tmp_path: Path) -> None:
    async def story() -> None:
        world = World(tmp_path)
        outcome = carry_out("SELECT A, COUNT(*) AS N FROM S GROUP BY A EMIT CHANGES;", known_sources()).last
        assert isinstance(outcome, PushOutcome)
        nothing: Any = None
        trigger_ms = world.supervisor.trigger_ms
        queries = PushQueries({}, None, world.spark(), lambda *_: {}, tmp_path, 1, trigger_ms)
        query = await queries.start(outcome)
        waiting = asyncio.ensure_future(anext(query.rows()))
        async with asyncio.timeout(10):
            start: Any = await world.runners.commands.get()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        hosted = HostedPush(start, runner_settings(world.settings), nothing, threading.Lock(), nothing)
        running = hosted.pipeline(plan_from_json(bytes(start.plan)))
        assert running == world.describing.pipeline(outcome.plan)
        assert running.trigger_ms == 50

    asyncio.run(story())


def test_a_description_names_readers_and_writers(tmp_path: Path) -> None:
    world = World(tmp_path)
    found = world.source("X")
    assert [query["id"] for query in found["writeQueries"]] == ["CSAS_X_0", "INSERTQUERY_1"]
    assert found["fields"][0] == {
        "name": "ID",
        "schema": {"type": "BIGINT", "fields": None, "memberSchema": None},
        "type": "KEY",
    }
    assert [query["id"] for query in world.source("S")["readQueries"]] == ["CSAS_X_0"]
    # What must be dropped before it, as DROP says; X itself stands in nobody's way.
    assert (world.source("S")["sourceConstraints"], found["sourceConstraints"]) == (["X"], [])
    assert world.source("WT")["windowType"] == "SESSION"
    assert world.source("H1")["fields"][-1]["headerKey"] == "trace"


def test_a_query_is_found_in_any_case(tmp_path: Path) -> None:
    describing = World(tmp_path).describing
    assert describing.explain_query("csas_x_0", "")["queryDescription"]["id"] == "CSAS_X_0"
    with pytest.raises(KsqlError, match="Query with id:NOPE does not exist"):
        describing.explain_query("NOPE", "")


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KsqlError, match="Could not find STREAM/TABLE 'NOPE' in the Metastore"):
        World(tmp_path).source("NOPE")


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("DECIMAL(4, 2)", {"parameters": {"precision": 4, "scale": 2}}),
        ("ARRAY<INTEGER>", {"memberSchema": {"type": "INTEGER", "fields": None, "memberSchema": None}}),
        ("MAP<STRING, DOUBLE>", {"memberSchema": {"type": "DOUBLE", "fields": None, "memberSchema": None}}),
    ],
)
def test_types(text: str, inner: dict[str, object]) -> None:
    assert inner.items() <= type_schema(type_from_text(text)).items()
