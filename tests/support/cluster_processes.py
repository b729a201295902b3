"""Several broker processes that make one cluster: what Riacho's and Apache Kafka's have in common.

A `Node` is one process with its port, its directory and its log, all of which outlive a run of it. A `ProcessCluster`
starts, stops, kills (SIGKILL), pauses (SIGSTOP) and resumes nodes by id, and asks the cluster what it thinks of itself
through `view`. How nodes reach each other is the `Wiring`'s business: plain loopback here, a proxy or namespaces where
a test wants to cut the network.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Protocol

from support.cluster_view import ClusterView
from support.ports import free_port

CLIENTS = 0  # who is no node: producers, consumers, tools
PROPERTIES = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.num.partitions": "2",
    "transaction.state.log.min.isr": "2",
    "share.coordinator.state.topic.replication.factor": "3",
    "share.coordinator.state.topic.min.isr": "2",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
}


class Process(Protocol):
    """What is used of `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Wiring(Protocol):
    """Where a node listens, under which address others reach it, and how a process is put there."""

    def host(self, node_id: int) -> str: ...
    def advertise(self, node_id: int, port: int) -> tuple[str, int]: ...
    def prefix(self, node_id: int) -> list[str]: ...
    def started(self, node_id: int, pid: int) -> None: ...
    def close(self) -> None: ...


class Loopback:
    """Everyone on 127.0.0.1, nothing in between."""

    def host(self, node_id: int) -> str:
        return "127.0.0.1"

    def advertise(self, node_id: int, port: int) -> tuple[str, int]:
        return "127.0.0.1", port

    def prefix(self, node_id: int) -> list[str]:
        return []

    def started(self, node_id: int, pid: int) -> None:
        pass

    def close(self) -> None:
        pass


class Node:
    """One process: its roles, addresses and files. `port` is where clients reach it, through whatever is between."""

    def __init__(self, node_id: int, roles: str, directory: Path, wiring: Wiring) -> None:
        self.node_id = node_id
        self.roles = roles
        self.directory = directory
        self.log_dir = directory / "data"
        self.output_file = directory / "server.out"
        self.properties_file = directory / "server.properties"
        self.bind_host = wiring.host(node_id)
        self.bind_port, self.controller_bind_port = free_port(), free_port()
        self.host, self.port = wiring.advertise(node_id, self.bind_port) if self.is_broker else ("", 0)
        self.controller_host, self.controller_port = (
            wiring.advertise(node_id, self.controller_bind_port) if self.is_controller else ("", 0)
        )
        self.process: Process | None = None
        self.is_paused = False

    @property
    def is_broker(self) -> bool:
        return "broker" in self.roles

    @property
    def is_controller(self) -> bool:
        return "controller" in self.roles

    @property
    def bootstrap(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process is not None, f"node {self.node_id} is not running"
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def addresses(self) -> dict[str, str]:
        """The properties that say where this node is."""
        own = []
        if self.is_broker:
            own.append(f"PLAINTEXT://{self.bind_host}:{self.bind_port}")
        if self.is_controller:
            own.append(f"CONTROLLER://{self.bind_host}:{self.controller_bind_port}")
        told = []
        if self.is_broker:
            told.append(f"PLAINTEXT://{self.bootstrap}")
        if self.is_controller:
            told.append(f"CONTROLLER://{self.controller_host}:{self.controller_port}")
        return {
            "node.id": str(self.node_id),
            "process.roles": self.roles,
            "listeners": ",".join(own),
            "advertised.listeners": ",".join(told),
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "log.dirs": str(self.log_dir),
        }

    def output_tail(self, size_bytes: int = 4_000) -> str:
        if not self.output_file.exists():
            return ""
        return self.output_file.read_bytes()[-size_bytes:].decode(errors="replace")


class ProcessCluster(ABC):
    """`controllers=0`: every node is broker and controller. Otherwise so many controllers (ids from 101) beside them.

    `quorum="dynamic"` starts with the first controller as the only voter (KIP-853); others are added by requests.
    """

    kind: str
    start_timeout_s: float
    # What librdkafka's producers need beside their usual settings to write each record once here.
    producer_settings: Mapping[str, int | str] = {}

    def __init__(
        self,
        directory: Path,
        brokers: int = 3,
        properties: Mapping[str, str] | None = None,
        *,
        controllers: int = 0,
        quorum: str = "static",
        wiring: Wiring | None = None,
        of_node: Mapping[int, Mapping[str, str]] | None = None,
    ) -> None:
        self.directory = directory
        self.wiring: Wiring = wiring or Loopback()
        self.properties = PROPERTIES | dict(properties or {})
        self.quorum = quorum
        self.of_node = {node_id: dict(own) for node_id, own in (of_node or {}).items()}
        self.nodes: dict[int, Node] = {}
        roles = "broker" if controllers else "broker,controller"
        for node_id in range(101, 101 + controllers):
            self._define(node_id, "controller")
        for node_id in range(1, brokers + 1):
            self._define(node_id, roles)
        self.voters = [node for node in self.nodes.values() if node.is_controller]
        atexit.register(self.close)

    def _define(self, node_id: int, roles: str) -> Node:
        node = Node(node_id, roles, self.directory / f"node-{node_id}", self.wiring)
        self.nodes[node_id] = node
        return node

    # What the two kinds differ in

    @abstractmethod
    def command(self, node: Node) -> list[str]:
        """The argv that runs a node."""

    @abstractmethod
    def prepare(self, node: Node) -> None:
        """Whatever must be on disk before the first start."""

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    # Nodes

    @property
    def brokers(self) -> list[Node]:
        return [node for node in self.nodes.values() if node.is_broker]

    @property
    def bootstrap(self) -> str:
        return ",".join(node.bootstrap for node in self.brokers)

    @property
    def view(self) -> ClusterView:
        return ClusterView([(node.host, node.port) for node in self.brokers if node.is_running and not node.is_paused])

    def server_properties(self, node: Node) -> dict[str, str]:
        quorum = {
            "static": {
                "controller.quorum.voters": ",".join(
                    f"{voter.node_id}@{voter.controller_host}:{voter.controller_port}" for voter in self.voters
                )
            },
            "dynamic": {
                "controller.quorum.bootstrap.servers": ",".join(
                    f"{voter.controller_host}:{voter.controller_port}" for voter in self.voters
                )
            },
        }
        return node.addresses() | quorum[self.quorum] | self.properties | self.of_node.get(node.node_id, {})

    def add(self, node_id: int, roles: str = "broker") -> Node:
        """A node that joins a running cluster: an observer of the quorum until someone adds it to the voters."""
        node = self._define(node_id, roles)
        self.start(node_id)
        return node

    def spawn(self, node_id: int) -> None:
        node = self.nodes[node_id]
        assert not node.is_running, f"node {node_id} is running already"
        node.directory.mkdir(parents=True, exist_ok=True)
        lines = (f"{name}={value}\n" for name, value in self.server_properties(node).items())
        node.properties_file.write_text("".join(lines))
        self.prepare(node)
        node.process = self.run([*self.wiring.prefix(node_id), *self.command(node)], node)
        node.is_paused = False
        self.wiring.started(node_id, node.process.pid)

    def run(self, command: list[str], node: Node) -> Process:
        with node.output_file.open("ab") as output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment(),
                cwd=node.directory,
            )

    def start(self, node_id: int, timeout_s: float | None = None) -> None:
        """Spawn one node and wait until it is part of the cluster: a broker, until Metadata lists it."""
        self.spawn(node_id)
        if self.nodes[node_id].is_broker:
            self.wait_for_brokers({node_id}, timeout_s)

    def start_all(self, timeout_s: float | None = None) -> str:
        for node_id in self.nodes:
            self.spawn(node_id)
        self.wait_for_brokers({node.node_id for node in self.brokers}, timeout_s)
        return self.bootstrap

    def wait_for_brokers(self, wanted: Iterable[int], timeout_s: float | None = None) -> None:
        """Until every running broker lists the wanted ones; fenced brokers are not in Metadata."""
        wanted_ids = set(wanted)
        deadline = time.monotonic() + (timeout_s or self.start_timeout_s)
        while True:
            for node_id in wanted_ids:
                if not self.nodes[node_id].is_running:
                    raise RuntimeError(f"node {node_id} ended while starting:\n{self.nodes[node_id].output_tail()}")
            up = [node for node in self.brokers if node.is_running and not node.is_paused]
            seen = [ClusterView([(node.host, node.port)]).broker_ids_or_none() for node in up]
            if all(ids is not None and wanted_ids <= ids for ids in seen):
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"brokers {wanted_ids} are not all registered, seen {seen}:\n{self.output_tails()}")
            time.sleep(0.05)

    # Faults

    def kill(self, node_id: int) -> None:
        """kill -9: no flush, no goodbye."""
        node = self.nodes[node_id]
        if node.process is not None and node.is_running:
            node.process.send_signal(signal.SIGKILL)
            node.process.wait()
        node.is_paused = False

    def stop(self, node_id: int, timeout_s: float = 60.0) -> int:
        """SIGTERM, the clean way; the exit code. Killed when it takes longer, which is an error."""
        node = self.nodes[node_id]
        assert node.process is not None, f"node {node_id} was never started"
        if node.is_running:
            node.process.terminate()
        try:
            return node.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill(node_id)
            raise

    def pause(self, node_id: int) -> None:
        os.kill(self.nodes[node_id].pid, signal.SIGSTOP)
        self.nodes[node_id].is_paused = True

    def resume(self, node_id: int) -> None:
        os.kill(self.nodes[node_id].pid, signal.SIGCONT)
        self.nodes[node_id].is_paused = False

    # The end

    def output_tails(self, size_bytes: int = 3_000) -> str:
        return "\n".join(f"--- node {n.node_id}\n{n.output_tail(size_bytes)}" for n in self.nodes.values())

    def close(self) -> None:
        """End every node at once, paused ones too."""
        for node in self.nodes.values():
            if node.is_running:
                with contextlib.suppress(ProcessLookupError):
                    self.kill(node.node_id)
        self.wiring.close()
        atexit.unregister(self.close)

    def __enter__(self) -> ProcessCluster:
        try:
            self.start_all()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            print(self.output_tails())
        self.close()
