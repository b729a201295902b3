"""`kafka-storage format`: make log directories a node's own, and leave in them what its first start needs."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from riacho.base.ids import uuid_from_text
from riacho.cli.kafka import feature_levels
from riacho.cli.kafka.bootstrap_checkpoint import (
    BOOTSTRAP_FILE,
    FIRST_SNAPSHOT_FILE,
    METADATA_PARTITION,
    bootstrap_checkpoint,
    first_snapshot,
)
from riacho.cli.kafka.controller_properties import metadata_directory as named_metadata_directory
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.initial_credentials import initial_credentials
from riacho.cli.kafka.initial_voters import check_flags, initial_voters, is_dynamic
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.log_directories import default_of, log_directories, random_uuid, stored_meta
from riacho.client.features import METADATA_VERSION
from riacho.log.checkpoints import replace_file
from riacho.log.meta_properties import MetaProperties, write_meta_properties
from riacho.metadata.image.records import MetadataRecord
from riacho.raft.voters import ReplicaKey, VoterSet

_READ_ONLY = 0o400


def format_storage(arguments: Arguments, properties: dict[str, str]) -> int:
    cluster_id, node_id = arguments.need("cluster-id"), _node_id(properties)
    try:
        uuid_from_text(cluster_id)
    except ValueError:
        raise ToolError(
            f"Cluster ID string {cluster_id} does not appear to be a valid UUID; kafka-storage random-uuid makes one."
        ) from None
    credentials = initial_credentials(arguments.all("add-scram"))
    check_flags(arguments, properties)
    levels = feature_levels.bootstrap_levels(
        arguments.text("release-version"), arguments.all("feature"), dynamic=is_dynamic(arguments)
    )
    directories = log_directories(properties)
    stored = {directory: stored_meta(directory) if os.path.isdir(directory) else None for directory in directories}
    _check_stored(stored, cluster_id, node_id, ignore=arguments.has("ignore-formatted"))
    fresh_id = uuid_from_text(random_uuid())
    voters = initial_voters(arguments, properties, node_id, fresh_id)
    own = voters.get(node_id) if voters else None
    metadata_directory = named_metadata_directory(properties) or directories[0]
    todo = {
        directory: (own.directory_id if own else fresh_id)
        if directory == metadata_directory
        else uuid_from_text(random_uuid())
        for directory, meta in stored.items()
        if meta is None
    }
    if not todo:
        print("All of the log directories are already formatted.")
        return 0
    print(_announcement(levels))
    release = feature_levels.level_text(METADATA_VERSION, levels[METADATA_VERSION])
    for directory, directory_id in todo.items():
        kind = _kind(directory == metadata_directory, voters, ReplicaKey(node_id, directory_id))
        print(f"Formatting {kind} directory {directory} with metadata.version {release}.")
        meta = MetaProperties(node_id, cluster_id, directory_id)
        _write(directory, meta, levels, voters if directory == metadata_directory else None, credentials)
    return 0


def _node_id(properties: Mapping[str, str]) -> int:
    text = properties.get("node.id") or properties.get("broker.id") or default_of("node.id")
    if not text.isdecimal():
        raise ToolError("The configuration needs a node.id, a number that is not negative.")
    return int(text)


def _check_stored(stored: dict[str, MetaProperties | None], cluster_id: str, node_id: int, *, ignore: bool) -> None:
    for directory, meta in stored.items():
        if meta is None:
            continue
        path = os.path.join(directory, "meta.properties")
        if meta.cluster_id != cluster_id:
            raise ToolError(f"Invalid cluster.id in: {path}. Expected {cluster_id}, but read {meta.cluster_id}")
        if meta.node_id != node_id:
            raise ToolError(f"Invalid node.id in: {path}. Expected {node_id}, but read {meta.node_id}")
        if not ignore:
            raise ToolError(
                f"Log directory {directory} is already formatted. Use --ignore-formatted to ignore this directory and "
                "format the others."
            )


def _kind(is_metadata: bool, voters: VoterSet | None, own: ReplicaKey) -> str:
    if not is_metadata:
        return "data"
    if voters is None:
        return "metadata"
    return "dynamic metadata voter" if voters.has(own) else "dynamic metadata"


def _announcement(levels: Mapping[str, int]) -> str:
    """In the words of Kafka's tool, which prints its records as its own language shows them."""
    records = ", ".join(
        f"ApiMessageAndVersion(FeatureLevelRecord(name='{name}', featureLevel={level}) at version 0)"
        for name, level in levels.items()
    )
    level = levels[METADATA_VERSION]
    return (
        f"Bootstrap metadata: BootstrapMetadata(records=[{records}], metadataVersionLevel={level}, "
        "source=format command)"
    )


def _write(
    directory: str,
    meta: MetaProperties,
    levels: Mapping[str, int],
    voters: VoterSet | None,
    credentials: Sequence[MetadataRecord],
) -> None:
    """`meta.properties` comes last: a directory without it is not formatted, and can be formatted again."""
    now_ms = time.time_ns() // 1_000_000
    os.makedirs(directory, exist_ok=True)
    replace_file(os.path.join(directory, BOOTSTRAP_FILE), bootstrap_checkpoint(levels, now_ms, credentials))
    if voters is not None:
        partition = os.path.join(directory, METADATA_PARTITION)
        os.makedirs(partition, exist_ok=True)
        snapshot = os.path.join(partition, FIRST_SNAPSHOT_FILE)
        replace_file(snapshot, first_snapshot(voters, now_ms))
        os.chmod(snapshot, _READ_ONLY)
    write_meta_properties(directory, meta)
