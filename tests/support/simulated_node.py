"""One broker of a simulated world: a real `Broker` on a simulated host, started, stopped and crashed at will."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import Environment
from riacho.broker.logs import Logs
from riacho.broker.node import Broker
from support.simulated_time import InlineExecutor, Life, SimulatedClock, SimulatedRng

if TYPE_CHECKING:
    from support.simulated_world import World

BROKER_PORT = 9092
CONTROLLER_PORT = 9093


class _TraceHandler(logging.Handler):
    """A broker's log lines become events; a line with a traceback is a bug that was caught, and fails the run."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__()
        self._world = world
        self._name = name

    def emit(self, record: logging.LogRecord) -> None:
        self._world.event(f"{self._name} {record.levelname} {record.getMessage()}")
        if record.exc_info and record.exc_info[1] is not None:
            self._world.failed(f"{self._name}: {record.getMessage()}", record.exc_info[1])


class SimulatedNode:
    def __init__(self, world: World, node_id: int, properties: dict[str, str]) -> None:
        self.id = node_id
        self.host = f"node{node_id}"
        self.rack = properties["broker.rack"]
        self.directory: Path = world.directory / self.host
        self.directory.mkdir()
        self.clock = SimulatedClock(world.loop)
        self.drift_ppm = 0
        self.start_count = 0
        self._boot_id_file = world.directory / f"{self.host}.boot"
        self._boot_count = 0
        self._boot()
        self._world = world
        self._properties = properties
        self._broker: Broker | None = None
        self._life = Life(self.host)
        self._logs = self._make_logs()
        # A crashed broker stays as it was: its pending coroutines must not be unwound by the garbage collector.
        self._graves: list[Broker] = []
        self.wiped_count = 0

    @property
    def broker(self) -> Broker:
        assert self._broker is not None, f"{self.host} is down"
        return self._broker

    @property
    def is_up(self) -> bool:
        return self._broker is not None

    async def start(self) -> None:
        world = self._world
        self.start_count += 1
        self._life = self.clock.life = Life(f"{self.host}#{self.start_count}", self.drift_ppm)
        world.network.boot(self.host)
        self._broker = broker = Broker(self._config(), self._environment(), self._logs)
        if not hasattr(broker, "network"):
            broker.network = world.network.host(self.host)  # type: ignore[attr-defined]
        world.event(f"{self.host} starts")
        await world.loop.create_task(self._start(broker), context=self._life.context())

    async def _start(self, broker: Broker) -> None:
        await broker.start()

    def crash(self, *, silently: bool = False, tearing: bool = False, reboots: bool | None = None) -> None:
        """Gone in the middle of whatever it did. Silently: with its machine, so that nobody is told."""
        world = self._world
        broker, self._broker = self.broker, None
        self._graves.append(broker)
        self._life.is_over = True
        world.network.crash(self.host, silently=silently)
        _unlock(broker)
        world.disks.release(self.directory)
        torn = world.disks.tear(self.directory, world.rng) if tearing else []
        if silently or tearing if reboots is None else reboots:
            self._boot()
        world.event(f"{self.host} crashes silently={silently} torn={torn}")

    def _boot(self) -> None:
        """The machine starts, the process comes later."""
        self._boot_count += 1
        self._boot_id_file.write_text(f"{self.host} {self._boot_count}")

    async def stop(self) -> None:
        world = self._world
        world.event(f"{self.host} stops")
        await world.loop.create_task(self.broker.stop(), context=self._life.context())
        world.disks.release(self.directory)
        world.network.crash(self.host, silently=False)
        self._life.is_over = True
        self._broker = None

    def wipe(self) -> None:
        assert not self.is_up
        self._world.event(f"{self.host} loses its disk")
        self.wiped_count += 1
        self._world.disks.wipe(self.directory)

    def _config(self) -> BrokerConfig:
        own = {"node.id": str(self.id), "log.dirs": str(self.directory), "riacho.boot.id.file": str(self._boot_id_file)}
        return BrokerConfig(own | self._properties)

    def _environment(self) -> Environment:
        world = self._world
        rng = SimulatedRng(f"{world.seed}/{self.host}/{self.start_count}")
        return Environment(self.clock, rng, world.network.host(self.host), lambda _: InlineExecutor())

    def _make_logs(self) -> Logs:
        access, error = logging.Logger(f"{self.host}.access", logging.CRITICAL), logging.Logger(self.host, logging.INFO)
        error.addHandler(_TraceHandler(self._world, self.host))
        return Logs(access, error)


def _unlock(broker: Any) -> None:
    """The system takes a dead process's locks back."""
    owned = getattr(getattr(broker, "metadata", None), "_own_directory", None)
    held = getattr(getattr(broker, "directories", None), "directories", [])
    for directory in [*held, *([owned] if owned is not None else [])]:
        with contextlib.suppress(OSError):
            directory.unlock()
        # Were it closed once more, the number might be another file's.
        directory._lock_fd = -1
