"""The ports of `riacho up`: those asked for when they are free, else one clear sentence about the first that is not."""

from __future__ import annotations

from collections.abc import Mapping

import click

from riacho.broker.local_cluster import NodePorts, client_and_controller_ports, metrics_ports
from riacho.cli.output import remark
from riacho.cli.supervisor.readiness import answers
from riacho.cli.supervisor.services import SERVICES
from riacho.client.loopback import HOST, free_ports, is_free

METRICS_PORT = 9404
_HIGHEST_PORT = 65_535


def choose_ports(
    port: int, metrics_port: int | None, brokers: int, controllers: tuple[int, ...]
) -> dict[int, NodePorts]:
    """By node id. A port of 0 takes free ones."""
    # All at once, so that no two of them are the same.
    drawn = free_ports(3 * brokers)
    pairs = client_and_controller_ports(port, brokers) if port else _pairs(drawn[brokers:])
    metrics = _metrics_ports(metrics_port, drawn[:brokers])
    ports = {
        node_id: NodePorts(
            client, metrics[node_id - 1], controller if _listens(node_id, brokers, controllers) else None
        )
        for node_id, (client, controller) in enumerate(pairs, 1)
    }
    for node_id, node in ports.items() if port else ():
        for wanted in filter(None, (node.client, node.controller)):
            _check(wanted, "--port", node_id if brokers > 1 else None)
    return ports


def choose_service_ports(asked: Mapping[str, int | None], *, is_free_choice: bool) -> dict[str, int]:
    """By service. Asked for: that port or an error; 0, or `is_free_choice` where nobody asked: a free one; otherwise
    the usual port, which gives way when it is taken."""
    drawn = dict(zip(asked, free_ports(len(asked)), strict=True))
    chosen = {}
    for name, port in asked.items():
        usual = SERVICES[name].port
        if port:
            _check(port, f"--{name}-port", None)
            chosen[name] = port
        elif port == 0 or is_free_choice:
            chosen[name] = drawn[name]
        else:
            if not is_free(usual):
                remark(f"Port {usual} on {HOST} is taken: {name} gets {drawn[name]}.")
            chosen[name] = usual if is_free(usual) else drawn[name]
    return chosen


def _listens(node_id: int, brokers: int, controllers: tuple[int, ...]) -> bool:
    """A controller that is alone needs no listener for others."""
    return brokers > 1 and node_id in controllers


def _pairs(drawn: list[int]) -> list[tuple[int, int]]:
    return list(zip(drawn[::2], drawn[1::2], strict=True))


def _metrics_ports(asked: int | None, drawn: list[int]) -> list[int]:
    brokers = len(drawn)
    if asked == 0:
        return drawn
    if asked is None:
        # A convenience that nobody asked for gives way.
        usual = metrics_ports(METRICS_PORT, brokers)
        return [port if is_free(port) else spare for port, spare in zip(usual, drawn, strict=True)]
    ports = list(metrics_ports(asked, brokers))
    for node_id, port in enumerate(ports, 1):
        _check(port, "--metrics-port", node_id if brokers > 1 else None)
    return ports


def _check(port: int, option: str, node_id: int | None) -> None:
    whose = f", for broker {node_id}," if node_id is not None else ""
    if port > _HIGHEST_PORT:
        raise click.UsageError(f"There is no port {port}{whose.rstrip(',')}. Choose a lower one with {option}.")
    if not is_free(port):
        who = "a Kafka broker answers there" if answers(HOST, port) else "another program has it"
        raise click.ClickException(f"Port {port} on {HOST}{whose} is taken ({who}). Choose another with {option}.")
