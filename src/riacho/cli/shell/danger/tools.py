"""Which of Kafka's tools destroy, by their flags."""

from __future__ import annotations

import json
from collections.abc import Callable

from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.shell.danger.danger import Danger, losing, together
from riacho.cli.shell.danger.replaced import IsThere, Made, danger_of_making


def danger_of_tool(name: str, arguments: Arguments, is_there: IsThere) -> Danger | None:
    """None for what destroys nothing, is a dry run, or carries its own yes."""
    if any(arguments.has(flag) for flag in ("help", "version", "force", "dry-run")):
        return None
    if name == "kafka-configs":
        return _configs(arguments, is_there)
    look = _TOOLS.get(name)
    return look(arguments) if look is not None else None


def _topics(arguments: Arguments) -> Danger | None:
    topic = arguments.text("topic")
    if not topic:
        return None
    if arguments.has("delete"):
        return Danger(f"Delete every topic that matches '{topic}', and all records", topic)
    if arguments.has("alter") and arguments.has("partitions"):
        return Danger(f"Add partitions to every topic that matches '{topic}'", topic)
    return None


def _groups(arguments: Arguments) -> Danger | None:
    names = "all" if arguments.has("all-groups") else " ".join(arguments.all("group"))
    if not names:
        return None
    if arguments.has("delete"):
        return Danger(f"Delete the group{'s' if ' ' in names or names == 'all' else ''} {names} and all offsets", names)
    if arguments.has("delete-offsets"):
        return Danger(f"Delete offsets of {names}")
    if arguments.has("reset-offsets") and arguments.has("execute"):
        return Danger(f"Set anew where {names} goes on reading")
    return None


def _records(arguments: Arguments) -> Danger | None:
    """The topics are in the file; one that cannot be read is for the tool to refuse."""
    try:
        with open(arguments.text("offset-json-file") or "", encoding="utf-8") as file:
            found = json.load(file)
        names = sorted({str(each["topic"]) for each in found["partitions"]})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Danger(f"Delete records of {' '.join(names)}", " ".join(names)) if names else None


def _acls(arguments: Arguments) -> Danger | None:
    return Danger("Take access rights away", flag="--force") if arguments.has("remove") else None


def _configs(arguments: Arguments, is_there: IsThere) -> Danger | None:
    if not arguments.has("alter"):
        return None
    found = []
    added = _added(arguments)
    if lost := losing(added):
        found.append(Danger(f"Set {', '.join(lost)} (records may be lost)"))
    deleted = ",".join(map(str, arguments.all("delete-config")))
    user = str(arguments.text("user") or next(iter(arguments.all("entity-name")), ""))
    if user and any(key.upper().startswith("SCRAM") for key in added):
        replaced = danger_of_making(Made.USER, user, is_there)
        if replaced is not None:
            found.append(replaced)
    if "SCRAM" in deleted.upper() and user:
        found.append(Danger(f"Delete the password of {user}", user))
    elif deleted:
        found.append(Danger(f"Set back {deleted}"))
    return together(found)


def _added(arguments: Arguments) -> dict[str, str]:
    """What cannot be read is for the tool to refuse."""
    from riacho.cli.kafka.configs import parse_configs
    from riacho.cli.kafka.launch import ToolError
    from riacho.cli.kafka.properties import load_properties

    text, file = arguments.text("add-config"), arguments.text("add-config-file")
    try:
        if file:
            return load_properties(file)
        return parse_configs(text) if text else {}
    except (ToolError, ValueError):
        return {}


def _reassignment(arguments: Arguments) -> Danger | None:
    if arguments.has("execute"):
        return Danger("Move replicas to other brokers")
    return Danger("Undo the moves of replicas that are under way") if arguments.has("cancel") else None


def _tokens(arguments: Arguments) -> Danger | None:
    return Danger("End a delegation token") if arguments.has("expire") else None


def _election(arguments: Arguments) -> Danger | None:
    if (arguments.text("election-type") or "").lower() != "unclean":
        return None
    topic = arguments.text("topic") or "unclean"
    return Danger("Elect leaders that may lack records (those are lost)", topic)


_VERBS = {
    "unregister": "Unregister a broker",
    "unregister-controller": "Unregister a controller",
    "remove-controller": "Take a controller out of the quorum",
    "abort": "Abort a transaction",
    "forceTerminateTransaction": "End a transaction by force",
    "upgrade": "Raise feature levels (they may not go down again)",
    "downgrade": "Lower feature levels",
    "disable": "Disable features",
}


def _verbs(arguments: Arguments) -> Danger | None:
    about = _VERBS.get(arguments.command or "")
    return Danger(about) if about else None


_TOOLS: dict[str, Callable[[Arguments], Danger | None]] = {
    "kafka-topics": _topics,
    "kafka-consumer-groups": _groups,
    "kafka-share-groups": _groups,
    "kafka-delete-records": _records,
    "kafka-acls": _acls,
    "kafka-leader-election": _election,
    "kafka-reassign-partitions": _reassignment,
    "kafka-delegation-tokens": _tokens,
    "kafka-cluster": _verbs,
    "kafka-features": _verbs,
    "kafka-metadata-quorum": _verbs,
    "kafka-transactions": _verbs,
}
