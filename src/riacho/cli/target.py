"""Which cluster a command talks to: the flag's, the environment's, the one that `riacho up` runs, or localhost:9092."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from riacho.client.cluster import Cluster

DEFAULT_BOOTSTRAP_SERVERS = "localhost:9092"
# A person waits for the answer: a broker that is not there is told at once, one that starts is waited for a little.
REACH_TIMEOUT_MS = 1_500
F = TypeVar("F", bound=Callable[..., Any])


def bootstrap_option(function: F) -> F:
    return click.option(
        "-b",
        "--bootstrap-server",
        "bootstrap",
        metavar="HOST:PORT",
        help="A broker of the cluster. Default: $KAFKA_BOOTSTRAP_SERVERS, the running `riacho up`, localhost:9092.",
    )(function)


def resolve_bootstrap(given: str | None) -> str:
    from riacho.client.settings import parse_bootstrap

    found = given or os.environ.get("KAFKA_BOOTSTRAP_SERVERS") or _running_here() or DEFAULT_BOOTSTRAP_SERVERS
    return ",".join(f"{host}:{port}" for host, port in parse_bootstrap(found))


def _running_here() -> str | None:
    from riacho.cli.running import newest_running

    state = newest_running()
    return state.bootstrap if state is not None else None


def open_cluster(given: str | None) -> Cluster:
    from riacho.client.cluster import Cluster
    from riacho.client.settings import client_settings

    settings = client_settings(resolve_bootstrap(given), {})
    return Cluster(settings._replace(reach_timeout_ms=REACH_TIMEOUT_MS))
