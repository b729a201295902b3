"""kafka-share-groups: list, describe and delete share groups, and move or forget their offsets (KIP-932)."""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka import offset_reset
from riacho.cli.kafka.checks import exactly_one, named, reject_together
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.consumer_groups import print_deletion, print_error, print_reset
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.flags.share_tools import STATES
from riacho.cli.kafka.launch import ToolError, launch, sentence
from riacho.cli.kafka.text import share_group_tables
from riacho.cli.kafka.text.sentences import words
from riacho.client.cluster import Cluster
from riacho.client.groups import delete_groups, list_groups
from riacho.client.offsets import TopicPartition
from riacho.client.share_groups import (
    alter_share_group_offsets,
    delete_share_group_offsets,
    describe_share_group,
    share_group_offsets,
)
from riacho.wire.messages.list_groups_response import ListedGroup

_ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
_SCENARIOS = ("to-datetime", "to-earliest", "to-latest")
_SHARE = "Share"


def main() -> None:
    launch("kafka-share-groups", run)


def run(arguments: Arguments) -> int:
    action = _check(arguments)
    with open_cluster(arguments) as cluster:
        match action:
            case "list":
                return _list(cluster, arguments)
            case "describe":
                return _describe(cluster, arguments)
            case "delete":
                return _delete(cluster, arguments)
            case "reset-offsets":
                return _reset(cluster, arguments)
            case _:
                return _delete_offsets(cluster, arguments)


def _check(arguments: Arguments) -> str:
    names = ", ".join(f"--{action}" for action in _ACTIONS)
    action = exactly_one(arguments, _ACTIONS, f"Command must include exactly one action: {names}.")
    if action in ("describe", "delete") and arguments.has("group") == arguments.has("all-groups"):
        raise UsageError(f"Option [{action}] takes one of these options: [all-groups], [group]")
    if action == "describe" and sum(arguments.has(part) for part in ("members", "offsets", "state")) > 1:
        raise UsageError("Option [describe] takes at most one of these options: [members], [offsets], [state]")
    if action == "describe" and arguments.text("state"):
        raise UsageError("Option [describe] does not take a value for [state]")
    if action == "delete-offsets" and (len(arguments.all("group")) != 1 or not arguments.has("topic")):
        raise UsageError("Option [delete-offsets] takes the following options: [group], [topic]")
    if action == "reset-offsets":
        _check_reset(arguments)
    if action == "list":
        reject_together(arguments, "group", ("list",))
    if action in ("list", "describe", "delete"):
        reject_together(arguments, "topic", (action,))
    return action


def _check_reset(arguments: Arguments) -> None:
    if arguments.has("dry-run") and arguments.has("execute"):
        raise UsageError("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    if not arguments.has("dry-run") and not arguments.has("execute"):
        raise UsageError("Option [reset-offsets] takes the option: [execute] or [dry-run]")
    if len(arguments.all("group")) != 1:
        raise UsageError("Option [reset-offsets] takes the option: [group]")
    if not arguments.has("topic") and not arguments.has("all-topics"):
        raise UsageError("Option [reset-offsets] takes one of these options: [all-topics], [topic]")
    listed = ", ".join(f"[{scenario}]" for scenario in _SCENARIOS)
    exactly_one(arguments, _SCENARIOS, f"Option [reset-offsets] takes one of these options: {listed}")
    reject_together(arguments, "all-topics", ("topic",))


def _share_groups(cluster: Cluster, states: list[str] | None = None) -> list[ListedGroup]:
    return list_groups(cluster, states=states or (), types=[_SHARE.lower()])


def _list(cluster: Cluster, arguments: Arguments) -> int:
    groups = _share_groups(cluster, named(arguments, "state", STATES))
    if not arguments.has("state"):
        for group in groups:
            print(group.group_id)
        return 0
    width = max([15, *(len(group.group_id) for group in groups)])
    for group_id, state in (("GROUP", "STATE"), *((g.group_id, g.group_state) for g in groups)):
        print(f"{group_id:<{width}} {state}")
    return 0


def _group_ids(cluster: Cluster, arguments: Arguments) -> list[str]:
    if arguments.has("all-groups"):
        return [group.group_id for group in _share_groups(cluster)]
    return sorted(set(arguments.all("group")))


def _describe(cluster: Cluster, arguments: Arguments) -> int:
    verbose, code = arguments.has("verbose"), 0
    for group_id in _group_ids(cluster, arguments):
        try:
            group = describe_share_group(cluster, group_id)
        except KafkaError as error:
            missing = error.code is ErrorCode.GROUP_ID_NOT_FOUND
            print_error(f"Share group '{group_id}' does not exist." if missing else sentence(error))
            code = 1
            continue
        if arguments.has("members"):
            share_group_tables.print_members(group, verbose)
        elif arguments.has("state"):
            share_group_tables.print_state(group, verbose)
        else:
            share_group_tables.print_offsets(group_id, share_group_offsets(cluster, group_id), verbose)
    return code


def _delete(cluster: Cluster, arguments: Arguments) -> int:
    states = {group.group_id: group.group_state for group in _share_groups(cluster)}
    wanted = list(states) if arguments.has("all-groups") else list(dict.fromkeys(arguments.all("group")))
    failed: dict[str, str] = {}
    for group_id in wanted:
        if group_id not in states:
            failed[group_id] = f"Group '{group_id}' is not a share group."
        elif states[group_id] != "Empty":
            failed[group_id] = f"Share group '{group_id}' is not EMPTY."
    outcomes = delete_groups(cluster, [group_id for group_id in wanted if group_id not in failed])
    failed |= {group: words(error) for group, error in outcomes.items() if error is not ErrorCode.NONE}
    return print_deletion("share", wanted, failed)


def _reset(cluster: Cluster, arguments: Arguments) -> int:
    group_id = arguments.need("group")
    try:
        if describe_share_group(cluster, group_id).state not in ("Empty", "Dead"):
            raise ToolError(f"Error: Share group '{group_id}' is not empty.")
    except KafkaError as error:
        # A group that is not there is made by its first offsets.
        if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
            raise
    if arguments.has("topic"):
        partitions = offset_reset.topic_partitions(cluster, arguments.all("topic"))
    else:
        partitions = sorted(share_group_offsets(cluster, group_id))
    offsets: dict[TopicPartition, int] = offset_reset.at_scenario(cluster, arguments, partitions)
    if arguments.has("execute") and offsets:
        alter_share_group_offsets(cluster, group_id, offsets)
    print_reset({group_id: offsets})
    return 0


def _delete_offsets(cluster: Cluster, arguments: Arguments) -> int:
    try:
        outcomes = delete_share_group_offsets(cluster, arguments.need("group"), arguments.all("topic"))
    except KafkaError as error:
        print_error(sentence(error))
        share_group_tables.print_topics(dict.fromkeys(arguments.all("topic"), f"Error: {sentence(error)}"))
        return 1
    share_group_tables.print_topics(
        {
            topic: "Successful" if code is ErrorCode.NONE else f"Error: {message or words(code)}"
            for topic, (code, message) in outcomes.items()
        }
    )
    return 1 if any(code is not ErrorCode.NONE for code, _ in outcomes.values()) else 0
