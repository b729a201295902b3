"""What the flags of kafka-acls mean: resources, and the entries for each of them; and how both are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from riacho.base.acl import CLUSTER_NAME, AclFilter, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError
from riacho.security.operations import SUPPORTED_OPERATIONS


class Resource(NamedTuple):
    """A pattern of resources, or a filter of such patterns."""

    kind: AclResourceType
    name: str
    pattern: PatternType

    def __str__(self) -> str:
        pattern = f"resourceType={self.kind.name}, name={self.name}, patternType={self.pattern.name}"
        return f"ResourcePattern({pattern})"

    def filter(self) -> AclFilter:
        return AclFilter(self.kind, self.name, self.pattern)


class Entry(NamedTuple):
    principal: str
    host: str
    operation: AclOperation
    permission: AclPermission

    def __str__(self) -> str:
        right = f"operation={self.operation.name}, permissionType={self.permission.name}"
        return f"(principal={self.principal}, host={self.host}, {right})"


Wanted = dict[Resource, list[Entry]]

_CLUSTER = Resource(AclResourceType.CLUSTER, CLUSTER_NAME, PatternType.LITERAL)
_RESOURCES = (
    ("topic", AclResourceType.TOPIC),
    ("group", AclResourceType.GROUP),
    ("transactional-id", AclResourceType.TRANSACTIONAL_ID),
    ("delegation-token", AclResourceType.DELEGATION_TOKEN),
    ("user-principal", AclResourceType.USER),
)
_NO_RESOURCE = (
    "You must provide at least one resource: --topic <topic> or --cluster or --group <group> or "
    "--delegation-token <Delegation Token ID>"
)
_PRODUCER = (AclOperation.WRITE, AclOperation.DESCRIBE, AclOperation.CREATE)
_TRANSACTION = (AclOperation.WRITE, AclOperation.DESCRIBE)
_CONSUMER = (AclOperation.READ, AclOperation.DESCRIBE)


def pattern_type(arguments: Arguments) -> PatternType:
    text = arguments.need("resource-pattern-type").upper()
    if text not in PatternType.__members__ or text == "UNKNOWN":
        given = arguments.need("resource-pattern-type")
        raise UsageError(f"Cannot parse argument '{given}' of option resource-pattern-type")
    return PatternType[text]


def resources(arguments: Arguments) -> list[Resource]:
    pattern = pattern_type(arguments)
    found = [Resource(kind, name.strip(), pattern) for flag, kind in _RESOURCES for name in arguments.all(flag)]
    if pattern is PatternType.LITERAL and (arguments.has("cluster") or arguments.has("idempotent")):
        found.append(_CLUSTER)
    return list(dict.fromkeys(found))


def wanted(arguments: Arguments) -> Wanted:
    """Each resource that is named, with the entries that are asked for."""
    found = resources(arguments)
    if not found:
        raise UsageError(_NO_RESOURCE)
    asked: Wanted = {}
    if not arguments.has("producer") and not arguments.has("consumer"):
        operations = [_operation(name.strip()) for name in arguments.all("operation")] or [AclOperation.ALL]
        asked = {resource: entries(arguments, operations) for resource in found}
    if arguments.has("producer"):
        for resource in found:
            if resource.kind is AclResourceType.TOPIC:
                asked[resource] = entries(arguments, _PRODUCER)
            elif resource.kind is AclResourceType.TRANSACTIONAL_ID:
                asked[resource] = entries(arguments, _TRANSACTION)
        if arguments.has("idempotent"):
            asked[_CLUSTER] = entries(arguments, (AclOperation.IDEMPOTENT_WRITE,))
    if arguments.has("consumer"):
        for resource in found:
            if resource.kind in (AclResourceType.TOPIC, AclResourceType.GROUP):
                operations = list(_CONSUMER if resource.kind is AclResourceType.TOPIC else _CONSUMER[:1])
                asked[resource] = list(dict.fromkeys([*asked.get(resource, ()), *entries(arguments, operations)]))
    _check_operations(asked)
    return asked


def entries(arguments: Arguments, operations: Iterable[AclOperation]) -> list[Entry]:
    return [
        Entry(principal, host, operation, permission)
        for flag, permission in (("allow", AclPermission.ALLOW), ("deny", AclPermission.DENY))
        for principal in principals(arguments.all(f"{flag}-principal"))
        for operation in dict.fromkeys(operations)
        for host in arguments.all(f"{flag}-host") or ["*"]
    ]


def principals(texts: Sequence[str]) -> list[str]:
    found = [text.strip() for text in texts]
    for text in found:
        kind, colon, name = text.partition(":")
        if not (kind and colon and name):
            problem = f"expected a string in format principalType:principalName but got {text}"
            raise ToolError(f"Error while executing ACL command: {problem}")
    return list(dict.fromkeys(found))


def operation_names() -> list[str]:
    """As they are written on the command line: DescribeConfigs."""
    named = (operation for operation in AclOperation if operation > AclOperation.ANY)
    return [operation.name.title().replace("_", "") for operation in named]


def _operation(name: str) -> AclOperation:
    for operation in AclOperation:
        if operation > AclOperation.ANY and name.upper() == operation.name.replace("_", ""):
            return operation
    return AclOperation.UNKNOWN


def _check_operations(asked: Wanted) -> None:
    for resource, wanted_entries in asked.items():
        valid = (*SUPPORTED_OPERATIONS[resource.kind], AclOperation.ALL)
        if any(entry.operation not in valid for entry in wanted_entries):
            names = ", ".join(operation.name for operation in valid)
            raise UsageError(f"ResourceType {resource.kind.name} only supports operations [{names}]")
