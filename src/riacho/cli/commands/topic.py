"""`riacho topic`: list, create, describe, change and delete topics."""

from __future__ import annotations

import click

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.argument_names import complete_topic_keys, complete_topic_settings, complete_topics
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
from riacho.cli.pairs import parse_pairs
from riacho.cli.target import Target, cluster_options

# As requests have room for them.
_COUNT, _REPLICAS = click.IntRange(1, (1 << 31) - 1), click.IntRange(1, (1 << 15) - 1)
_KEYS_MOVE = (
    "Records with a key may go to another partition from now on: a key's older records stay where they are, "
    "so its order across the change is not kept."
)


@click.group("topic", cls=PlainGroup)
def command() -> None:
    """List, create, describe, change and delete topics.

    \b
    riacho topic create orders -p 3
    riacho topic list
    riacho topic describe orders
    riacho topic alter orders --set retention.ms=86400000
    """


@command.command("list")
@click.option("--internal", is_flag=True, help="Also the topics that the brokers keep for themselves.")
@output_option
@cluster_options
def list_topics(internal: bool, output: str, target: Target) -> None:
    """List topics.

    \b
    riacho topic list
    riacho topic list -o json | jq '.[].name'
    """
    with target.open() as cluster:
        metadata = cluster.retry(cluster.metadata)
    rows = [
        {
            "name": topic.name or "",
            "partitions": len(topic.partitions),
            "replicas": max((len(p.replica_nodes) for p in topic.partitions), default=0),
            "internal": topic.is_internal,
        }
        for topic in sorted(metadata.topics, key=lambda topic: topic.name or "")
        if internal or not topic.is_internal
    ]
    columns = ["name", "partitions", "replicas", *(["internal"] if internal else [])]
    show_rows(rows, columns, output, empty="There are no topics yet. Make one with `riacho topic create NAME`.")


@command.command("create")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("-p", "--partitions", type=_COUNT, help="How many partitions. Default: the cluster's.")
@click.option("-r", "--replication-factor", type=_REPLICAS, help="Copies of each. Default: the cluster's.")
@click.option(
    "-c",
    "--config",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_topic_settings,
    help="A setting of the topic. May be repeated.",
)
@click.option("--if-not-exists", is_flag=True, help="A topic that is there already is no error.")
@output_option
@cluster_options
def create(
    names: tuple[str, ...],
    partitions: int | None,
    replication_factor: int | None,
    config: tuple[str, ...],
    if_not_exists: bool,
    output: str,
    target: Target,
) -> None:
    """Create topics.

    \b
    riacho topic create orders -p 3
    riacho topic create customers -c cleanup.policy=compact

    How many partitions? `riacho plan partitions` measures and answers.
    """
    from riacho.client.topic_changes import DEFAULT, create_topic

    configs = parse_pairs(config, "--config")
    rows = []
    with target.open() as cluster:
        for name in names:
            try:
                made = create_topic(
                    cluster,
                    name,
                    partitions=partitions or DEFAULT,
                    replication_factor=replication_factor or DEFAULT,
                    configs=configs,
                )
            except KafkaError as error:
                if error.code is not ErrorCode.TOPIC_ALREADY_EXISTS:
                    raise
                if not if_not_exists:
                    raise KafkaError(error.code, f"Topic '{name}' exists already.") from None
                remark(f"Topic {name} exists already.")
                continue
            rows.append({"name": name, "partitions": made.num_partitions, "replicas": made.replication_factor})
    if output == TABLE:
        for row in rows:
            click.echo(f"Created topic {row['name']}{_with_partitions(row['partitions'])}.")
    else:
        show_rows(rows, ["name", "partitions", "replicas"], output)


