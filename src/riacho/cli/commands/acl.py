"""`riacho acl`: who may do what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from riacho.cli.argument_names import (
    complete_groups,
    complete_operations,
    complete_topics,
    complete_transactional_ids,
    complete_users,
)
from riacho.cli.failures import PlainGroup, did_you_mean
from riacho.cli.output import confirm, output_option, show_rows, yes_option
from riacho.cli.target import Target, cluster_options

if TYPE_CHECKING:
    from riacho.base.acl import AclBinding, AclFilter, AclOperation, AclPermission, AclResourceType, PatternType

F = TypeVar("F", bound=Callable[..., Any])
_COLUMNS = ("principal", "may", "operation", "resource", "name", "pattern", "host")


@click.group("acl", cls=PlainGroup)
def command() -> None:
    """List, add and remove access rights.

    \b
    riacho acl allow ana read describe --topic orders
    riacho acl allow ana read --group billing
    riacho acl deny bruno all --topic secret- --prefix
    riacho acl list
    riacho acl remove ana --topic orders

    They count where a broker has an authorizer (docs/operations/security.md).
    """


def _resource_options(function: F) -> F:
    options = (
        click.option(
            "--topic",
            multiple=True,
            metavar="NAME",
            shell_complete=complete_topics,
            help="A topic; `*` for all. May be repeated.",
        ),
        click.option(
            "--group",
            multiple=True,
            metavar="NAME",
            shell_complete=complete_groups,
            help="A consumer group. May be repeated.",
        ),
        click.option(
            "--transactional-id",
            multiple=True,
            metavar="ID",
            shell_complete=complete_transactional_ids,
            help="A transactional id. May be repeated.",
        ),
        click.option("--cluster", is_flag=True, help="The cluster itself."),
        click.option("--prefix", is_flag=True, help="Everything whose name begins so."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _adder(word: str, about: str) -> None:
    text = (
        f"{about}\n\nUSER is `ana`, `User:ana`, or `*` for everybody.\n\n\b\nriacho acl {word} ana read --topic orders"
    )

    @command.command(word, help=text)
    @click.argument("user", shell_complete=complete_users)
    @click.argument("operations", nargs=-1, required=True, metavar="OPERATION...", shell_complete=complete_operations)
    @_resource_options
    @click.option("--host", default="*", metavar="ADDRESS", help="Only from there. Default: from anywhere.")
    @cluster_options
    def add(user: str, operations: tuple[str, ...], host: str, target: Target, **resources: Any) -> None:
        from riacho.base.acl import AclBinding, AclPermission
        from riacho.client.acls import create_acls

        permission = AclPermission[word.upper()]
        named = _resources(**resources)
        acls = [
            AclBinding(kind, name, pattern, _principal(user), host, operation, permission)
            for kind, name, pattern in named
            for operation in _operations(operations, kind)
        ]
        with target.open() as cluster:
            create_acls(cluster, acls)
        show_rows([_row(acl) for acl in acls], _COLUMNS, "table")


_adder("allow", "Let a user do something.")
_adder("deny", "Keep a user from something, whatever else allows it.")


@command.command("list")
@click.option("--user", metavar="NAME", shell_complete=complete_users, help="Only those of this user.")
@output_option
@cluster_options
def list_(user: str | None, output: str, target: Target) -> None:
    """List access rights.

    \b
    riacho acl list
    riacho acl list --user ana -o json
    """
    from riacho.base.acl import AclFilter
    from riacho.client.acls import describe_acls

    with target.open() as cluster:
        found = describe_acls(cluster, AclFilter(principal=_principal(user) if user is not None else None))
    rows = sorted((_row(acl) for acl in found), key=lambda row: tuple(row.values()))
    show_rows(rows, _COLUMNS, output, empty="There are no access rights. `riacho acl allow` makes one.")


@command.command("remove")
@click.argument("user", shell_complete=complete_users)
@click.argument("operations", nargs=-1, metavar="[OPERATION]...", shell_complete=complete_operations)
@_resource_options
@yes_option
@cluster_options
def remove(user: str, operations: tuple[str, ...], yes: bool, target: Target, **resources: Any) -> None:
    """Take a user's rights away: those named, or all on what is named.

    \b
    riacho acl remove ana --topic orders
    riacho acl remove ana write --topic orders
    """
    from riacho.base.acl import AclFilter, AclOperation
    from riacho.client.acls import delete_acls

    filters: list[AclFilter] = []
    for kind, name, pattern in _resources(**resources):
        wanted = _operations(operations, kind) if operations else [AclOperation.ANY]
        filters += [AclFilter(kind, name, pattern, _principal(user), operation=operation) for operation in wanted]
    confirm(f"Take rights away from {_principal(user)}?", yes)
    with target.open() as cluster:
        count = delete_acls(cluster, filters)
    click.echo(f"Removed {count} access right{'' if count == 1 else 's'}.")


def _principal(user: str) -> str:
    return user if ":" in user else f"User:{user}"


def _resources(
    topic: tuple[str, ...], group: tuple[str, ...], transactional_id: tuple[str, ...], cluster: bool, prefix: bool
) -> list[tuple[AclResourceType, str, PatternType]]:
    from riacho.base.acl import CLUSTER_NAME, AclResourceType, PatternType

    pattern = PatternType.PREFIXED if prefix else PatternType.LITERAL
    found = [(AclResourceType.TOPIC, name, pattern) for name in topic]
    found += [(AclResourceType.GROUP, name, pattern) for name in group]
    found += [(AclResourceType.TRANSACTIONAL_ID, name, pattern) for name in transactional_id]
    if cluster:
        found.append((AclResourceType.CLUSTER, CLUSTER_NAME, PatternType.LITERAL))
    if not found:
        raise click.UsageError("Say on what: --topic, --group, --transactional-id or --cluster.")
    return found


def _operations(words: tuple[str, ...], kind: AclResourceType) -> list[AclOperation]:
    from riacho.base.acl import AclOperation
    from riacho.security.operations import SUPPORTED_OPERATIONS

    valid = {operation.name.lower().replace("_", "-"): operation for operation in SUPPORTED_OPERATIONS[kind]}
    valid["all"] = AclOperation.ALL
    found = []
    for word in words:
        name = word.lower().replace("_", "-")
        if name not in valid:
            raise click.UsageError(
                f"There is no operation '{word}' on a {kind.name.lower()}{did_you_mean(name, valid)} "
                f"There is: {', '.join(sorted(valid))}."
            )
        found.append(valid[name])
    return found


def _row(acl: AclBinding) -> dict[str, str]:
    from riacho.base.acl import AclOperation, AclPermission, AclResourceType, PatternType

    def word(kind: type[AclOperation | AclPermission | AclResourceType | PatternType], code: int) -> str:
        # A broker of a later version may have kinds that have no name here.
        return kind(code).name.lower().replace("_", "-") if code in kind._value2member_map_ else str(code)

    values = (
        acl.principal,
        "yes" if acl.permission == AclPermission.ALLOW else "no",
        word(AclOperation, acl.operation),
        word(AclResourceType, acl.resource_type),
        acl.name,
        word(PatternType, acl.pattern_type),
        acl.host,
    )
    return dict(zip(_COLUMNS, values, strict=True))
