"""Queries of the catalogue kept running on a runner that plays what their names ask for."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from riacho.base.backoff import Backoff
from riacho.pipelines.spark_child.child import Child
from riacho.pipelines.spark_child.runners import Runners
from riacho.pipelines.sql.analysis.settings import Settings as AnalysisSettings
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.parser import parse_script
from riacho.pipelines.sql.runner.protocol import Settings, StartPush, event_from
from riacho.pipelines.sql.server import query_supervisor
from riacho.pipelines.sql.server.checkpoints import Checkpoints
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.query_metrics import query_metrics
from riacho.pipelines.sql.server.query_supervisor import ERROR, RUNNING, SESSION, QuerySupervisor
from riacho.single_writer.record import LogRecord

TIMEOUT_S = 30.0
STREAM = "CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);"
_FAKE = Path(__file__).parents[4] / "support" / "ksql_fake_runner.py"


class World:
    """A state, its supervisor and the runner's commands."""

    def __init__(self, directory: Path, words: list[str], location: str | None = None) -> None:
        self.state = CommandState()
        settings = Settings(bootstrap_servers="nowhere:1", silence_ms=8_000)
        self.runners = Runners(settings, event_from, words)
        self.directory = directory / "checkpoints"
        self.supervisor = QuerySupervisor(self.state, self.runners, Checkpoints(location or self.directory))
        self.state.on_change = self.supervisor.changed
        self.log = directory / "commands"
        self._offset = 0

    def run(self, text: str) -> None:
        """A statement, on the catalogue as it is, through the command topic's form."""
        (parsed_outcome,) = _outcomes(text, self.state)
        query = getattr(parsed_outcome, "query", None)
        append = self.state.append(
            "c", text, parsed_outcome.changes, message="", query_id=None if query is None else query.query_id
        )
        self.state.apply(LogRecord(append.key, append.value, self._offset, 0))
        self._offset += 1

    def commands(self, do: str | None = None) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        found = [json.loads(line) for line in lines]
        return [each for each in found if each["do"] != "alive" and do in (None, each["do"])]

    def status(self, query_id: str) -> str | None:
        query = self.state.catalogue.queries.get(query_id)
        return None if query is None else self.supervisor.status_of(query)

    async def until(self, holds: Callable[[], Any]) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not holds():
            assert time.monotonic() < deadline, (self.commands(), self.supervisor.jobs)
            await asyncio.sleep(0.01)

    async def until_status(self, query_id: str, status: str) -> None:
        await self.until(lambda: self.status(query_id) == status)

    def checkpoints(self) -> list[str]:
        return sorted(each.name for each in self.directory.iterdir()) if self.directory.exists() else []


def _outcomes(text: str, state: CommandState) -> Any:
    return [analyse(each, state.catalogue, AnalysisSettings(), state.sequence) for each in parse_script(text)]


@asynccontextmanager
async def _world(directory: Path, words: list[str] | None = None, location: str | None = None) -> AsyncIterator[World]:
    world = World(directory, words or [sys.executable, str(_FAKE)], location)
    world.supervisor.start()
    try:
        world.run(STREAM)
        world.supervisor.lead()
        yield world
    finally:
        await world.supervisor.stop()


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_supervisor, "_BACKOFF", Backoff(50, 100))
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(tmp_path / "commands"))


def _run(directory: Path, story: Callable[[World], Awaitable[None]], words: list[str] | None = None) -> None:
    async def told() -> None:
        async with _world(directory, words) as world:
            await story(world)

    asyncio.run(told())


