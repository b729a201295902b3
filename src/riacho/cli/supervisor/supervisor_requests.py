"""Orders to a running supervisor: which brokers are to be down, and which brokers and services to be restarted.

`orders.json` says how things are to be, not what to do: a list of brokers that are to be down, and for each broker and
each service a number that grows with every restart asked for. Whoever wants a change writes the file, knocks with
SIGUSR1 and waits until the supervisor's state file shows it. So an order is never lost or carried out twice, and it
goes on when whoever gave it has left.
"""

from __future__ import annotations

import fcntl
import signal
import time
from collections.abc import Callable

import click
import msgspec
from msgspec.structs import replace

from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.run_state import BrokerState, Phase, RunState, read_state, write_whole

KNOCK = signal.SIGUSR1
_POLL_S = 0.02


class Orders(msgspec.Struct, frozen=True):
    down: tuple[int, ...] = ()
    generations: dict[int, int] = {}
    services: dict[str, int] = {}
    supervisor: int = 0

    def take_down(self, node_id: int) -> Orders:
        return replace(self, down=tuple(sorted({*self.down, node_id})))

    def bring_back(self, node_id: int) -> Orders:
        return replace(self, down=tuple(other for other in self.down if other != node_id))

    def restart(self, node_id: int) -> Orders:
        """Also brings back a broker that is down."""
        generation = self.generations.get(node_id, 0) + 1
        return replace(self.bring_back(node_id), generations={**self.generations, node_id: generation})

    def restart_service(self, name: str) -> Orders:
        return replace(self, services={**self.services, name: self.services.get(name, 0) + 1})


def read_orders(directory: DataDir) -> Orders:
    try:
        return msgspec.json.decode(directory.orders_file.read_bytes(), type=Orders)
    except (FileNotFoundError, msgspec.MsgspecError):
        return Orders()


def give_order(state: RunState, directory: DataDir, change: Callable[[Orders], Orders]) -> Orders:
    """Change the orders and knock; returns them as they are now."""
    with directory.orders_file.with_suffix(".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        orders = change(read_orders(directory))
        write_whole(directory.orders_file, msgspec.json.encode(orders))
    if not state.supervisor.send(KNOCK):
        raise click.ClickException("The supervisor is gone, so nobody can do that. Stop all with `riacho down`.")
    return orders


def wait_for_broker(
    directory: DataDir, node_id: int, is_so: Callable[[BrokerState], bool], timeout_s: float
) -> BrokerState:
    """Until the broker's state is so; ClickException when it is not by then."""
    deadline = time.monotonic() + timeout_s
    while True:
        state = read_state(directory)
        broker = state.broker(node_id) if state is not None else None
        if state is None or broker is None or not state.supervisor.is_alive:
            raise click.ClickException("Riacho went down meanwhile.")
        if is_so(broker):
            return broker
        if time.monotonic() > deadline:
            raise click.ClickException(
                f"Broker {node_id} is still {broker.phase.value} after {timeout_s:g} s; "
                f"see {directory.error_log(node_id)}."
            )
        time.sleep(_POLL_S)


def bring_back(state: RunState, directory: DataDir, node_id: int, timeout_s: float) -> None:
    give_order(state, directory, lambda orders: orders.bring_back(node_id))
    wait_for_broker(directory, node_id, lambda broker: broker.phase is Phase.RUNNING, timeout_s)


def take_down(state: RunState, directory: DataDir, node_id: int, timeout_s: float) -> None:
    give_order(state, directory, lambda orders: orders.take_down(node_id))
    wait_for_broker(directory, node_id, lambda broker: broker.phase is Phase.STOPPED, timeout_s)


def restart(state: RunState, directory: DataDir, node_id: int, timeout_s: float) -> None:
    orders = give_order(state, directory, lambda orders: orders.restart(node_id))
    wanted = orders.generations[node_id]

    def is_back(broker: BrokerState) -> bool:
        return broker.phase is Phase.RUNNING and broker.generation >= wanted

    wait_for_broker(directory, node_id, is_back, timeout_s)


def restart_service(state: RunState, directory: DataDir, name: str, timeout_s: float) -> None:
    wanted = give_order(state, directory, lambda orders: orders.restart_service(name)).services[name]
    deadline = time.monotonic() + timeout_s
    while True:
        found = read_state(directory)
        service = found.service(name) if found is not None else None
        if found is None or service is None or not found.supervisor.is_alive:
            raise click.ClickException("Riacho went down meanwhile.")
        if service.phase is Phase.RUNNING and service.generation >= wanted:
            return
        if time.monotonic() > deadline:
            raise click.ClickException(
                f"{name} is still {service.phase.value} after {timeout_s:g} s; see {service.log}."
            )
        time.sleep(_POLL_S)


def renew_supervisor(state: RunState, directory: DataDir, timeout_s: float) -> None:
    """It becomes what the installed code is now; its children go on."""
    wanted = (state.generation or 0) + 1
    give_order(state, directory, lambda orders: replace(orders, supervisor=max(wanted, orders.supervisor)))
    deadline = time.monotonic() + timeout_s
    while True:
        found = read_state(directory)
        if found is None or not found.supervisor.is_alive:
            raise click.ClickException("Riacho went down meanwhile.")
        if (found.generation or 0) >= wanted:
            return
        if time.monotonic() > deadline:
            raise click.ClickException(
                f"The supervisor did not start anew within {timeout_s:g} s; see {directory.supervisor_log}."
            )
        time.sleep(_POLL_S)


def check_known(state: RunState, node_id: int) -> None:
    if state.broker(node_id) is None:
        known = ", ".join(str(broker.node_id) for broker in state.brokers)
        raise click.ClickException(f"There is no broker {node_id} here; there is: {known}.")
