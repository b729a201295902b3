"""Which programs destroy: subcommands of `riacho`, Kafka's tools, `ksql` with the statements it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.profiles import profile_names
from riacho.cli.shell.danger.danger import Danger, losing, together
from riacho.cli.shell.danger.replaced import IsThere, Made, danger_of_making, not_asked
from riacho.cli.shell.danger.sql import danger_of_script, danger_of_sql
from riacho.cli.shell.danger.tools import danger_of_tool
from riacho.cli.shell.given_cluster import Subcommand, find_subcommand, parsed
from riacho.cli.shell.programs import RIACHO, Program

_KSQL = "ksql"


def danger_of(program: Program, source: str | None = None, is_there: IsThere = not_asked) -> Danger | None:
    """None for what destroys nothing, is a dry run, or carries its own yes. `source` is a file that it is to read;
    `is_there` is asked about what a command replaces where it does not make it."""
    if program.name in (RIACHO, _KSQL):
        found = find_subcommand(program.words if program.name == RIACHO else (_KSQL, *program.words))
        return _riacho(found, source, is_there) if found is not None else None
    tool = TOOLS.get(program.name)
    arguments = parsed(tool, program.words) if tool is not None else None
    return danger_of_tool(program.name, arguments, is_there) if arguments is not None else None


def _riacho(found: Subcommand, source: str | None, is_there: IsThere) -> Danger | None:
    given = found.context.params
    if given.get("yes") or given.get("dry_run"):
        return None
    if found.path == (_KSQL,):
        return _statements(given, source)
    look = _LOOKED_AT.get(found.path)
    if look is not None:
        return look(given)
    made = _MADE.get(found.path)
    if made is not None:
        return danger_of_making(made, str(given["name"]), is_there) if given.get("name") else None
    makes = _RIACHO.get(found.path)
    if makes is None:
        return None
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
    ("topic", "add-partitions"): ("Add partitions to {names}", True),
    ("group", "delete"): ("Delete the group {names} and all its offsets", True),
    ("group", "reset"): ("Set anew where the group {names} goes on reading", False),
    ("user", "delete"): ("Delete the user {names} and the password", True),
    ("profile", "delete"): ("Delete the profile {names} and its login", True),
    ("pipeline", "delete"): ("Delete the pipeline {names}", True),
    ("schema", "delete"): ("Delete the schemas of {names}", True),
    ("acl", "remove"): ("Take rights away from {names}", False),
    ("alert", "delete"): ("Delete the rule {names}", False),
    ("quota", "unset"): ("Take away the quotas {names}", False),
    ("down",): ("Stop Riacho on this machine", False),
}


def _statements(given: dict[str, Any], source: str | None) -> Danger | None:
    """Of `ksql -e` and `-f`, which go before its input."""
    found = [danger_of_sql(text) for text in given.get("execute") or ()]
    script = given.get("script") or (source if not found else None)
    if script is not None:
        found.append(danger_of_script(str(script)))
    return together([danger for danger in found if danger is not None])


def _altered_topic(given: dict[str, Any]) -> Danger | None:
    name, found = given.get("name"), []
    settings = dict(str(pair).partition("=")[::2] for pair in given.get("set_") or ())
    if lost := losing(settings):
        found.append(Danger(f"Set {', '.join(lost)} of the topic {name} (records may be lost)"))
    if given.get("unset"):
        found.append(Danger(f"Set back {', '.join(given['unset'])} of the topic {name}"))
    return together(found)


def _changed_offsets(given: dict[str, Any]) -> Danger | None:
    if not (given.get("reset") or given.get("moved") or given.get("forget")):
        return None
    return Danger(f"Set anew where the pipeline {given.get('name')} goes on", None, "--yes")


def _saved_profile(given: dict[str, Any]) -> Danger | None:
    name = given.get("name")
    return Danger(f"Replace the profile {name} and its login") if name in profile_names() else None


_MADE: dict[tuple[str, ...], Made] = {
    ("user", "create"): Made.USER,
    ("pipeline", "create"): Made.PIPELINE,
    ("alert", "set"): Made.RULE,
}
_LOOKED_AT: dict[tuple[str, ...], Callable[[dict[str, Any]], Danger | None]] = {
    ("topic", "alter"): _altered_topic,
    ("profile", "save"): _saved_profile,
    ("pipeline", "offsets"): _changed_offsets,
}
