"""What a leader writes down is written in the end, however often Kafka fails to take it, and the last word counts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pytest

from riacho.pipelines.connect.decisions.jobs import Report, State
from riacho.pipelines.connect.protocol import Progress
from riacho.pipelines.connect.stores import status_writer
from riacho.pipelines.connect.stores.source_offsets import SourceOffsets
from riacho.pipelines.connect.stores.status_writer import StatusWriter
from riacho.pipelines.connect.stores.statuses import Change, Statuses
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreRefused
from riacho.pipelines.plugin import SourceOffset

LIMIT_S = 60.0


class Kafka:
    """Store and groups at once; refuses as often as it is told to."""

    def __init__(self) -> None:
        self.written: dict[str, dict[bytes, bytes | None]] = {"status": {}, "offsets": {}}
        self.groups: dict[str, Any] = {}
        self.troubles: list[Exception] = []
        self.failed = asyncio.Event()
        self.writes = 0

    def own(self, is_ours: bool) -> None:
        return

    async def put(self, topic: str, changes: Sequence[Change]) -> None:
        if changes:
            self._may_fail()
            self.writes += 1
            self.written[topic].update(changes)

    async def alter(self, name: str, pairs: Iterable[Mapping[str, Any]]) -> None:
        self._may_fail()
        self.groups[name] = list(pairs)

    def _may_fail(self) -> None:
        if self.troubles:
            self.failed.set()
            raise self.troubles.pop(0)


def _status_writer(kafka: Kafka) -> StatusWriter:
    store = cast(Any, kafka)
    return StatusWriter(store, Statuses(), SourceOffsets(), store, status_topic="status", offsets_topic="offsets")


def _report(name: str, state: State = State.RUNNING) -> Report:
    return Report(name, 1, state, 1, state)


def _at(name: str, position: int) -> Progress:
    return Progress(
        name, 1, batch_id=0, rows=1, rows_per_second=1.0, batch_ms=1, lag=None, state_rows=0, topics=(),
        offsets=(SourceOffset({"f": 1}, {"position": position}),),
    )  # fmt: skip


async def _until(holds: Any) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_writer, "_AGAIN_S", 0.001)


def test_as_many_states_as_there_are_connectors() -> None:
    async def check() -> None:
        kafka = Kafka()
        kept = _status_writer(kafka)
        for at in range(5_100):
            kept.report(_report(f"c{at}"))
        await kept.flush()
        assert len(kafka.written["status"]) == 10_200
        assert kafka.writes == 1

    asyncio.run(check())


def test_what_fails_is_written_later() -> None:
    async def check() -> None:
        kafka = Kafka()
        kafka.troubles = [StoreError("no broker")] * 6
        kept = _status_writer(kafka)
        kept.know("sink", "sink", "1")
        kept.report(_report("a"))
        kept.progressed(_at("a", 5))
        kept.progressed(_at("sink", 9))
        await kept.flush()
        kept.progressed(_at("a", 6))
        await _until(lambda: kafka.groups and kafka.written["offsets"] and kafka.written["status"])
        await kept.flush()
        assert kafka.written["offsets"] == {b'["a",{"f":1}]': b'{"position":6}'}
        assert kafka.groups == {"sink": [{"partition": {"f": 1}, "offset": {"position": 9}}]}

    asyncio.run(check())


def test_one_group_that_is_refused_holds_up_nobody() -> None:
    async def check() -> None:
        kafka = Kafka()
        kept = _status_writer(kafka)
        for name in ("one", "two"):
            kept.know(name, "sink", "1")
            kept.progressed(_at(name, 1))
        kafka.troubles = [StoreRefused("no such topic")]
        await kept.flush()
        assert list(kafka.groups) == ["two"]

    asyncio.run(check())


def test_nothing_comes_after_the_end_of_a_term() -> None:
    async def check() -> None:
        kafka = Kafka()
        kafka.troubles = [StoreError("no broker")] * 3
        kept = _status_writer(kafka)
        kept.report(_report("a"))
        kept.progressed(_at("a", 5))
        await kafka.failed.wait()
        kept.disown()
        await kept.flush()
        kafka.troubles.clear()
        kept.report(_report("later"))
        await kept.flush()
        assert set(kafka.written["status"]) == {b"status-connector-later", b"status-task-later-0"}
        assert not kafka.written["offsets"]

    asyncio.run(check())


def test_offsets_that_are_moved_by_hand_stay_so() -> None:
    async def check() -> None:
        kafka = Kafka()
        kept = _status_writer(kafka)
        kept.know("sink", "sink", "1")
        kafka.troubles = [StoreError("no broker")] * 2
        kept.progressed(_at("a", 5))
        kept.progressed(_at("sink", 5))
        await kept.let_go_of_offsets("a")
        await kept.let_go_of_offsets("sink")
        kafka.troubles.clear()
        kept.report(_report("b"))
        await kept.flush()
        assert not kafka.written["offsets"]
        assert not kafka.groups

    asyncio.run(check())
