"""What cluster a data directory belongs to, and whether it can be started with that many brokers.

`cluster.json` has the cluster's id and its controllers; a directory without one was made by a single broker, whose
`meta.properties` tells the id. The controllers are settled with the first start and stay. Adding to them by a mere
setting would lose data: two new controllers with empty logs are a majority of three, and could elect one of themselves
and have the first one's log cut off. So a cluster that grows gets brokers, and the controllers that it began with.
It does not shrink by itself either: what is on a broker's disk must be moved off first.
"""

from __future__ import annotations

import os

import click
import msgspec

from riacho.base.ids import uuid_text
from riacho.broker.local_cluster import controllers_of
from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.run_state import write_whole
from riacho.log.meta_properties import read_meta_properties


class ClusterFile(msgspec.Struct, frozen=True):
    cluster_id: str
    controllers: tuple[int, ...]


class Made(msgspec.Struct, frozen=True):
    """What is on disk already."""

    cluster_id: str
    controllers: tuple[int, ...]
    brokers: int


def read_made(directory: DataDir) -> Made | None:
    """None when no broker ever ran here."""
    ids = {node_id: found for node_id in directory.broker_ids() if (found := _cluster_id(directory, node_id))}
    if not ids:
        return None
    try:
        kept = msgspec.json.decode(directory.cluster_file.read_bytes(), type=ClusterFile)
    except FileNotFoundError:
        kept = ClusterFile(ids[min(ids)], (1,))
    except msgspec.MsgspecError as error:
        raise click.ClickException(f"{directory.cluster_file} cannot be read: {error}.") from None
    return Made(kept.cluster_id, kept.controllers, max(*ids, *kept.controllers))


def settle(directory: DataDir, asked: int | None, cluster_id: str | None = None) -> Made:
    """The cluster to start: as asked, or as it was. ClickException when that cannot be."""
    made = read_made(directory)
    if made is None:
        brokers = asked or 1
        return Made(cluster_id or _new_cluster_id(), controllers_of(brokers), brokers)
    brokers = asked or made.brokers
    if brokers < made.brokers:
        raise click.ClickException(
            f"{directory.path} has the data of {made.brokers} brokers; start it with --brokers {made.brokers}, "
            "or move the data off the last ones first (docs/operations/remove-a-broker.md)."
        )
    return Made(made.cluster_id, made.controllers, brokers)


def growth(directory: DataDir, made: Made) -> str | None:
    """What does not grow with a directory that gets more brokers than it had; None where nothing stays behind."""
    before = read_made(directory)
    if before is None or before.brokers >= made.brokers:
        return None
    had = f"{before.brokers} broker{'' if before.brokers == 1 else 's'}"
    told = f"{directory.path} was made by {had}: topics that are there keep the copies that they have"
    if made.controllers != controllers_of(made.brokers):
        told += f", and there is still one controller, broker {made.controllers[0]}, without which nothing goes on"
    return (
        f"{told}. For {made.brokers} of everything begin anew with --data-dir; "
        "for topics see docs/operations/add-a-broker.md."
    )


def keep(directory: DataDir, made: Made) -> None:
    """Leave word for later starts. A single broker needs none."""
    if made.brokers > 1:
        content = msgspec.json.encode(ClusterFile(made.cluster_id, made.controllers))
        write_whole(directory.cluster_file, msgspec.json.format(content, indent=2))


def _cluster_id(directory: DataDir, node_id: int) -> str | None:
    try:
        meta = read_meta_properties(str(directory.broker_data(node_id)))
    except (OSError, ValueError):
        # The broker itself says what is wrong with it, better than could be said here.
        return None
    return meta.cluster_id if meta is not None else None


def _new_cluster_id() -> str:
    while (text := uuid_text(os.urandom(16))).startswith("-"):
        # Command lines would take it for an option.
        continue
    return text
