"""kafka-storage: prepare the log directories of a node, and tell what is in them."""

from __future__ import annotations

import os

from riacho.base.ids import uuid_text
from riacho.cli.kafka import feature_levels
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import launch
from riacho.cli.kafka.log_directories import log_directories, random_uuid, stored_meta
from riacho.cli.kafka.properties import load_properties
from riacho.log.meta_properties import MetaProperties


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
            from riacho.cli.kafka.storage_format import format_storage

            return format_storage(arguments, load_properties(arguments.need("config")))


def _info(properties: dict[str, str]) -> int:
    found, problems = [], []
    metadata: MetaProperties | None = None
    for directory in log_directories(properties):
        if not os.path.isdir(directory):
            problems.append(f"{directory} {'is not a directory' if os.path.exists(directory) else 'does not exist'}")
            continue
        found.append(directory)
        stored = stored_meta(directory)
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
