"""kafka-storage: prepare the log directories of a node, and tell what is in them."""

from __future__ import annotations

import os
import sys

from riacho.base.ids import uuid_from_text, uuid_text
from riacho.cli.kafka import feature_levels
from riacho.cli.kafka.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.properties import load_properties
from riacho.log.meta_properties import MetaProperties, read_meta_properties, write_meta_properties


def main() -> None:
    launch("kafka-storage", run)


def run(arguments: Arguments) -> int:
    match arguments.command:
        case "random-uuid":
            print(random_uuid())
            return 0
        case "version-mapping":
            return feature_levels.print_mapping(arguments.text("release-version"))
        case "feature-dependencies":
            return feature_levels.print_dependencies(arguments.all("feature"))
        case "info":
            return _info(load_properties(arguments.need("config")))
        case _:
            return _format(arguments, load_properties(arguments.need("config")))


def random_uuid() -> str:
    """A version 4 uuid in Kafka's text form; never one that begins with a dash, which would read as a flag."""
    while True:
        raw = bytearray(os.urandom(16))
        raw[6] = raw[6] & 0x0F | 0x40
        raw[8] = raw[8] & 0x3F | 0x80
        text = uuid_text(bytes(raw))
        if not text.startswith("-"):
            return text


def log_directories(properties: dict[str, str]) -> list[str]:
    text = properties.get("log.dirs") or properties.get("log.dir") or _default("log.dir")
    named = [part.strip() for part in text.split(",") if part.strip()]
    metadata = properties.get("metadata.log.dir")
    return sorted({*named, *([metadata] if metadata else [])})


def _default(name: str) -> str:
    from riacho.metadata.broker_configs import BROKER_KEYS

    return BROKER_KEYS[name].default or ""


def _read(directory: str) -> MetaProperties | None:
    try:
        return read_meta_properties(directory)
    except (OSError, ValueError) as error:
        raise ToolError(f"{os.path.join(directory, 'meta.properties')} cannot be read: {error}") from None


def _info(properties: dict[str, str]) -> int:
    found, problems = [], []
    metadata: MetaProperties | None = None
    for directory in log_directories(properties):
        if not os.path.isdir(directory):
            problems.append(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}")
            continue
        found.append(directory)
        stored = _read(directory)
        if stored is None:
            problems.append(f"{directory} is not formatted.")
        metadata = metadata or stored
        if stored and metadata and (stored.cluster_id, stored.node_id) != (metadata.cluster_id, metadata.node_id):
            problems.append(f"{directory} belongs to node {stored.node_id} of cluster {stored.cluster_id}.")
    node_id = properties.get("node.id")
    if metadata and node_id and metadata.node_id != int(node_id):
        problems.append(f"The configuration is for node {node_id}, the directories are of node {metadata.node_id}.")
    if found:
        _print_list("Found log director" + ("y:" if len(found) == 1 else "ies:"), found)
    if metadata:
        print(
            f"Found metadata: {{cluster.id={metadata.cluster_id}, directory.id={uuid_text(metadata.directory_id)}, "
            f"node.id={metadata.node_id}, version=1}}\n"
        )
    if problems:
        _print_list("Found problem" + (":" if len(problems) == 1 else "s:"), problems)
    return 1 if problems else 0


def _print_list(title: str, lines: list[str]) -> None:
    print(title, *(f"  {line}" for line in lines), "", sep="\n")


def _format(arguments: Arguments, properties: dict[str, str]) -> int:
    cluster_id, node_id = arguments.need("cluster-id"), _node_id(properties)
    try:
        uuid_from_text(cluster_id)
    except ValueError:
        raise ToolError(
            f"Cluster ID string {cluster_id} does not appear to be a valid UUID; kafka-storage random-uuid makes one."
        ) from None
    if arguments.has("add-scram"):
        raise ToolError("--add-scram is not here yet: add credentials with kafka-configs when the broker runs.")
    feature_levels.check_format(arguments.text("release-version"), arguments.all("feature"))
    given_id = _directory_id(arguments.text("initial-controllers"), node_id)
    directories = log_directories(properties)
    stored = {directory: _read(directory) if os.path.isdir(directory) else None for directory in directories}
    _check_stored(stored, cluster_id, node_id, ignore=arguments.has("ignore-formatted"))
    todo = [directory for directory, meta in stored.items() if meta is None]
    if not todo:
        print("All of the log directories are already formatted.")
        return 0
    metadata_directory = properties.get("metadata.log.dir") or directories[0]
    for directory in todo:
        kind = "metadata" if directory == metadata_directory else "data"
        print(f"Formatting {kind} directory {directory} with metadata.version {feature_levels.LATEST}.")
        os.makedirs(directory, exist_ok=True)
        directory_id = given_id if given_id and kind == "metadata" else uuid_from_text(random_uuid())
        write_meta_properties(directory, MetaProperties(node_id, cluster_id, directory_id))
    return 0


def _node_id(properties: dict[str, str]) -> int:
    text = properties.get("node.id") or properties.get("broker.id") or _default("node.id")
    if not text.isdigit():
        raise ToolError("The configuration needs a node.id, a number that is not negative.")
    return int(text)


def _check_stored(stored: dict[str, MetaProperties | None], cluster_id: str, node_id: int, *, ignore: bool) -> None:
    for directory, meta in stored.items():
        if meta is None:
            continue
        if meta.cluster_id != cluster_id:
            path = os.path.join(directory, "meta.properties")
            raise ToolError(f"Invalid cluster.id in: {path}. Expected {cluster_id}, but read {meta.cluster_id}")
        if meta.node_id != node_id:
            path = os.path.join(directory, "meta.properties")
            raise ToolError(f"Invalid node.id in: {path}. Expected {node_id}, but read {meta.node_id}")
        if not ignore:
            sys.stdout.flush()
            raise ToolError(
                f"Log directory {directory} is already formatted. Use --ignore-formatted to ignore this directory and "
                "format the others."
            )


def _directory_id(controllers: str | None, node_id: int) -> bytes | None:
    """`id@host:port:directory,...`: the directory id that the quorum expects of this node, if it is in the list."""
    for part in (controllers or "").split(","):
        name, at, rest = part.strip().partition("@")
        if not name:
            continue
        try:
            if not at:
                raise ValueError
            directory_id = uuid_from_text(rest.rpartition(":")[2])
            if int(name) == node_id:
                return directory_id
        except ValueError:
            raise ToolError(f"'{part.strip()}' is not a controller; write id@host:port:directory") from None
    return None
