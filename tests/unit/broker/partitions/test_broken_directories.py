from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from riacho.base.errors import KafkaError
from riacho.broker.partitions.broken_directories import BrokenDirectories
from riacho.log.directories import OfflineDirectory
from support.broker_fakes import HandLoop, recorded_logs


class World:
    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.hosted = SimpleNamespace(go=lambda: self.calls.append(("go", 0)))
        self.other = SimpleNamespace()
        self.logs, _, self.lines = recorded_logs()
        self.broker: Any = SimpleNamespace(
            directories=SimpleNamespace(on_offline=[]),
            loop=HandLoop(),
            logs=self.logs,
            replicas=SimpleNamespace(by_name={"t": {0: self.hosted, 1: self.other}}),
            replica_fetchers=SimpleNamespace(gone=lambda hosted: self.calls.append(("gone", hosted))),
            lifecycle=SimpleNamespace(wake=lambda: self.calls.append(("wake", 0))),
            config=SimpleNamespace(metadata_log_dir=None, log_dirs=["/one", "/two"]),
            break_down=lambda error: self.calls.append(("stop", error)),
        )
        BrokenDirectories(self.broker)

    def breaks(self, path: str, *, is_last: bool = False) -> None:
        (listener,) = self.broker.directories.on_offline
        listener(OfflineDirectory(path, b"d" * 16, "Input/output error", [("t", 0), ("gone", 3)], is_last))
        assert self.calls == [], "nothing is done in the midst of the write that failed"
        self.broker.loop.turn()


def test_its_partitions_go_and_the_controller_is_told_at_once() -> None:
    world = World()
    world.breaks("/two")
    assert world.calls == [("gone", world.hosted), ("go", 0), ("wake", 0)]
    assert world.broker.replicas.by_name == {"t": {1: world.other}}
    assert any("log directory is out of service path=/two" in line for line in world.lines)


def test_the_broker_stops_without_its_metadata() -> None:
    world = World()
    world.breaks("/one")
    name, error = world.calls[-1]
    assert name == "stop"
    assert isinstance(error, KafkaError)
    assert "metadata" in str(error)


def test_the_broker_stops_without_any_directory() -> None:
    world = World()
    world.breaks("/two", is_last=True)
    assert world.calls[-1][0] == "stop"
    assert "no log directory is left" in str(world.calls[-1][1])
