"""One broker of a simulated world: a real node on a simulated host, started, stopped and crashed at will."""

from __future__ import annotations

import logging
from random import Random
from typing import TYPE_CHECKING

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import Environment
from riacho.broker.logs import Logs
from riacho.broker.node import Node, open_node
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.server import BrokerServer, Server, open_server
from riacho.log import open_files
from support.simulated_files import SimulatedFiles
from support.simulated_time import InlineExecutor, Life, SimulatedClock, SimulatedRng

if TYPE_CHECKING:
    from riacho.broker.parts.quorum_parts import QuorumParts
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quorum.raft_driver import RaftDriver
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
        self.is_up = False
        # While it is up: from its first step on, and once it hosts partitions.
        self._node: Node | None = None
        self._server: Server | None = None
        self._is_serving = False
        self._life = Life(self.host)
        self._logs = self._make_logs()
        # A crashed broker stays as it was: its pending coroutines must not be unwound by the garbage collector.
        self._graves: list[tuple[Node | None, Server | None]] = []
        self.wiped_count = 0

    @property
    def node(self) -> Node:
        assert self._node is not None, f"{self.host} is down"
        return self._node

    @property
    def quorum(self) -> QuorumParts | None:
        """None until its first step."""
        return None if self._node is None else self._node.quorum

    @property
    def raft(self) -> RaftDriver:
        return self.node.quorum.raft

    @property
    def metadata(self) -> MetadataCache:
        return self.node.quorum.metadata

    @property
    def controller(self) -> ControllerDriver:
        return self.node.quorum.controller

    @property
    def hosted(self) -> Replicas | None:
        """None until it hosts partitions."""
        return self._server.hosting.replicas if isinstance(self._server, BrokerServer) else None

    @property
    def replicas(self) -> Replicas:
        assert self.hosted is not None, f"{self.host} hosts nothing"
        return self.hosted

    async def start(self) -> None:
        world = self._world
        self.start_count += 1
        self._life = self.clock.life = Life(f"{self.host}#{self.start_count}", self.drift_ppm)
        world.network.boot(self.host)
        self.is_up = True
        world.event(f"{self.host} starts")
        await world.loop.create_task(self._start(), context=self._life.context())

    async def _start(self) -> None:
        self._node = node = open_node(self._config(), self._environment(), self._logs)
        self._world.loop.create_task(self._fall_with(node), context=self._life.context())
        self._server = server = await open_server(node)
        await server.serve()
        self._is_serving = True

    async def _fall_with(self, node: Node) -> None:
        """A broker that can keep none of its promises any more is ended by whoever runs it."""
        await node.parts.breakdown.wait()
        if self._node is node:
            self._world.event(f"{self.host} breaks down: {node.parts.breakdown.error}")
            self.crash()

    def crash(self, *, silently: bool = False, tearing: bool = False, reboots: bool | None = None) -> None:
        """Gone in the middle of whatever it did. Silently: with its machine, so that nobody is told."""
        world = self._world
        assert self.is_up, f"{self.host} is down"
        self._graves.append((self._node, self._server))
        self._forget()
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
        stopping = self._server.stop() if self._server is not None and self._is_serving else self.node.give_up()
        await world.loop.create_task(stopping, context=self._life.context())
        self._end_process()
        world.network.crash(self.host, silently=False)
        self._life.is_over = True
        self._forget()

    def _forget(self) -> None:
        self.is_up = self._is_serving = False
        self._node = self._server = None

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
