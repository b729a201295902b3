"""The chosen cluster for a command that names none: flags that its line lacks, and the environment it runs in.

A line that names brokers or a profile is left alone in full: a login of the chosen cluster is sent to no other. One
that names a file of client settings logs in by that, at the brokers that the file names or else the chosen cluster's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import click
from click.core import ParameterSource

from riacho.cli.kafka.flags.jopt import Arguments, UsageError, parse
from riacho.cli.kafka.flags.options import Tool, options_of
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.shell.clusters import ShellCluster, ToolSettings
from riacho.cli.shell.programs import RIACHO, Program, root_command

_BOOTSTRAP = "KAFKA_BOOTSTRAP_SERVERS"
_PROFILE = "RIACHO_PROFILE"
_CONFIG = "RIACHO_COMMAND_CONFIG"
_SERVICES = ("RIACHO_SCHEMA_REGISTRY_URL", "RIACHO_CONNECT_URL", "RIACHO_KSQL_URL")
# What names a cluster: of the tools by their flags, of `riacho` by its options' names within click.
_TOOL_FLAGS = ("bootstrap-server", "bootstrap-controller")
_OPTIONS = ("bootstrap", "profile")


class Subcommand(NamedTuple):
    """A command of `riacho` as click sees it; `depth` words lead to it."""

    command: click.Command
    context: click.Context
    path: tuple[str, ...]
    depth: int


def environment_of(cluster: ShellCluster, environment: Mapping[str, str]) -> dict[str, str]:
    """For whatever runs beside the chosen cluster, the system's own programs among it."""
    if cluster.is_usual:
        # What `riacho` finds by itself; Kafka's tools would not.
        return {_BOOTSTRAP: cluster.addresses.bootstrap, **environment}
    chosen = (_BOOTSTRAP, _PROFILE, _CONFIG, *_SERVICES)
    made = {name: value for name, value in environment.items() if name not in chosen}
    addresses = cluster.addresses
    config = cluster.admin.config if cluster.profile is None else None
    found = {
        _BOOTSTRAP: addresses.bootstrap,
        _PROFILE: cluster.profile,
        _CONFIG: str(config) if config is not None else None,
        **dict(zip(_SERVICES, (addresses.schema_registry_url, addresses.connect_url, addresses.ksql_url), strict=True)),
    }
    return made | {name: value for name, value in found.items() if value}


def with_cluster(
    program: Program, cluster: ShellCluster, environment: Mapping[str, str]
) -> tuple[Program, dict[str, str]]:
    """The program to run, and its environment."""
    if program.name == RIACHO and cluster.is_usual:
        return program, dict(environment)
    if program.name == RIACHO:
        return _riacho(program, cluster, environment)
    tool = TOOLS.get(program.name)
    if tool is None:
        return program, environment_of(cluster, environment)
    return _tool(program, tool, cluster, environment)


def _riacho(program: Program, cluster: ShellCluster, environment: Mapping[str, str]) -> tuple[Program, dict[str, str]]:
    found = find_subcommand(program.words)
    if found is None:
        return program, environment_of(cluster, environment)
    if _names_cluster(found.context):
        return program, dict(environment)
    made = environment_of(cluster, environment)
    if _is_typed(found.context, "command_config"):
        return program, _without_login(made)
    takes = {parameter.name for parameter in found.command.params}
    if not takes.issuperset(_OPTIONS):
        return program, made
    settings = settings_for(found.path[0], cluster)
    if settings.config is not None and cluster.profile is None:
        made[_CONFIG] = str(settings.config)
    words = program.words
    flags = ("--bootstrap-server", cluster.addresses.bootstrap)
    return Program(program.name, (*words[: found.depth], *flags, *words[found.depth :])), made


def find_subcommand(words: tuple[str, ...]) -> Subcommand | None:
    """The command that the words lead to, with its parameters as far as they can be read."""
    command: click.Command = root_command()
    path: list[str] = []
    for word in words:
        if not isinstance(command, click.Group):
            break
        if word.startswith("-"):
            return None
        below = command.get_command(click.Context(command), word)
        if below is None:
            return None
        command = below
        path.append(word)
    if not path:
        return None
    try:
        context = command.make_context(path[-1], list(words[len(path) :]), resilient_parsing=True)
    except (click.ClickException, ValueError):
        return None
    return Subcommand(command, context, tuple(path), len(path))


def _names_cluster(context: click.Context) -> bool:
    if any(_is_typed(context, name) for name in _OPTIONS):
        return True
    return any(str(pair).startswith("bootstrap.servers=") for pair in context.params.get("settings") or ())


def _is_typed(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _without_login(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in (_PROFILE, _CONFIG)}


def _tool(
    program: Program, tool: Tool, cluster: ShellCluster, environment: Mapping[str, str]
) -> tuple[Program, dict[str, str]]:
    arguments = parsed(tool, program.words)
    if arguments is not None and _tool_names_cluster(arguments):
        return program, dict(environment)
    made = environment_of(cluster, environment)
    if arguments is None or not program.words or arguments.has("help") or arguments.has("version"):
        return program, made
    if arguments.has("command-config"):
        return program, _without_login(made)
    takes = {option.name for option in options_of(tool, arguments.command)}
    flags: list[str] = []
    settings = settings_for(tool.name, cluster)
    if "bootstrap-server" in takes:
        flags += ["--bootstrap-server", cluster.addresses.bootstrap]
    if "command-config" in takes and settings.config is not None:
        flags += ["--command-config", str(settings.config)]
    for flag in ("formatter-property", "reader-property"):
        if flag in takes:
            # In front of the line's own, which therefore win.
            for key, value in _properties(tool, cluster, settings).items():
                flags += [f"--{flag}", f"{key}={value}"]
    return Program(program.name, (*flags, *program.words)), made


def _properties(tool: Tool, cluster: ShellCluster, settings: ToolSettings) -> dict[str, str]:
    properties = dict(settings.properties)
    registry = cluster.addresses.schema_registry_url
    if registry and any(word in tool.name for word in ("avro", "json-schema", "protobuf")):
        properties.setdefault("schema.registry.url", registry)
    return properties


def _tool_names_cluster(arguments: Arguments) -> bool:
    if any(arguments.has(name) for name in _TOOL_FLAGS):
        return True
    return any(str(pair).startswith("bootstrap.servers=") for pair in arguments.all("command-property"))


def parsed(tool: Tool, words: tuple[str, ...]) -> Arguments | None:
    """None where the tool itself will refuse the line."""
    try:
        return parse(tool, list(words))
    except UsageError:
        return None


def settings_for(name: str, cluster: ShellCluster) -> ToolSettings:
    """Consumers and producers may have settings of their own; without them, those of all others."""
    kind = cluster.admin
    if name == "consume" or name.endswith(("-consumer", "consumer-perf-test")):
        kind = cluster.consumer
    elif name == "produce" or name.endswith(("-producer", "producer-perf-test")):
        kind = cluster.producer
    return kind if kind.config is not None else ToolSettings(cluster.admin.config, kind.properties)
