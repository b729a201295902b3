"""A supervisor that makes room for its successor: the same process, with the same children, running newer code.

`riacho restart` asks for it after an upgrade. The supervisor writes down what it looks after, and becomes another
program in place (exec): its id stays, so its children are still its own, and the lock stays in its hands. Signals are
held back until the successor listens.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, NoReturn

import click
import msgspec

from riacho.cli.data_dir import DataDir
from riacho.cli.output import log_line
from riacho.cli.supervisor.broker_process import BrokerProcess
from riacho.cli.supervisor.child_process import child_environment
from riacho.cli.supervisor.process_mark import mark
from riacho.cli.supervisor.run_state import BrokerState, RunState, ServiceState
from riacho.cli.supervisor.service_process import ServiceProcess
from riacho.cli.supervisor.services import SERVICES
from riacho.cli.supervisor.supervised_broker import SupervisedBroker
from riacho.cli.supervisor.supervised_service import SupervisedService
from riacho.cli.supervisor.supervisor import SuccessorWanted, Supervisor


class BrokerPart(msgspec.Struct, frozen=True):
    state: BrokerState
    port: int
    metrics_port: int
    may_move_metrics: bool
    properties: dict[str, str]
    membership: dict[str, str]
    members: tuple[int, ...]


class ServicePart(msgspec.Struct, frozen=True):
    state: ServiceState
    port: int
    properties: dict[str, str]


class HandoverState(msgspec.Struct, frozen=True):
    """All that a successor needs to know."""

    brokers: tuple[BrokerPart, ...]
    services: tuple[ServicePart, ...]
    is_ephemeral: bool
    is_detached: bool
    started_ms: int
    generation: int


def supervise(
    supervisor: Supervisor,
    directory: DataDir,
    lock: IO[bytes],
    on_ready: Callable[[RunState], None],
    *,
    is_successor: bool = False,
) -> None:
    """Until it is told to stop. One that is told to make room does not return."""
    try:
        supervisor.run(on_ready, is_successor=is_successor)
    except SuccessorWanted as wanted:
        _hand_over(directory, _handover_state(supervisor, wanted.generation), lock)
    finally:
        if supervisor.is_ephemeral:
            shutil.rmtree(directory.path, ignore_errors=True)
        lock.close()


def _handover_state(supervisor: Supervisor, generation: int) -> HandoverState:
    return HandoverState(
        brokers=tuple(
            BrokerPart(broker.state, **broker.process.settings(), members=tuple(sorted(broker.members)))
            for broker in supervisor.brokers
        ),
        services=tuple(
            ServicePart(each.state, each.process.port, each.process.properties) for each in supervisor.services
        ),
        is_ephemeral=supervisor.is_ephemeral,
        is_detached=supervisor.is_detached,
        started_ms=supervisor.started_ms,
        generation=generation,
    )


def _hand_over(directory: DataDir, state: HandoverState, lock: IO[bytes]) -> NoReturn:
    # Only for its owner: settings of services may hold passwords.
    directory.handover_file.unlink(missing_ok=True)
    directory.handover_file.touch(mode=0o600)
    directory.handover_file.write_bytes(msgspec.json.encode(state))
    os.set_inheritable(lock.fileno(), True)
    sys.stdout.flush()
    sys.stderr.flush()
    words = [sys.executable, "-m", "riacho.cli.supervisor.succession", str(directory.path), str(lock.fileno())]
    os.execve(sys.executable, words, child_environment())


def _successor(directory: DataDir, state: HandoverState) -> Supervisor:
    brokers = []
    for part in state.brokers:
        process = BrokerProcess(
            directory,
            part.port,
            node_id=part.state.node_id,
            metrics_port=part.metrics_port,
            may_move_metrics=part.may_move_metrics,
            properties=part.properties,
            membership=part.membership,
        )
        broker = SupervisedBroker(process, is_controller=part.state.is_controller, members=part.members, say=log_line)
        broker.adopt(part.state)
        brokers.append(broker)
    services = []
    for own in state.services:
        service = SupervisedService(
            ServiceProcess(directory, SERVICES[own.state.name], own.port, own.properties), say=log_line
        )
        service.adopt(own.state)
        services.append(service)
    return Supervisor(
        directory,
        brokers,
        mark(os.getpid()),
        services=services,
        is_ephemeral=state.is_ephemeral,
        is_detached=state.is_detached,
        started_ms=state.started_ms,
        generation=state.generation,
    )


def main(words: list[str]) -> None:
    directory = DataDir(Path(words[0]))
    lock = os.fdopen(int(words[1]), "ab")
    os.set_inheritable(lock.fileno(), False)
    state = msgspec.json.decode(directory.handover_file.read_bytes(), type=HandoverState)
    directory.handover_file.unlink()
    log_line("the supervisor runs anew")
    supervise(_successor(directory, state), directory, lock, lambda state: None, is_successor=True)
    if not state.is_detached:
        click.echo("Riacho is down.", err=True)


if __name__ == "__main__":
    main(sys.argv[1:])
