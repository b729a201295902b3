"""What `riacho up` runs, as written in `<data-dir>/riacho.json` for `status`, `down` and whoever looks for a broker."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path

import msgspec

from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.process_mark import ProcessMark


class Phase(Enum):
    """Where a broker or a service is in its life; `supervision.py` has the transitions."""

    STARTING = "starting"
    RUNNING = "running"
    # It crashed, and is started again after a pause.
    WAITING = "waiting"
    STOPPING = "stopping"
    # Because somebody said so: `riacho down --broker N`.
    STOPPED = "stopped"


class BrokerState(msgspec.Struct, frozen=True):
    node_id: int
    process: ProcessMark
    bootstrap: str
    metrics: str | None
    restarts: int = 0
    is_controller: bool = True
    phase: Phase = Phase.RUNNING
    # The last restart that was asked for and carried out.
    generation: int = 0


class ServiceState(msgspec.Struct, frozen=True):
    """An HTTP service beside the brokers."""

    name: str
    process: ProcessMark
    url: str
    log: str
    restarts: int = 0
    phase: Phase = Phase.RUNNING
    # The last restart that was asked for and carried out.
    generation: int = 0


class RunState(msgspec.Struct, frozen=True):
    data_dir: str
    supervisor: ProcessMark
    started_ms: int
    brokers: tuple[BrokerState, ...]
    is_ephemeral: bool = False
    is_detached: bool = False
    services: tuple[ServiceState, ...] = ()
    # How often the supervisor made room for its successor; None for one that cannot.
    generation: int | None = None

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self.brokers)

    @property
    def processes(self) -> list[ProcessMark]:
        return [self.supervisor, *self.children]

    @property
    def children(self) -> list[ProcessMark]:
        """In the order in which they are stopped: services while there are still brokers to take leave of."""
        services = [service.process for service in self.services]
        return services + [broker.process for broker in self.brokers]

    @property
    def is_alive(self) -> bool:
        """Something of it still runs, be it a broker that lost its supervisor."""
        return any(process.is_alive for process in self.processes)

    @property
    def stopped(self) -> list[int]:
        """Brokers that are down because somebody said so."""
        return [broker.node_id for broker in self.brokers if broker.phase is Phase.STOPPED]

    def service(self, name: str) -> ServiceState | None:
        return next((service for service in self.services if service.name == name), None)

    def broker(self, node_id: int) -> BrokerState | None:
        return next((broker for broker in self.brokers if broker.node_id == node_id), None)


def read_state(directory: DataDir) -> RunState | None:
    try:
        return msgspec.json.decode(directory.state_file.read_bytes(), type=RunState)
    except (FileNotFoundError, NotADirectoryError, msgspec.MsgspecError):
        return None


def write_state(directory: DataDir, state: RunState) -> None:
    """Whole or not at all: a reader never sees half a file."""
    write_whole(directory.state_file, msgspec.json.format(msgspec.json.encode(state), indent=2))


def write_whole(path: Path, content: bytes) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.write_bytes(content)
    draft.replace(path)
