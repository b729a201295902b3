"""Which commands destroy, and what: asked about before they run.

What cannot be undone wants its name typed; `y` does for the rest. Where a command has a flag that says it is meant, a
line with it is not asked about, and a line that was agreed to gets it, so that nobody is asked twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.shell.given_cluster import Subcommand, find_subcommand, parsed
from riacho.cli.shell.programs import RIACHO, Program

_KSQL = "ksql"


class Danger(NamedTuple):
    """`about` is what would be done; `name` what has to be typed, None where `y` does; `flag` stands for a yes."""

    about: str
    name: str | None = None
    flag: str | None = None


def danger_of(program: Program) -> Danger | None:
    """None for what destroys nothing, is a dry run, or carries its own yes."""
    if program.name in (RIACHO, _KSQL):
        found = find_subcommand(program.words if program.name == RIACHO else (_KSQL, *program.words))
        return _riacho(found) if found is not None else None
    tool = TOOLS.get(program.name)
    arguments = parsed(tool, program.words) if tool is not None else None
    if arguments is None or arguments.has("help") or arguments.has("force") or arguments.has("dry-run"):
        return None
    look = _TOOLS.get(program.name)
    return look(arguments) if look is not None else None


def _riacho(found: Subcommand) -> Danger | None:
    given = found.context.params
    if given.get("yes") or given.get("dry_run"):
        return None
    makes = _RIACHO.get(found.path)
    if makes is None:
        return _statements(given.get("execute") or ()) if found.path == (_KSQL,) else None
    about, is_named = makes
    names = _names(given)
    if is_named and not names:
        return None
    has_flag = any(parameter.name == "yes" for parameter in found.command.params)
    return Danger(
        about.format(names=names) if names or "{names}" not in about else about.replace(" {names}", ""),
        names if is_named else None,
        "--yes" if has_flag else None,
    )


def _names(given: dict[str, object]) -> str:
    for key in ("names", "name", "subject", "user", "keys"):
        found = given.get(key)
        if found:
            return " ".join(map(str, found)) if isinstance(found, tuple | list) else str(found)
    return ""


# What would be done, and whether it has to be typed by name.
_RIACHO: dict[tuple[str, ...], tuple[str, bool]] = {
    ("topic", "delete"): ("Delete the topic {names} and all its records", True),
    ("topic", "add-partitions"): ("Add partitions to {names}, which cannot be taken away again", True),
    ("group", "delete"): ("Delete the group {names} and all its offsets", True),
    ("group", "reset"): ("Set anew where the group {names} goes on reading", False),
    ("user", "delete"): ("Delete the user {names} and the password", True),
    ("profile", "delete"): ("Delete the profile {names} and its login", True),
    ("pipeline", "delete"): ("Delete the pipeline {names}", True),
    ("schema", "delete"): ("Delete the schemas of {names}", True),
    ("acl", "remove"): ("Take rights away from {names}", False),
    ("quota", "unset"): ("Take away the quotas {names}", False),
    ("down",): ("Stop Riacho on this machine", False),
}


def _statements(words: tuple[str, ...]) -> Danger | None:
    """Of `ksql -e`."""
    return _together([danger for word in words if (danger := danger_of_sql(word)) is not None])


def danger_of_sql(text: str) -> Danger | None:
    """Of every statement of a text."""
    from riacho.pipelines.sql.errors import KsqlError
    from riacho.pipelines.sql.parsing.scanner import statements

    found = []
    try:
        for words in statements(text):
            danger = _of_tokens([str(token) for token in words.tokens])
            if danger is not None:
                found.append(danger)
    except KsqlError:
        # Told when it is run, and nothing behind it is.
        pass
    return _together(found)


def _together(found: list[Danger]) -> Danger | None:
    if not found:
        return None
    names = [danger.name for danger in found if danger.name is not None]
    return Danger("; ".join(danger.about for danger in found), " ".join(names) or None)


def _of_tokens(tokens: list[str]) -> Danger | None:
    upper = [token.upper() for token in tokens]
    first = upper[0] if upper else ""
    at = 4 if upper[2:4] == ["IF", "EXISTS"] else 2
    if first == "DROP" and len(tokens) > at:
        kind, name = upper[1].lower(), tokens[at].strip('`"')
        if upper[-2:] == ["DELETE", "TOPIC"]:
            return Danger(f"Drop the {kind} {name} and delete its topic with all records", name)
        return Danger(f"Drop the {kind} {name}")
    if first == "TERMINATE" and len(tokens) > 1:
        return Danger(f"End the query {tokens[1]} for good")
    return None


def _topics(arguments: Arguments) -> Danger | None:
    topic = arguments.text("topic")
    if not arguments.has("delete") or not topic:
        return None
    return Danger(f"Delete every topic that matches '{topic}', and all records", topic)


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


def _configs(arguments: Arguments) -> Danger | None:
    deleted = ",".join(map(str, arguments.all("delete-config")))
    if not arguments.has("alter") or not deleted:
        return None
    user = arguments.text("user") or next(iter(arguments.all("entity-name")), "")
    if "SCRAM" in deleted.upper() and user:
        return Danger(f"Delete the password of {user}", str(user))
    return Danger(f"Set back {deleted}")


def _election(arguments: Arguments) -> Danger | None:
    if (arguments.text("election-type") or "").lower() != "unclean":
        return None
    topic = arguments.text("topic") or "unclean"
    return Danger("Elect leaders that may lack records, which are lost then", topic)


_VERBS = {
    "unregister": "Unregister a broker",
    "unregister-controller": "Unregister a controller",
    "remove-controller": "Take a controller out of the quorum",
    "abort": "Abort a transaction",
    "forceTerminateTransaction": "End a transaction by force",
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
    "kafka-configs": _configs,
    "kafka-leader-election": _election,
    "kafka-cluster": _verbs,
    "kafka-features": _verbs,
    "kafka-metadata-quorum": _verbs,
    "kafka-transactions": _verbs,
}