@command.command("describe")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_topics)
@output_option
@cluster_options
def describe(names: tuple[str, ...], output: str, target: Target) -> None:
    """Show partitions, where they are, what they hold, and the settings that are the topic's own.

    \b
    riacho topic describe orders
    riacho topic describe orders -o json
    """
    from riacho.cli.views.topic_view import PARTITION_COLUMNS, view_topics

    with target.open() as cluster:
        views = view_topics(cluster, list(names))
    if output == JSON:
        show_json([view.as_json() for view in views])
        return
    for i, view in enumerate(views):
        if output == RAW:
            show_rows([{"topic": view.name} | row for row in view.partitions], ["topic", *PARTITION_COLUMNS], RAW)
            continue
        if i:
            click.echo()
        configs = ", ".join(f"{key}={value}" for key, value in view.configs.items())
        show_facts({"topic": view.name, "id": view.topic_id, "records": view.records, "settings": configs or None})
        show_rows(view.partitions, PARTITION_COLUMNS, TABLE)


@command.command("delete")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_topics)
@yes_option
@click.option("--if-exists", is_flag=True, help="A topic that is not there is no error.")
@cluster_options
def delete(names: tuple[str, ...], yes: bool, if_exists: bool, target: Target) -> None:
    """Delete topics and all their records. On a terminal it asks first.

    \b
    riacho topic delete orders
    riacho topic delete orders payments --yes
    """
    from riacho.client.topic_changes import delete_topic

    confirm(f"Delete {', '.join(names)} and all records?", yes)
    with target.open() as cluster:
        for name in names:
            try:
                delete_topic(cluster, name)
            except KafkaError as error:
                if error.code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                    raise
                if not if_exists:
                    raise KafkaError(error.code, f"Topic '{name}' does not exist.") from None
                remark(f"Topic {name} does not exist.")
                continue
            click.echo(f"Deleted topic {name}.")


@command.command("alter")
@click.argument("name", shell_complete=complete_topics)
@click.option(
    "--set",
    "set_",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_topic_settings,
    help="Set a setting. May be repeated.",
)
@click.option(
    "--unset",
    multiple=True,
    metavar="KEY",
    shell_complete=complete_topic_keys,
    help="Back to the cluster's default. May be repeated.",
)
@cluster_options
def alter(name: str, set_: tuple[str, ...], unset: tuple[str, ...], target: Target) -> None:
    """Change a topic's settings.

    \b
    riacho topic alter orders --set retention.ms=86400000
    riacho topic alter orders --unset retention.ms
    """
    from riacho.client.configs import alter_configs
    from riacho.metadata.image.config_resource import ResourceType

    changes = parse_pairs(set_, "--set")
    if not changes and not unset:
        raise click.UsageError("Say what to change: --set KEY=VALUE or --unset KEY.")
    with target.open() as cluster:
        cluster.retry(lambda: cluster.topics([name]))
        alter_configs(cluster, ResourceType.TOPIC, name, changes, unset)
    told = [*(f"{key}={value}" for key, value in changes.items()), *(f"{key} back to its default" for key in unset)]
    click.echo(f"Changed topic {name}: {', '.join(told)}.")


@command.command("add-partitions")
@click.argument("name", shell_complete=complete_topics)
@click.option("--to", "total", type=_COUNT, metavar="N", help="So that there are N in all.")
@click.option("--by", "more", type=_COUNT, metavar="N", help="N more than there are.")
@yes_option
@cluster_options
def add_partitions(name: str, total: int | None, more: int | None, yes: bool, target: Target) -> None:
    """Add partitions to a topic. They cannot be taken away again, and keys may change partition.

    \b
    riacho topic add-partitions orders --to 6
    riacho topic add-partitions orders --by 3
    """
    from riacho.client.topic_changes import set_partition_count

    if (total is None) == (more is None):
        raise click.UsageError("Say how many: either --to N in all or --by N more.")
    with target.open() as cluster:
        before = len(cluster.retry(lambda: cluster.topics([name]))[name].partitions)
        wanted = total if total is not None else before + (more or 0)
        confirm(f"{_KEYS_MOVE}\nGo from {before} to {wanted} partitions?", yes)
        set_partition_count(cluster, name, wanted)
    click.echo(f"Topic {name} has {wanted} partitions now; it had {before}.")
    remark(_KEYS_MOVE)


def _with_partitions(count: object) -> str:
    """Brokers tell the count from version 5 of CreateTopics on."""
    return "" if count == -1 else f" with {count} partition{'' if count == 1 else 's'}"
