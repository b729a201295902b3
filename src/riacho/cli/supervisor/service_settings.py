"""What `riacho up` is told of the services that it starts: `--connect-port`, `--connect-config FILE` and the like.

What a file says of brokers and listeners has no effect there, as `riacho up` decides those: so the file of a service
that ran alone can be used as it is. Variables such as CONNECT_PLUGIN_PATH are for services that run alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from riacho.base.config import parse_properties
from riacho.cli.supervisor.services import SERVICES, Service

F = TypeVar("F", bound=Callable[..., Any])


def each_service(option: Callable[[Service], Callable[[F], F]]) -> Callable[[F], F]:
    """The option of every service, in their order."""

    def decorate(command: F) -> F:
        for service in reversed(SERVICES.values()):
            command = option(service)(command)
        return command

    return decorate


def parameter(service: str, of: str) -> str:
    """By which name the command gets what was said."""
    return f"{service}-{of}".replace("-", "_")


def port_option(service: Service) -> Callable[[F], F]:
    variable = f"RIACHO_{parameter(service.name, 'port').upper()}"
    return click.option(
        f"--{service.name}-port",
        type=click.IntRange(0, 65535),
        envvar=variable,
        metavar="P",
        help=f"Default ${variable} or {service.port}, or a free one when that is taken.",
    )


def settings_file_option(service: Service) -> Callable[[F], F]:
    return click.option(
        f"--{service.name}-config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"Settings of {service.name} beside its brokers and its port, as `riacho {service.name} FILE` takes them.",
    )


def given_settings(files: Mapping[str, Path | None], wanted: Collection[str]) -> dict[str, dict[str, str]]:
    """What stands in the files, by the service's name."""
    found = {}
    for name, file in files.items():
        if file is None:
            continue
        if name not in wanted:
            raise click.UsageError(f"--{name}-config is for {name}, which is not to run.")
        try:
            found[name] = parse_properties(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise click.ClickException(f"{file} cannot be read: {reason}.") from None
    return found
