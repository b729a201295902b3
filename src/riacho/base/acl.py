"""Access control entries: who may do what to which resources, from where; and filters that pick entries.

The numbers are Kafka's, on the wire and in the metadata log. An entry names its resources by a pattern: one name, a
prefix of names (KIP-290), or every name of a type (the literal `*`). A filter may leave anything open, and has two more
kinds of patterns: ANY takes every kind of pattern with that very name, MATCH every pattern that covers the name.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec

# The one resource of its type.
CLUSTER_NAME = "kafka-cluster"
# In an entry: every resource of the type; every host.
WILDCARD = "*"
WILDCARD_PRINCIPAL = "User:*"


class AclOperation(IntEnum):
    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class AclResourceType(IntEnum):
    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(IntEnum):
    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class AclPermission(IntEnum):
    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


class AclBinding(msgspec.Struct, frozen=True):
    resource_type: int
    name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission: int

    def covers(self, name: str) -> bool:
        """Whether a resource of this entry's type and this name is among those that it names."""
        if self.pattern_type == PatternType.PREFIXED:
            return name.startswith(self.name)
        return self.pattern_type == PatternType.LITERAL and self.name in (name, WILDCARD)


class AclFilter(msgspec.Struct, frozen=True):
    """None, and ANY, leave a field open."""

    resource_type: int = AclResourceType.ANY
    name: str | None = None
    pattern_type: int = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: int = AclOperation.ANY
    permission: int = AclPermission.ANY

    @property
    def has_unknown_pattern(self) -> bool:
        return not is_code(AclResourceType, self.resource_type) or not is_code(PatternType, self.pattern_type)

    @property
    def has_unknown_entry(self) -> bool:
        return not is_code(AclOperation, self.operation) or not is_code(AclPermission, self.permission)

    def matches(self, acl: AclBinding) -> bool:
        return (
            self.resource_type in (AclResourceType.ANY, acl.resource_type)
            and self._matches_pattern(acl)
            and (self.principal is None or self.principal == acl.principal)
            and (self.host is None or self.host == acl.host)
            and self.operation in (AclOperation.ANY, acl.operation)
            and self.permission in (AclPermission.ANY, acl.permission)
        )

    def _matches_pattern(self, acl: AclBinding) -> bool:
        if self.pattern_type == PatternType.MATCH:
            return self.name is None or acl.covers(self.name)
        if self.pattern_type not in (PatternType.ANY, acl.pattern_type):
            return False
        return self.name is None or self.name == acl.name


def is_code(kind: type[IntEnum], code: int) -> bool:
    """Whether a number has a meaning of its own in this version."""
    return code != 0 and code in kind._value2member_map_


def name_of(kind: type[IntEnum], code: int) -> str:
    return kind(code).name if is_code(kind, code) else "UNKNOWN"
