"""kafka-consumer-groups: list, describe and delete consumer groups, and move their offsets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka import offset_reset
from riacho.cli.kafka.checks import exactly_one, named, reject_together
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.admin_tools import CONSUMER_GROUP_TYPES, GROUP_STATES
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError, launch, sentence
from riacho.cli.kafka.text.sentences import words
from riacho.cli.kafka.text_file import read_text_file
from riacho.client.cluster import Cluster
from riacho.client.groups import commit_offsets, delete_groups, delete_offsets, fetch_offsets, list_groups
from riacho.client.offsets import LATEST, TopicPartition, list_offsets

_ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets", "validate-regex")
_NO_ACTION = (
    "WARN: No action will be performed as the --execute option is missing. In version 5.0, this command will require "
    "either --dry-run or --execute to be specified. You should add the --dry-run option explicitly if you are "
    "scripting this command and want to keep the current default behavior without prompt"
)


def main() -> None:
    launch("kafka-consumer-groups", run)


def run(arguments: Arguments) -> int:
    action = _check(arguments)
    if action == "validate-regex":
        return _validate_regex(arguments.need("validate-regex"))
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
    if action not in ("list", "validate-regex"):
        if arguments.has("group") == arguments.has("all-groups"):
            raise UsageError(f"Option [{action}] takes one of these options: [all-groups], [group]")
        if action == "delete-offsets" and (len(arguments.all("group")) != 1 or not arguments.has("topic")):
            raise UsageError("Option [delete-offsets] takes one [group] and at least one [topic]")
    if action == "reset-offsets":
        exactly_one(
            arguments,
            offset_reset.SCENARIOS,
            f"Option [reset-offsets] takes exactly one of: {', '.join(f'--{s}' for s in offset_reset.SCENARIOS)}",
        )
        reject_together(arguments, "dry-run", ("execute",))
        reject_together(arguments, "all-topics", ("topic",))
        if not arguments.has("dry-run") and not arguments.has("execute"):
            print(_NO_ACTION, file=sys.stderr)
    if action == "delete":
        reject_together(arguments, "delete", ("topic",))
    if action == "describe" and sum(arguments.has(part) for part in ("members", "offsets", "state")) > 1:
        raise UsageError("Option [describe] takes at most one of these options: [members], [offsets], [state]")
    reject_together(arguments, "type", [a for a in _ACTIONS if a != "list"])
    return action


def _validate_regex(text: str) -> int:
    import re

    try:
        re.compile(text)
    except re.error as error:
        raise ToolError(f"The regular expression `{text}` is invalid: {error}.") from None
    print(f"The regular expression `{text}` is valid.")
    return 0


def _list(cluster: Cluster, arguments: Arguments) -> int:
    states, types = named(arguments, "state", GROUP_STATES), named(arguments, "type", CONSUMER_GROUP_TYPES)
    groups = [
        group
        for group in list_groups(cluster, states=states, types=types)
        if group.group_type == "Consumer" or (group.group_type == "Classic" and group.protocol_type in ("consumer", ""))
    ]
    if not arguments.has("state") and not arguments.has("type"):
        for group in groups:
            print(group.group_id)
        return 0
    width = max([15, *(len(group.group_id) for group in groups)]) + 10
    columns = [c for c, name in ((1, "type"), (2, "state")) if arguments.has(name)]
    for row in (("GROUP", "TYPE", "STATE"), *((g.group_id, g.group_type, g.group_state) for g in groups)):
        print(f"{row[0]:<{width}} " + " ".join(f"{row[c]:<20}" for c in columns))
    return 0


def _group_ids(cluster: Cluster, arguments: Arguments) -> list[str]:
    if arguments.has("all-groups"):
        return [g.group_id for g in list_groups(cluster) if g.protocol_type in ("consumer", "")]
    return sorted(set(arguments.all("group")))


def _describe(cluster: Cluster, arguments: Arguments) -> int:
    from riacho.cli.kafka.text import group_tables
    from riacho.client.group_description import describe_group

    verbose, code = arguments.has("verbose"), 0
    for group_id in _group_ids(cluster, arguments):
        try:
            group = describe_group(cluster, group_id)
        except KafkaError as error:
            missing = error.code is ErrorCode.GROUP_ID_NOT_FOUND
            print_error(f"Consumer group '{group_id}' does not exist." if missing else sentence(error))
            code = 1
            continue
        group_tables.warn_of_state(group)
        if arguments.has("members"):
            group_tables.print_members(group, verbose)
        elif arguments.has("state"):
            group_tables.print_state(group, verbose)
        else:
            committed = fetch_offsets(cluster, group_id)
            shown = {*committed, *(p for member in group.members for p in member.assignment)}
            ends = list_offsets(cluster, dict.fromkeys(shown, LATEST)) if shown else {}
            rows = group_tables.offset_rows(group, committed, ends)
            if rows:
                group_tables.print_offsets(rows, verbose)
        sys.stdout.flush()
    return code


def print_error(message: str) -> None:
    print(f"\nError: {message}")


def _delete(cluster: Cluster, arguments: Arguments) -> int:
    outcomes = delete_groups(cluster, _group_ids(cluster, arguments))
    failed = {group: words(error) for group, error in outcomes.items() if error is not ErrorCode.NONE}
    return print_deletion("consumer", outcomes, failed)


def print_deletion(kind: str, group_ids: Iterable[str], failed: Mapping[str, str]) -> int:
    """The exit code."""
    done = ", ".join(f"'{group}'" for group in group_ids if group not in failed)
    if not failed:
        print(f"Deletion of requested {kind} groups ({done}) was successful.")
        return 0
    print_error(f"Deletion of some {kind} groups failed:")
    for group, reason in failed.items():
        print(f"* Group '{group}' could not be deleted due to: {reason}")
    if done:
        print(f"\nThese {kind} groups were deleted successfully: {done}")
    return 1


def _reset(cluster: Cluster, arguments: Arguments) -> int:
    from riacho.client.group_description import describe_group

    plan = offset_reset.load_plan(arguments, read_text_file)
    results: dict[str, dict[TopicPartition, int]] = {}
    code = 0
    for group_id in _group_ids(cluster, arguments):
        try:
            state = describe_group(cluster, group_id).state
        except KafkaError as error:
            if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
                raise
            state = "Dead"
        if state not in ("Empty", "Dead"):
            print_error(
                f"Assignments can only be reset if the group '{group_id}' is inactive, "
                f"but the current state is {state}."
            )
            results[group_id], code = {}, 1
            continue
        results[group_id] = offset_reset.new_offsets(cluster, arguments, group_id, plan)
        if arguments.has("execute") and results[group_id]:
            commit_offsets(cluster, group_id, results[group_id])
    if arguments.has("export"):
        print(_csv(results, with_group=len(arguments.all("group")) != 1))
    else:
        print_reset(results)
    return code


def _csv(results: dict[str, dict[TopicPartition, int]], *, with_group: bool) -> str:
    return "".join(
        f"{group + ',' if with_group else ''}{topic},{partition},{offset}\n"
        for group, offsets in results.items()
        for (topic, partition), offset in sorted(offsets.items())
    )


def print_reset(results: dict[str, dict[TopicPartition, int]]) -> None:
    rows = [
        (group, topic, str(partition), str(offset))
        for group, offsets in results.items()
        for (topic, partition), offset in sorted(offsets.items())
    ]
    group_width = max([15, *(len(row[0]) for row in rows)])
    topic_width = max([15, *(len(row[1]) for row in rows)])
    for group, topic, partition, offset in (("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"), *rows):
        print(f"\n{group:<{group_width}} {topic:<{topic_width}} {partition:<10} {offset}", end="")
    print()


def _delete_offsets(cluster: Cluster, arguments: Arguments) -> int:
    group_id = arguments.need("group")
    outcomes: dict[TopicPartition, ErrorCode] = {}
    wanted: list[TopicPartition] = []
    for text in arguments.all("topic"):
        try:
            wanted += offset_reset.topic_partitions(cluster, [text])
        except KafkaError as error:
            outcomes[text, -1] = error.code
    top, found = delete_offsets(cluster, group_id, wanted) if wanted else (ErrorCode.NONE, {})
    outcomes |= found if top is ErrorCode.NONE else dict.fromkeys(wanted, top)
    if top is not ErrorCode.NONE:
        print_error(words(top))
    elif any(error is not ErrorCode.NONE for error in found.values()):
        print_error("Encountered some partition-level error, see the follow-up details.")
    else:
        print(f"Request succeeded for deleting offsets from group {group_id}.")
    width = max([15, *(len(topic) for topic, _ in outcomes)])
    print(f"\n{'TOPIC':<{width}} {'PARTITION':<10} {'STATUS':<15}", end="")
    for (topic, partition), outcome in sorted(outcomes.items()):
        status = "Successful" if outcome is ErrorCode.NONE else f"Error: {words(outcome)}"
        print(f"\n{topic:<{width}} {partition if partition >= 0 else '-':<10} {status:<15}", end="")
    print()
    return 1 if any(error is not ErrorCode.NONE for error in outcomes.values()) else 0
