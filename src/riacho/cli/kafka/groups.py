"""kafka-groups: groups of every type (KIP-1043)."""

from __future__ import annotations

from riacho.cli.kafka.checks import require
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.admin_tools import GROUP_TYPES
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import launch
from riacho.client.groups import list_groups
from riacho.wire.messages.list_groups_response import ListedGroup

_WIDTH_MIN = 20


def main() -> None:
    launch("kafka-groups", run)


def run(arguments: Arguments) -> int:
    require(arguments, "list")
    kinds = [name for name in ("consumer", "share", "streams") if arguments.has(name)]
    if len(kinds) > 1 or (kinds and (arguments.has("group-type") or arguments.has("protocol"))):
        raise UsageError("Only one of --consumer, --share, --streams, or --group-type with --protocol can be given.")
    group_type = arguments.text("group-type")
    if group_type is not None and group_type.lower() not in GROUP_TYPES:
        raise UsageError(f"Invalid group type '{group_type}'; valid types are {', '.join(GROUP_TYPES)}.")
    with open_cluster(arguments) as cluster:
        groups = [group for group in list_groups(cluster) if _is_wanted(arguments, group)]
    width = max([_WIDTH_MIN, *(len(group.group_id) for group in groups)])
    print(f"{'GROUP':<{width}} {'TYPE':<{width}} {'PROTOCOL':<{width}}")
    for group in groups:
        print(f"{group.group_id:<{width}} {group.group_type:<{width}} {group.protocol_type:<{width}} ")
    return 0


def _is_wanted(arguments: Arguments, group: ListedGroup) -> bool:
    kind = group.group_type.lower()
    if arguments.has("consumer"):
        return kind == "consumer" or (kind == "classic" and group.protocol_type in ("consumer", ""))
    if arguments.has("share") or arguments.has("streams"):
        return kind == ("share" if arguments.has("share") else "streams")
    wanted_type, wanted_protocol = arguments.text("group-type"), arguments.text("protocol")
    return (wanted_type is None or kind == wanted_type.lower()) and wanted_protocol in (None, group.protocol_type)
