"""`riacho group`: list, describe, reset and delete consumer groups."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.argument_names import complete_groups, complete_places, complete_topic_partitions
from riacho.cli.failures import PlainGroup
from riacho.cli.output import (
    JSON,
    RAW,
    TABLE,
    confirm,
    output_option,
    remark,
    show_facts,
    show_json,
    show_rows,
    yes_option,
)
from riacho.cli.target import Target, cluster_options

if TYPE_CHECKING:
    from riacho.client.cluster import Cluster
    from riacho.client.offsets import TopicPartition

_RESET_COLUMNS = ("topic", "partition", "before", "after")


@click.group("group", cls=PlainGroup)
def command() -> None:
    """List, describe, reset and delete consumer groups.

    \b
    riacho group list
    riacho group describe billing            members, and how far behind they are
    riacho group reset billing --topic orders --to start
    """


@command.command("list")
@output_option
@cluster_options
def list_(output: str, target: Target) -> None:
    """List groups.

    \b
    riacho group list
    riacho group list -o json
    """
    from riacho.client.groups import list_groups

    with target.open() as cluster:
        groups = list_groups(cluster)
    rows = [
        {"group": g.group_id, "state": g.group_state or None, "type": g.group_type, "protocol": g.protocol_type or None}
        for g in groups
    ]
    empty = "There are no groups yet. `riacho consume TOPIC --group NAME` makes one."
    show_rows(rows, ["group", "state", "type", "protocol"], output, empty=empty)


@command.command("describe")
@click.argument("name", shell_complete=complete_groups)
@output_option
@cluster_options
def describe(name: str, output: str, target: Target) -> None:
    """Show a group's members and, partition by partition, how far it is behind (its lag).

    \b
    riacho group describe billing
    riacho group describe billing -o json | jq .lag
    """
    from riacho.cli.views.group_view import LAG_COLUMNS, view_group

    with target.open() as cluster:
        view = view_group(cluster, name)
    if output == JSON:
        show_json(view.as_json())
    elif output == RAW:
        show_rows(view.rows, LAG_COLUMNS, RAW)
    else:
        facts = {"group": view.group_id, "state": view.state, "type": view.kind, "assignor": view.assignor or None}
        show_facts(facts | {"members": len(view.members), "lag": view.lag})
        show_rows(view.rows, LAG_COLUMNS, TABLE, empty="It has no offsets and no partitions.")


@command.command("reset")
@click.argument("name", shell_complete=complete_groups)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="TOPIC[:P,P]",
    shell_complete=complete_topic_partitions,
    help="What to reset. Default: all it has read.",
)
@click.option(
    "--to",
    required=True,
    metavar="PLACE",
    shell_complete=complete_places,
    help="start, end, an offset, -N, @TIME or '5m ago'.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be.")
@yes_option
@output_option
@cluster_options
def reset(name: str, topics: tuple[str, ...], to: str, dry_run: bool, yes: bool, output: str, target: Target) -> None:
    """Set where a group goes on reading. Nobody of the group may be reading meanwhile.

    \b
    riacho group reset billing --topic orders --to start
    riacho group reset billing --to '1h ago'
    riacho group reset billing --topic orders:0,1 --to -100 --dry-run
    """
    from riacho.cli.position import parse_position, resolve
    from riacho.client.groups import commit_offsets, fetch_offsets

    position = parse_position(to, time.time_ns() // 1_000_000)
    with target.open() as cluster:
        before = fetch_offsets(cluster, name)
        partitions = _partitions(cluster, topics) if topics else sorted(before)
        if not partitions:
            raise KafkaError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group '{name}' has read nothing yet; say what to set with --topic."
            )
        after = resolve(cluster, position, partitions)
        rows = [
            {"topic": p[0], "partition": p[1], "before": before[p].offset if p in before else None, "after": after[p]}
            for p in partitions
        ]
        if not dry_run:
            confirm(f"Set {len(rows)} offsets of group {name} to {to}?", yes)
            _check_idle(cluster, name)
            commit_offsets(cluster, name, after)
    show_rows(rows, _RESET_COLUMNS, output)
    if dry_run:
        remark("Nothing was changed.")


def _check_idle(cluster: Cluster, name: str) -> None:
    """Offsets of a group whose members are reading would be overwritten by their next commit; brokers refuse it too."""
    from riacho.client.groups import list_groups

    group = next((g for g in list_groups(cluster) if g.group_id == name), None)
    if group is not None and group.group_state.lower() not in ("", "empty", "dead"):
        raise KafkaError(
            ErrorCode.NON_EMPTY_GROUP, f"Group '{name}' is {group.group_state}: stop its members first, then reset it."
        )


def _partitions(cluster: Cluster, words: tuple[str, ...]) -> list[TopicPartition]:
    """`orders` is all its partitions, `orders:0,2` those two."""
    chosen: list[TopicPartition] = []
    for word in words:
        topic, colon, numbers = word.partition(":")
        known = [p.partition_index for p in cluster.retry(lambda t=topic: cluster.topics([t]))[topic].partitions]  # type: ignore[misc]
        wanted = sorted(known)
        if colon:
            if not all(number.strip().isdecimal() for number in numbers.split(",")):
                raise click.UsageError(f"--topic takes TOPIC or TOPIC:P,P, not {word!r}.")
            wanted = [int(number) for number in numbers.split(",")]
        missing = [p for p in wanted if p not in known]
        if missing:
            raise click.ClickException(f"Topic '{topic}' has no partition {missing[0]}; it has {len(known)}.")
        chosen += [(topic, p) for p in wanted]
    return list(dict.fromkeys(chosen))


@command.command("delete")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_groups)
@yes_option
@cluster_options
def delete(names: tuple[str, ...], yes: bool, target: Target) -> None:
    """Delete groups and their offsets. Nobody of the group may be reading. On a terminal it asks first.

    \b
    riacho group delete billing
    """
    from riacho.client.groups import delete_groups

    confirm(f"Delete {', '.join(names)} and all offsets?", yes)
    reasons = {
        ErrorCode.NON_EMPTY_GROUP: "still has members: stop them first",
        ErrorCode.GROUP_ID_NOT_FOUND: "does not exist",
    }
    with target.open() as cluster:
        outcomes = delete_groups(cluster, names)
    for name, error in outcomes.items():
        if error is ErrorCode.NONE:
            click.echo(f"Deleted group {name}.")
    for name, error in outcomes.items():
        if error is not ErrorCode.NONE:
            raise KafkaError(error, f"Group '{name}' {reasons.get(error, f'was not deleted: {error.name}')}.")
