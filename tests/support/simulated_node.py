"""One broker of a simulated world: a real `Broker` on a simulated host, started, stopped and crashed at will."""

from __future__ import annotations

import logging
from random import Random
from typing import TYPE_CHECKING

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import Environment
from riacho.broker.logs import Logs
from riacho.broker.node import Broker
from riacho.log import open_files
from support.simulated_files import SimulatedFiles
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
        self.clock = SimulatedClock(world.loop)
        self.files = SimulatedFiles(
            Random(f"{world.seed}/{self.host}/disk"), f"/{self.host}", lambda: self.clock.now_ms() * 1_000_000
        )
        self.drift_ppm = 0
        self.start_count = 0
        self._boot_id_file = f"/{self.host}-boot-id"
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
        world.event(f"{self.host} starts")
        world.loop.create_task(self._fall_with(broker), context=self._life.context())
        await world.loop.create_task(self._start(broker), context=self._life.context())

    async def _start(self, broker: Broker) -> None:
        await broker.start()

    async def _fall_with(self, broker: Broker) -> None:
        """A broker that can keep none of its promises any more is ended by whoever runs it."""
        await broker.until_broken()
        if self._broker is broker:
            self._world.event(f"{self.host} breaks down: {broker.broken}")
            self.crash()

    def crash(self, *, silently: bool = False, tearing: bool = False, reboots: bool | None = None) -> None:
        """Gone in the middle of whatever it did. Silently: with its machine, so that nobody is told."""
        world = self._world
        broker, self._broker = self.broker, None
        self._graves.append(broker)
        self._life.is_over = True
        world.network.crash(self.host, silently=silently)
        self._end_process()
        lost = self.files.lose_power() if tearing else []
        if silently or tearing if reboots is None else reboots:
            self._boot()
        world.event(f"{self.host} crashes silently={silently} lost={lost}")

    def _boot(self) -> None:
        """The machine starts, the process comes later."""
        self._boot_count += 1
        self.files.put(self._boot_id_file, f"{self.host} {self._boot_count}".encode())

    def lose_power(self) -> None:
        """Of a node whose process is gone already; the next boot is another one."""
        assert not self.is_up
        lost = self.files.lose_power()
        self._boot()
        self._world.event(f"{self.host} loses power lost={lost}")

    async def stop(self) -> None:
        world = self._world
        world.event(f"{self.host} stops")
        await world.loop.create_task(self.broker.stop(), context=self._life.context())
        self._end_process()
        world.network.crash(self.host, silently=False)
        self._life.is_over = True
        self._broker = None

    def wipe(self) -> None:
        assert not self.is_up
        self._world.event(f"{self.host} loses its disk")
        self.wiped_count += 1
        self.files.wipe()
        self._boot()

    def _end_process(self) -> None:
        """The system takes descriptors and locks back."""
        for holder in [holder for holder in open_files.SHARED._holders if holder.files is self.files]:
            open_files.SHARED.release(holder)
        self.files.end_process()

    def _config(self) -> BrokerConfig:
        own = {"node.id": str(self.id), "log.dirs": f"/{self.host}", "riacho.boot.id.file": self._boot_id_file}
        return BrokerConfig(own | self._properties)

    def _environment(self) -> Environment:
        world = self._world
        rng = SimulatedRng(f"{world.seed}/{self.host}/{self.start_count}")
        return Environment(self.clock, rng, world.network.host(self.host), lambda _: InlineExecutor(), self.files)

    def _make_logs(self) -> Logs:
        access, error = logging.Logger(f"{self.host}.access", logging.CRITICAL), logging.Logger(self.host, logging.INFO)
        error.addHandler(_TraceHandler(self._world, self.host))
        return Logs(access, error)
