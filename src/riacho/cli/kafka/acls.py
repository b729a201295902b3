"""kafka-acls: who may do what: access control entries listed, added and removed."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.acl import AclBinding, AclFilter, AclOperation, AclPermission, AclResourceType, PatternType, is_code
from riacho.base.errors import KafkaError
from riacho.cli.kafka.checks import exactly_one, reject_together
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError, launch, sentence
from riacho.cli.kafka.text.acl_words import Entry, Resource, pattern_type, principals, resources, wanted
from riacho.client.acls import create_acls, delete_acls, describe_acls
from riacho.client.cluster import Cluster

_DENIALS = ("deny-principal", "deny-host")
_NOT_LISTED = ("producer", "consumer", "allow-host", "allow-principal", "deny-host", "deny-principal")
_CONSUMER_RULE = (
    "With --consumer you must specify a --topic and a --group and no --cluster or --transactional-id option should be "
    "specified."
)


def main() -> None:
    launch("kafka-acls", run)


def run(arguments: Arguments) -> int:
    action = _check(arguments)
    asked = {} if action == "list" else wanted(arguments)
    listed = principals([name for name in arguments.all("principal") if name])
    if action == "add":
        if pattern_type(arguments) not in (PatternType.LITERAL, PatternType.PREFIXED):
            given = pattern_type(arguments).name
            raise UsageError(f"A '--resource-pattern-type' value of '{given}' is not valid when adding acls.")
        if not all(asked.values()):
            raise UsageError("You must specify one of: --allow-principal, --deny-principal when trying to add ACLs.")
    try:
        with open_cluster(arguments) as cluster:
            if action == "list":
                _list(cluster, resources(arguments), listed)
            for resource, entries in asked.items():
                if action == "add":
                    _add(cluster, resource, entries)
                else:
                    _remove(cluster, resource, entries, is_forced=arguments.has("force"))
    except KafkaError as error:
        raise ToolError(f"Error while executing ACL command: {sentence(error)}") from None
    return 0


def _check(arguments: Arguments) -> str:
    problem = "Command must include exactly one action: --list, --add, --remove. "
    action = exactly_one(arguments, ("list", "add", "remove"), problem)
    reject_together(arguments, "list", _NOT_LISTED)
    for role in ("producer", "consumer"):
        reject_together(arguments, role, ("operation", *_DENIALS))
    if arguments.has("principal") and action != "list":
        raise UsageError("The --principal option is only available if --list is set")
    if arguments.has("producer") and not arguments.has("topic"):
        raise UsageError("With --producer you must specify a --topic")
    if arguments.has("idempotent") and not arguments.has("producer"):
        raise UsageError("The --idempotent option is only available if --producer is set")
    if arguments.has("consumer"):
        is_whole = arguments.has("topic") and arguments.has("group")
        is_mixed = arguments.has("cluster") or arguments.has("transactional-id")
        if not is_whole or (is_mixed and not arguments.has("producer")):
            raise UsageError(_CONSUMER_RULE)
    return action


def _add(cluster: Cluster, resource: Resource, entries: list[Entry]) -> None:
    known = set(describe_acls(cluster, resource.filter()))
    new = []
    for entry in entries:
        if _binding(resource, entry) in known:
            print(f"Acl (pattern={resource}, entry={entry}) already exists.")
        else:
            new.append(entry)
    if new:
        print(f"Adding ACLs for resource `{resource}`: \n {_lines(new)}\n")
        create_acls(cluster, [_binding(resource, entry) for entry in new])


def _remove(cluster: Cluster, resource: Resource, entries: list[Entry], *, is_forced: bool) -> None:
    question = f"Are you sure you want to delete all ACLs for resource filter `{resource}`? (y/n)"
    if entries:
        listed = f"Are you sure you want to remove ACLs: \n {_lines(entries)}\n"
        question = f"{listed} from resource filter `{resource}`? (y/n)"
    if not is_forced and not _is_confirmed(question):
        return
    filters = [
        AclFilter(
            resource.kind,
            resource.name,
            resource.pattern,
            entry.principal,
            entry.host,
            entry.operation,
            entry.permission,
        )
        for entry in entries
    ]
    delete_acls(cluster, filters or [resource.filter()])


def _is_confirmed(question: str) -> bool:
    print(question, flush=True)
    try:
        return input().strip().lower() == "y"
    except EOFError:
        return False


def _list(cluster: Cluster, filters: list[Resource], listed: list[str]) -> None:
    found: dict[Resource, list[Entry]] = {}
    for asked in [resource.filter() for resource in filters] or [AclFilter()]:
        for acl in describe_acls(cluster, asked):
            if not _is_known(acl):
                continue
            entries = found.setdefault(_resource(acl), [])
            if _entry(acl) not in entries:
                entries.append(_entry(acl))
    if not listed:
        _print(found)
    for principal in listed:
        print(f"ACLs for principal `{principal}`")
        _print({name: [e for e in entries if e.principal == principal] for name, entries in found.items()})


def _print(found: dict[Resource, list[Entry]]) -> None:
    for resource, entries in sorted(found.items()):
        if entries:
            print(f"Current ACLs for resource `{resource}`:\n{_lines(sorted(entries))}\n")


def _lines(entries: Iterable[Entry]) -> str:
    return "\n".join(f"\t{entry}" for entry in entries)


def _is_known(acl: AclBinding) -> bool:
    """A broker of a later version may keep what has no name here yet."""
    return (
        is_code(AclResourceType, acl.resource_type)
        and is_code(PatternType, acl.pattern_type)
        and is_code(AclOperation, acl.operation)
        and is_code(AclPermission, acl.permission)
    )


def _binding(resource: Resource, entry: Entry) -> AclBinding:
    return AclBinding(
        resource.kind,
        resource.name,
        resource.pattern,
        entry.principal,
        entry.host,
        entry.operation,
        entry.permission,
    )


def _resource(acl: AclBinding) -> Resource:
    return Resource(AclResourceType(acl.resource_type), acl.name, PatternType(acl.pattern_type))


def _entry(acl: AclBinding) -> Entry:
    return Entry(acl.principal, acl.host, AclOperation(acl.operation), AclPermission(acl.permission))
