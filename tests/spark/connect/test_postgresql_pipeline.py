"""Connect on a platform of real processes: three brokers, the registry, two workers, Spark, PostgreSQL.

First what may be wrong with a connector: one clear sentence in the API and in the log, and nothing happens to others.
Then the whole way of a pipeline through everything that may happen to it (`support/pipeline_story.py`), told what to do
through the REST API only: a changed table, poison, a killed runner, a killed leader of the workers, a killed broker;
nothing is lost, nothing comes twice.

`RIACHO_PIPELINE_ROUNDS=5` repeats the faults; `RIACHO_PIPELINE_SEED` is what accounts are drawn from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from support.connect_platform import ConnectPlatform, running_platform
from support.connect_runner import why_no_runner
from support.pipeline_story import Story, database_settings
from support.ports import free_port
from support.postgresql import PASSWORD, PostgreSQL, running_postgresql, why_no_postgresql
from support.topic_records import Sent, send

ROUNDS = int(os.environ.get("RIACHO_PIPELINE_ROUNDS", "1"))
SEED = int(os.environ.get("RIACHO_PIPELINE_SEED", "7"))
SOURCE = "io.confluent.connect.jdbc.JdbcSourceConnector"
SINK = "io.confluent.connect.jdbc.JdbcSinkConnector"
WRONG = "wr0ng-passw0rd"


def _why_not_now() -> str | None:
    """It keeps two cores busy for minutes: `make proofs` runs it, `make test` has smaller ones."""
    return None if os.environ.get("RIACHO_PROOFS") else "takes minutes: make proofs, or RIACHO_PROOFS=1, runs it"


class World(NamedTuple):
    platform: ConnectPlatform
    postgresql: PostgreSQL


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    reason = why_no_postgresql() or why_no_runner() or _why_not_now()
    if reason is not None:
        pytest.skip(reason)
    directory = tmp_path_factory.mktemp("platform")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("RIACHO_CLASS_ARCHIVE", "use")
        with ThreadPoolExecutor(1) as beside:
            # Both take a while, and wait more than they compute.
            database = beside.submit(stack.enter_context, running_postgresql())
            with running_platform(directory) as platform:
                yield World(platform, database.result())


def test_what_is_wrong_with_a_connector_is_one_sentence_and_touches_no_other(world: World, tmp_path: Path) -> None:
    platform, postgresql = world
    lines = tmp_path / "lines.txt"
    lines.write_text("one\n")
    steady = {"connector.class": "FileStreamSource", "file": str(lines), "topic": "lines", "riacho.trigger.ms": "200"}
    platform.put("steady", steady)
    postgresql.execute("CREATE TABLE narrow (id BIGINT)")
    platform.create_topic("wide")
    send(platform.bootstrap, "wide", [Sent(b'{"id":1,"extra":"x"}')])
    database = database_settings(postgresql)
    closed = f"jdbc:postgresql://127.0.0.1:{free_port()}/postgres"
    source = {**database, "connector.class": SOURCE, "mode": "bulk", "topic.prefix": "p.", "connection.attempts": "1"}
    wide = {"topics": "wide", "value.converter": "org.apache.kafka.connect.json.JsonConverter"}
    wrong = {
        "missing-topic": (
            {"connector.class": "FileStreamSink", "topics": "nowhere", "file": str(tmp_path / "out.txt")}
            | {"riacho.topics.timeout.ms": "1000"},
            "Topic 'nowhere' does not exist on this cluster.",
        ),
        "wrong-password": (source | {"connection.password": WRONG}, 'password authentication failed for user "riacho"'),
        "unreachable": (source | {"connection.url": closed}, "Connection refused"),
        "mismatch": (
            {**database, **wide, "connector.class": SINK, "table.name.format": "narrow"}
            | {"value.converter.schemas.enable": "false"},
            "lacks extra and auto.evolve is false",
        ),
    }
    platform.may_fail |= wrong.keys()
    for name, (config, _) in wrong.items():
        platform.put(name, config)
    for name, (_, sentence) in wrong.items():
        trace = platform.until_failed(name)
        assert sentence in trace.splitlines()[0], trace
        assert "Traceback" not in trace.splitlines()[0]
        said = [line for line in platform.output().splitlines() if f"connector failed name={name} " in line]
        assert len(said) == 1, said
        assert trace.splitlines()[0] in said[0]
        assert WRONG not in trace
        assert PASSWORD not in trace
    bad = {**database, "connector.class": SINK, "topics": "wide", "insert.mode": "upsert"}
    status, answer = platform.api.call("POST", "/connectors", {"name": "bad", "config": bad})
    assert (status, answer["error_code"]) == (400, 400)
    assert "insert.mode upsert needs a primary key: pk.mode must not be none" in answer["message"]

    # The one beside them has not noticed.
    platform.until(lambda: platform.api.get("/pipelines/steady")[1]["rows"], lambda rows: rows == 1)
    before = platform.status("steady")
    with lines.open("a") as file:
        file.write("two\n")
    platform.until(lambda: platform.api.get("/pipelines/steady")[1]["rows"], lambda rows: rows == 2)
    assert platform.status("steady") == before
    assert WRONG not in platform.output()
    assert PASSWORD not in platform.output()
    for name in ("steady", *wrong):
        assert platform.api.call("DELETE", f"/connectors/{name}")[0] == 204


@pytest.mark.timeout(600 * max(ROUNDS, 1))
def test_nothing_is_lost_and_nothing_twice(world: World, tmp_path: Path) -> None:
    began_s = time.monotonic()
    story = Story(world.platform, world.postgresql, tmp_path / "archive", SEED)
    try:
        story.begin()
        for number in range(ROUNDS):
            story.put_poison(4)
            story.kill_runner()
            if number == 0:
                story.accounts.add_note_column()
            # Not until everything has arrived: what was under way is under way again.
            story.until_running()
            story.kill_leading_worker_and_broker(number % 3)
            story.until_arrived()
        story.check()
    finally:
        story.accounts.stop()
    figures = f"{len(story.versions())} accounts, {story.accounts.changes} changes, {len(story.poison)} poison"
    print(f"{figures}, kills {dict(story.kills)}, {time.monotonic() - began_s:.0f} s")
