"""Looking at rows may take long, by the condition or the aggregate that was asked for: others are served meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from riacho.pipelines.sql.analysis.outcomes import PullOutcome, PushOutcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.serving import projection, push
from riacho.pipelines.sql.serving.conditions import Condition, HasColumns, condition_of
from riacho.pipelines.sql.serving.projection import Projection
from riacho.pipelines.sql.serving.pulled_groups import GroupRow, PulledGroups
from riacho.pipelines.sql.serving.push import PushQueries, PushQuery
from riacho.pipelines.sql.types import BIGINT, STRING
from riacho.pipelines.tasks.aggregates.collect import CollectSet
from riacho.testing import KafkaCluster
from support.sql_statements import carry_out

T = TypeVar("T")
TYPES = {"ID": STRING, "V": BIGINT}
TABLE = "CREATE TABLE t (id STRING PRIMARY KEY, v BIGINT) WITH (kafka_topic='t', value_format='json', partitions=1);"
STREAM = "CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic='beside', value_format='json', partitions=1);"
TIMEOUT_S = 20.0
_LOOK_S = 0.001


class Others:
    """Served by the event loop. Who waits for them in the loop itself waits in vain."""

    def __init__(self) -> None:
        self._is_waited_for, self._is_served = threading.Event(), threading.Event()
        self.served: list[bool] = []

    def wait(self) -> None:
        if not self.served:
            self._is_waited_for.set()
            self.served.append(self._is_served.wait(TIMEOUT_S))

    async def beside(self, asked: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(asked)
        while not self._is_waited_for.is_set() and not task.done():
            await asyncio.sleep(_LOOK_S)
        self._is_served.set()
        return await task


def _holding(others: Others, plain: Callable[..., Condition]) -> Callable[..., Condition]:
    def held(*asked: Any) -> Condition:
        holds = plain(*asked)

        def slowly(row: HasColumns) -> bool:
            others.wait()
            return holds(row)

        return slowly

    return held


def _pulled(text: str) -> PullOutcome:
    outcome = carry_out(TABLE + text, settings=Settings(pulls_aggregates=True)).last
    assert isinstance(outcome, PullOutcome)
    return outcome


def _rows(count: int) -> list[HasColumns]:
    return [GroupRow({"ID": str(at), "V": at % 3}) for at in range(count)]


async def _pages(count: int) -> AsyncIterator[Sequence[HasColumns]]:
    yield _rows(count)


async def _spark(*asked: object) -> Any:
    raise AssertionError("nothing of it takes Spark")


async def _first(query: PushQuery) -> list[list[Any]]:
    return await anext(query.rows())


def test_while_a_pull_query_adds_rows_to_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    others, add = Others(), CollectSet.add

    def slow(self: CollectSet, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        others.wait()
        return add(self, state, values, sequence)

    monkeypatch.setattr(CollectSet, "add", slow)

    async def story() -> list[HasColumns]:
        groups = PulledGroups(_pulled("SELECT v, COLLECT_SET(id) AS ids FROM t GROUP BY v;"), TYPES, _spark)
        return await others.beside(groups.rows(_pages(30)))

    assert len(asyncio.run(story())) == 3
    assert others.served == [True]


def test_while_a_pull_query_looks_at_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    others = Others()
    monkeypatch.setattr(projection, "condition_of", _holding(others, condition_of))

    async def story() -> list[list[Any]]:
        outcome = _pulled("SELECT v FROM t WHERE v > 0;")
        return await others.beside(Projection(TYPES, outcome.select, outcome.where, _spark).values(_rows(300)))

    assert len(asyncio.run(story())) == 200
    assert others.served == [True]


def test_while_a_push_query_looks_at_records(
    monkeypatch: pytest.MonkeyPatch, cluster: KafkaCluster, tmp_path: Path
) -> None:
    others = Others()
    monkeypatch.setattr(push, "condition_of", _holding(others, condition_of))
    client: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers}
    admin = AdminClient(client)
    admin.create_topics([NewTopic("beside", 1, 1)])["beside"].result(TIMEOUT_S)
    producer = Producer(client)
    producer.produce("beside", key="a", value=b'{"V": 1}')
    assert producer.flush(TIMEOUT_S) == 0
    outcome = carry_out(
        f"{STREAM} SET 'auto.offset.reset' = 'earliest'; SELECT v FROM s WHERE v > 0 EMIT CHANGES;"
    ).last
    assert isinstance(outcome, PushOutcome)

    async def story() -> list[list[Any]]:
        queries = PushQueries(client, None, None, lambda *asked: {0: 0}, tmp_path, 10, 200)  # type: ignore[arg-type]
        query = await queries.start(outcome)
        try:
            async with asyncio.timeout(2 * TIMEOUT_S):
                return await others.beside(_first(query))
        finally:
            await query.close()

    assert asyncio.run(story()) == [[1]]
    assert others.served == [True]