def test_a_query_is_started_and_its_figures_are_kept(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM big AS SELECT * FROM s WHERE v > 5;")
        await world.until_status("CSAS_BIG_1", RUNNING)
        job = world.supervisor.jobs["CSAS_BIG_1"]
        await world.until(lambda: job.progress is not None)
        assert (job.rows, job.dropped) == (7, 2)
        (start,) = world.commands("startquery")
        assert start["checkpoint"].startswith(f"{world.directory}/CSAS_BIG_1-")

    _run(tmp_path, story)


def test_checkpoints_that_only_spark_can_reach_are_deleted_by_the_runner(tmp_path: Path) -> None:
    async def told() -> None:
        async with _world(tmp_path, location="s3a://bucket/checkpoints") as world:
            world.run("CREATE STREAM big AS SELECT * FROM s WHERE v > 5;")
            await world.until_status("CSAS_BIG_1", RUNNING)
            (start,) = world.commands("startquery")
            world.run("DROP STREAM big;")
            await world.until(lambda: not world.state.abandoned)
            (command,) = world.commands("deletecheckpoints")
            assert command["location"] == "s3a://bucket/checkpoints"
            assert [f"{command['location']}/{name}" for name in command["names"]] == [start["checkpoint"]]
            assert [each["do"] for each in world.commands()] == ["startquery", "stopquery", "deletecheckpoints"]

    asyncio.run(told())


def test_where_no_runner_is_they_wait_for_one(tmp_path: Path) -> None:
    async def told() -> None:
        async with _world(tmp_path, location="s3a://bucket/checkpoints") as world:
            world.state.abandoned["CSAS_OLD_1-x"] = None
            world.supervisor.changed()
            world.run("CREATE STREAM big AS SELECT * FROM s WHERE v > 5;")
            await world.until(lambda: not world.state.abandoned)
            (command,) = world.commands("deletecheckpoints")
            assert command["names"] == ["CSAS_OLD_1-x"]
            assert world.commands()[0]["do"] == "startquery"

    asyncio.run(told())


def test_one_that_fails_for_what_may_pass_is_tried_again_after_a_pause(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM fails_twice AS SELECT * FROM s;")
        await world.until_status("CSAS_FAILS_TWICE_1", RUNNING)
        starts = world.commands("startquery")
        assert [each["generation"] for each in starts] == [1, 2, 3]
        assert starts[1]["at"] - starts[0]["at"] > 0.02
        job = world.supervisor.jobs["CSAS_FAILS_TWICE_1"]
        assert [each.sentence for each in job.errors] == ["Not now.", "Not now."]

    _run(tmp_path, story)


def test_one_that_fails_for_good_says_error_and_never_running_and_stops_no_other(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM fails_for_good AS SELECT * FROM s;")
        await world.until_status("CSAS_FAILS_FOR_GOOD_1", ERROR)
        world.run("CREATE STREAM good AS SELECT * FROM s;")
        await world.until_status("CSAS_GOOD_2", RUNNING)
        await asyncio.sleep(0.5)
        assert world.status("CSAS_FAILS_FOR_GOOD_1") == ERROR
        assert len(world.commands("startquery")) == 2
        (error,) = world.supervisor.jobs["CSAS_FAILS_FOR_GOOD_1"].errors
        assert (error.kind, error.sentence) == ("USER", "It cannot be done.")
        world.run("PAUSE CSAS_FAILS_FOR_GOOD_1;")
        await world.until(lambda: "CSAS_FAILS_FOR_GOOD_1" not in world.supervisor.jobs)
        world.run("RESUME CSAS_FAILS_FOR_GOOD_1;")
        await world.until(lambda: len(world.commands("startquery")) == 3)

    _run(tmp_path, story)


@pytest.mark.parametrize("name", ["dies_once", "says_nonsense"])
def test_a_runner_that_ends_is_replaced_and_all_queries_go_on(tmp_path: Path, name: str) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM good AS SELECT * FROM s;")
        await world.until_status("CSAS_GOOD_1", RUNNING)
        world.run(f"CREATE STREAM {name} AS SELECT * FROM s;")
        await world.until_status(f"CSAS_{name.upper()}_2", RUNNING)
        await world.until_status("CSAS_GOOD_1", RUNNING)
        assert len({each["pid"] for each in world.commands()}) == 2

    _run(tmp_path, story)


def test_a_runner_that_is_killed_is_replaced(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM good AS SELECT * FROM s;")
        await world.until_status("CSAS_GOOD_1", RUNNING)
        pid = world.runners.pid(SESSION)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await world.until_status("CSAS_GOOD_1", ERROR)
        await world.until_status("CSAS_GOOD_1", RUNNING)

    _run(tmp_path, story)


def test_a_runner_that_cannot_be_started_is_a_sentence_and_is_tried_again(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM good AS SELECT * FROM s;")
        await world.until_status("CSAS_GOOD_1", ERROR)
        job = world.supervisor.jobs["CSAS_GOOD_1"]
        await world.until(lambda: job.failed >= 2)
        assert "cannot be started" in job.errors[0].sentence
        with pytest.raises(KsqlError, match="cannot be started"):
            await world.supervisor.send(StartPush(query_id="q", generation=1, plan=msgspec.Raw(b"{}"), checkpoint="x"))

    _run(tmp_path, story, ["/nowhere/at/all"])


def test_pause_keeps_the_checkpoint_and_terminate_deletes_it_even_of_one_that_is_paused(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM a AS SELECT * FROM s;")
        world.run("CREATE STREAM b AS SELECT * FROM s;")
        await world.until_status("CSAS_A_1", RUNNING)
        await world.until_status("CSAS_B_2", RUNNING)
        world.run("PAUSE CSAS_A_1;")
        await world.until(lambda: "CSAS_A_1" not in world.supervisor.jobs)
        assert world.status("CSAS_A_1") == "PAUSED"
        assert len(world.checkpoints()) == 2
        world.run("TERMINATE CSAS_A_1;")
        await world.until(lambda: len(world.checkpoints()) == 1)
        world.run("TERMINATE CSAS_B_2;")
        await world.until(lambda: world.checkpoints() == [])

    _run(tmp_path, story)


def test_one_in_the_place_of_another_has_its_checkpoint_once_that_has_ended(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        world.run("CREATE STREAM a AS SELECT * FROM s WHERE v > 1;")
        await world.until_status("CSAS_A_1", RUNNING)
        world.run("CREATE OR REPLACE STREAM a AS SELECT * FROM s WHERE v > 2;")
        await world.until_status("CSAS_A_2", RUNNING)
        done = [(each["do"], each["query_id"]) for each in world.commands()]
        assert done == [("startquery", "CSAS_A_1"), ("stopquery", "CSAS_A_1"), ("startquery", "CSAS_A_2")]
        first, second = world.commands("startquery")
        assert first["checkpoint"] == second["checkpoint"]
        assert world.commands("stopquery")[0]["forget"] is False
        assert len(world.checkpoints()) == 1

    _run(tmp_path, story)


def test_who_no_longer_leads_runs_nothing_and_tells_those_who_wait(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        told: list[int] = []
        world.supervisor.on_runner_end = lambda: told.append(1)
        world.run("CREATE STREAM a AS SELECT * FROM s;")
        await world.until_status("CSAS_A_1", RUNNING)
        world.supervisor.rest()
        assert (world.runners.sessions, world.supervisor.jobs, told) == ([], {}, [1])
        world.run("CREATE STREAM b AS SELECT * FROM s;")
        await asyncio.sleep(0.5)
        assert len(world.commands("startquery")) == 1
        world.supervisor.lead()
        await world.until_status("CSAS_A_1", RUNNING)
        await world.until_status("CSAS_B_2", RUNNING)

    _run(tmp_path, story)


def test_a_runner_that_begins_while_another_instance_takes_over_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = Child.start

    async def story(world: World) -> None:
        begun, may_go = asyncio.Event(), asyncio.Event()
        looks: list[int] = []

        async def slowly(child: Child) -> None:
            begun.set()
            await may_go.wait()
            await begin(child)

        def looked() -> bool:
            looks.append(len(world.runners.sessions))
            return False

        monkeypatch.setattr(Child, "start", slowly)
        world.run("CREATE STREAM a AS SELECT * FROM s;")
        world.run("CREATE STREAM b AS SELECT * FROM s;")
        await begun.wait()
        world.supervisor.is_needed_elsewhere = looked
        world.supervisor.rest()
        may_go.set()
        await world.until(lambda: looks)
        assert (looks[0], world.runners.sessions, world.supervisor.jobs) == (0, [], {})
        world.supervisor.lead()
        await world.until_status("CSAS_A_1", RUNNING)
        await world.until_status("CSAS_B_2", RUNNING)

    _run(tmp_path, story)


def test_a_runner_without_work_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_supervisor, "_IDLE_S", 0.3)

    async def story(world: World) -> None:
        world.run("CREATE STREAM a AS SELECT * FROM s;")
        await world.until_status("CSAS_A_1", RUNNING)
        world.run("TERMINATE CSAS_A_1;")
        await world.until(lambda: world.runners.sessions == [])

    _run(tmp_path, story)


def test_figures_for_prometheus(tmp_path: Path) -> None:
    class Push:
        open = {"transient_1": None}

    async def story(world: World) -> None:
        world.run("CREATE STREAM a AS SELECT * FROM s;")
        await world.until_status("CSAS_A_1", RUNNING)
        await world.until(lambda: world.supervisor.jobs["CSAS_A_1"].progress is not None)
        lines = set(query_metrics(world.supervisor, Push()))  # type: ignore[arg-type]
        assert {
            'riacho_ksql_query_rows_total{query="CSAS_A_1"} 7',
            'riacho_ksql_query_dropped_total{query="CSAS_A_1"} 2',
            'riacho_ksql_query_failures_total{query="CSAS_A_1"} 0',
            'riacho_ksql_query_lag_records{query="CSAS_A_1"} 3',
            'riacho_ksql_query_batch_milliseconds{query="CSAS_A_1"} 12',
            'riacho_ksql_query_state{query="CSAS_A_1",state="RUNNING"} 1',
            "riacho_ksql_push_queries 1",
        } <= lines

    _run(tmp_path, story)
