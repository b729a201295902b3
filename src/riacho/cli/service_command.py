"""What `riacho schema-registry` and `riacho rest-proxy` have in common: properties from a file, from the environment as
in the container images (`SCHEMA_REGISTRY_KAFKASTORE_TOPIC` is `kafkastore.topic`), and from `--override`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import click

from riacho.base.config import ConfigError, properties_from_environment
from riacho.base.packages import how_to_install
from riacho.broker.log_file import LogFile
from riacho.cli import sd_notify
from riacho.cli.pairs import parse_pairs
from riacho.cli.supervisor.services import Service, can_run_services
from riacho.cli.target import read_settings

F = TypeVar("F", bound=Callable[..., None])


def service_options(function: F) -> F:
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    levels = click.Choice(["DEBUG", "INFO", "WARNING", "ERROR"])
    function = click.argument("properties", type=file, required=False)(function)
    override = "A property that beats the file's. May be repeated."
    function = click.option("--override", multiple=True, metavar="KEY=VALUE", help=override)(function)
    return click.option("--log-level", default="INFO", type=levels, help="How much is logged.")(function)


def run_service(service: Service, file: Path | None, override: tuple[str, ...], log_level: str) -> None:
    """In the foreground, until SIGTERM or Ctrl-C."""
    if not can_run_services():
        raise click.ClickException(
            f"riacho {service.name} needs packages that are not installed: {how_to_install('services')}."
        )
    properties = merged(service, file, override, os.environ)
    try:
        logging.basicConfig(
            level=log_level, handlers=[log_handler(properties)], format="%(asctime)s %(levelname)s %(message)s"
        )
        code: int = import_module(service.runner).run(properties, on_ready=lambda addresses: sd_notify.ready())
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    sys.exit(code)


def log_handler(properties: Mapping[str, str]) -> logging.Handler:
    from riacho.web.config import Settings, service_keys

    settings = Settings([key for key in service_keys(0) if key.name.startswith("riacho.log.")], properties)
    path = settings.text("riacho.log.file")
    if not path:
        return logging.StreamHandler(sys.stderr)
    backups = settings.integer("riacho.log.file.backups")
    return LogFile(Path(path), settings.integer("riacho.log.file.max.bytes"), backups)


def merged(
    service: Service, file: Path | None, override: tuple[str, ...], environment: Mapping[str, str]
) -> dict[str, str]:
    """The file's properties, beaten by the environment's, beaten by `--override`."""
    return {
        **read_settings(file),
        **properties_from_environment(environment, service.variables),
        **parse_pairs(override, "--override"),
    }
