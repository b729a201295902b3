"""What a broker does when one of its log directories breaks, by which partitions and the metadata are in it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from riacho.base.errors import KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.partitions.broken_directories import BrokenDirectories
from riacho.log.config import LogConfig
from support.lifecycle_world import LifecycleWorld
from support.replicas_world import OTHER_ID, topic
from support.replicas_world import World as ReplicasWorld


class Parked:
    """Waits at a partition until it goes."""

    def __init__(self, calls: list[tuple[str, Any]]) -> None:
        self._calls = calls

    def complete(self) -> None:
        self._calls.append(("go", 0))


class World(ReplicasWorld):
    """Partition 0 is in the second directory, as is one that nobody hosts; partition 1 is in the first, as is the
    metadata log. A request waits at 0."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, ("one", "two"))
        self.one, self.two = (str(each) for each in self.paths)
        self.calls: list[tuple[str, Any]] = []
        self.directories.preferred |= {("t", 0): self.two, ("t", 1): self.one, ("gone", 3): self.two}
        self.change(topic("t", partitions=2))
        self.directories.create("gone", 3, OTHER_ID, LogConfig(), self.clock.now_ms())
        self.hosted, self.other = self.partition("t", 0), self.partition("t", 1)
        self.hosted.waiting.add(Parked(self.calls))  # type: ignore[arg-type]
        lifecycle = LifecycleWorld(None).lifecycle
        lifecycle.wake = lambda: self.calls.append(("wake", 0))  # type: ignore[method-assign]
        BrokenDirectories(
            BrokerConfig({"log.dirs": f"{self.one},{self.two}"}),
            self.directories,
            self.replicas,
            lifecycle,
            self.logs,
            gone=lambda hosted: self.calls.append(("gone", hosted)),
            break_down=lambda error: self.calls.append(("stop", error)),
        )

    async def breaks(self, path: str) -> None:
        before = list(self.calls)
        self.directories.take_offline(path, "Input/output error")
        assert self.calls == before, "nothing is done in the midst of the write that failed"
        await asyncio.sleep(0)


def test_its_partitions_go_and_the_controller_is_told_at_once(tmp_path: Path) -> None:
    async def scenario() -> World:
        world = World(tmp_path)
        await world.breaks(world.two)
        return world

    world = asyncio.run(scenario())
    assert world.calls == [("gone", world.hosted), ("go", 0), ("wake", 0)]
    assert world.replicas.by_name == {"t": {1: world.other}}
    assert any(f"log directory is out of service path={world.two}" in line for line in world.error_lines)


def test_the_broker_stops_without_its_metadata(tmp_path: Path) -> None:
    async def scenario() -> World:
        world = World(tmp_path)
        await world.breaks(world.one)
        return world

    name, error = asyncio.run(scenario()).calls[-1]
    assert name == "stop"
    assert isinstance(error, KafkaError)
    assert "metadata" in str(error)


def test_the_broker_stops_without_any_directory(tmp_path: Path) -> None:
    async def scenario() -> World:
        world = World(tmp_path)
        await world.breaks(world.one)
        await world.breaks(world.two)
        return world

    name, error = asyncio.run(scenario()).calls[-1]
    assert name == "stop"
    assert "no log directory is left" in str(error)
