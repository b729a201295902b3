"""Which cluster a command talks to, and how it logs in there.

One set of options for all commands, in the order of precedence: `-b` and `-X KEY=VALUE`, the file of `--command-config`
and the profile of `--profile` (`profiles.py`), then the environment, the cluster that `riacho up` runs, localhost:9092.
Settings have Kafka's names, Java's or librdkafka's, as in the files that people have for other clients.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from riacho.cli.argument_names import complete_client_settings, complete_profiles
from riacho.cli.pairs import parse_pairs

if TYPE_CHECKING:
    from riacho.client.cluster import Cluster

DEFAULT_BOOTSTRAP_SERVERS = "localhost:9092"
BOOTSTRAP = "bootstrap.servers"
# A person waits for the answer: a broker that is not there is told at once, one that starts is waited for a little.
REACH_TIMEOUT_MS = 1_500
F = TypeVar("F", bound=Callable[..., Any])


class Target(NamedTuple):
    """A cluster, and the client settings to be used there, `bootstrap.servers` aside."""

    bootstrap: str
    properties: Mapping[str, str] = {}

    def __repr__(self) -> str:
        # Settings have passwords.
        return f"Target({self.bootstrap}, {sorted(self.properties)})"

    def open(self) -> Cluster:
        from riacho.client.cluster import Cluster
        from riacho.client.settings import client_settings

        settings = client_settings(self.bootstrap, self.properties)
        return Cluster(settings._replace(reach_timeout_ms=REACH_TIMEOUT_MS))


def cluster_options(function: F) -> F:
    """The options of every command that speaks with brokers; the command gets a `target`."""

    @wraps(function)
    def with_target(
        *args: Any,
        bootstrap: str | None,
        command_config: Path | None,
        settings: tuple[str, ...],
        profile: str | None,
        **others: Any,
    ) -> Any:
        given = parse_pairs(settings, "-X")
        return function(*args, target=find_target(bootstrap, command_config, given, profile), **others)

    options = (
        click.option(
            "-b",
            "--bootstrap-server",
            "bootstrap",
            metavar="HOST:PORT",
            help="A broker of the cluster. Default: $KAFKA_BOOTSTRAP_SERVERS, the running `riacho up`, localhost:9092.",
        ),
        click.option(
            "--command-config",
            type=click.Path(dir_okay=False, path_type=Path),
            envvar="RIACHO_COMMAND_CONFIG",
            metavar="FILE",
            help="Client settings with Kafka's names, for a login. Default $RIACHO_COMMAND_CONFIG.",
        ),
        click.option(
            "-X",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            shell_complete=complete_client_settings,
            help="One client setting. May be repeated.",
        ),
        click.option(
            "--profile",
            envvar="RIACHO_PROFILE",
            metavar="NAME",
            shell_complete=complete_profiles,
            help="Settings kept by `riacho profile save`. Default $RIACHO_PROFILE.",
        ),
    )
    decorated: Any = with_target
    for option in reversed(options):
        decorated = option(decorated)
    found: F = decorated
    return found


def find_target(
    bootstrap: str | None = None,
    command_config: Path | None = None,
    settings: Mapping[str, str] | None = None,
    profile: str | None = None,
) -> Target:
    properties = _kept(profile) | read_settings(command_config) | dict(settings or {})
    named = properties.pop(BOOTSTRAP, None)
    return Target(resolve_bootstrap(bootstrap or named), properties)


def resolve_bootstrap(given: str | None) -> str:
    from riacho.client.settings import parse_bootstrap

    found = given or os.environ.get("KAFKA_BOOTSTRAP_SERVERS") or _running_here() or DEFAULT_BOOTSTRAP_SERVERS
    return ",".join(f"{host}:{port}" for host, port in parse_bootstrap(found))


def _running_here() -> str | None:
    from riacho.cli.supervisor.running import newest_running

    state = newest_running()
    return state.bootstrap if state is not None else None


def _kept(profile: str | None) -> dict[str, str]:
    if profile is None:
        return {}
    from riacho.cli.profiles import read_profile

    return read_profile(profile)


def read_settings(file: Path | None) -> dict[str, str]:
    if file is None:
        return {}
    from riacho.base.config import parse_properties

    try:
        return parse_properties(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise click.ClickException(f"{file} cannot be read: {reason}.") from None
