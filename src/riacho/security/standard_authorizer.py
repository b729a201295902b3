"""The rules of Kafka's StandardAuthorizer over the access control entries of the metadata.

Theory of operation. Super users may do everything. For anybody else the entries that count are those whose pattern
covers the resource: its own name, each prefix of it, and `*`. One DENY among them that fits the principal, the host and
the operation settles it; else one ALLOW does; else the answer is no, unless no entry at all covers the resource and
`allow.everyone.if.no.acl.found` is set. An ALLOW of READ, WRITE, DELETE or ALTER is one of DESCRIBE too, an ALLOW of
ALTER_CONFIGS one of DESCRIBE_CONFIGS; a DENY implies nothing.

Entries are indexed by type and name, prefixes apart with the lengths that occur, so a question looks at as many places
as there are lengths of prefixes. Answers are kept until an entry changes, a bounded number of them: a produce or fetch
that comes again costs one look into a dict.

Until the entries were first loaded only super users get an answer; anybody else gets an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from riacho.base.acl import (
    WILDCARD,
    WILDCARD_PRINCIPAL,
    AclBinding,
    AclOperation,
    AclPermission,
    AclResourceType,
    PatternType,
)
from riacho.base.errors import ErrorCode, KafkaError

# Plain numbers: enums are slow to hash, and these are looked up with every question.
_ALL, _DESCRIBE, _DESCRIBE_CONFIGS = (
    int(AclOperation.ALL),
    int(AclOperation.DESCRIBE),
    int(AclOperation.DESCRIBE_CONFIGS),
)
_DENY, _ALLOW = int(AclPermission.DENY), int(AclPermission.ALLOW)
_LITERAL, _PREFIXED = int(PatternType.LITERAL), int(PatternType.PREFIXED)
_IMPLIED_BY: dict[int, frozenset[int]] = {
    _DESCRIBE: frozenset(map(int, (AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER))),
    _DESCRIBE_CONFIGS: frozenset({int(AclOperation.ALTER_CONFIGS)}),
}
_NOTHING: frozenset[int] = frozenset()
_ANSWERS_MAX = 10_000
# Longer than a topic's can be: whoever makes such names up shall not fill the memory with them.
_KEPT_NAME_LENGTH_MAX = 255
# Kafka asks by this name whether somebody may write to any topic; only those whom no entry binds get a yes.
_ANY_NAME = "hardcode"

Acls = Mapping[bytes, AclBinding]


class StandardAuthorizer:
    def __init__(self, super_users: Iterable[str] = (), allow_everyone_if_no_acl_found: bool = False) -> None:
        self.super_users = frozenset(super_users)
        self.is_loaded = False
        self._allows_by_default = allow_everyone_if_no_acl_found
        self._acls: Acls = {}
        self._literal: dict[tuple[int, str], list[AclBinding]] = {}
        self._prefixed: dict[tuple[int, str], list[AclBinding]] = {}
        # How many prefixes of a type have each length.
        self._lengths: dict[int, dict[int, int]] = {}
        self._answers: dict[tuple[str, str, int, int, str], bool] = {}

    # The entries

    def load(self, acls: Acls) -> None:
        """From now on these entries count, and no others."""
        before, self._acls = self._acls, acls
        self.is_loaded = True
        self._answers.clear()
        if not before:
            for acl in acls.values():
                self._add(acl)
            return
        for acl_id in before.keys() - acls.keys():
            self._remove(before[acl_id])
        for acl_id in acls.keys() - before.keys():
            self._add(acls[acl_id])

    def acls(self) -> Iterable[AclBinding]:
        return self._acls.values()

    def _add(self, acl: AclBinding) -> None:
        key = (acl.resource_type, acl.name)
        if acl.pattern_type == _LITERAL:
            self._literal.setdefault(key, []).append(acl)
            return
        if key not in self._prefixed:
            lengths = self._lengths.setdefault(acl.resource_type, {})
            lengths[len(acl.name)] = lengths.get(len(acl.name), 0) + 1
        self._prefixed.setdefault(key, []).append(acl)

    def _remove(self, acl: AclBinding) -> None:
        key = (acl.resource_type, acl.name)
        is_literal = acl.pattern_type == _LITERAL
        places = self._literal if is_literal else self._prefixed
        place = places[key]
        place.remove(acl)
        if place:
            return
        del places[key]
        if not is_literal:
            lengths = self._lengths[acl.resource_type]
            lengths[len(acl.name)] -= 1
            if not lengths[len(acl.name)]:
                del lengths[len(acl.name)]

    # The questions

    def allows(
        self, principal: str, host: str, operation: AclOperation, resource_type: AclResourceType, name: str
    ) -> bool:
        question = (principal, host, operation._value_, resource_type._value_, name)
        answer = self._answers.get(question)
        if answer is None:
            answer = self._decide(*question)
            if len(name) <= _KEPT_NAME_LENGTH_MAX:
                if len(self._answers) >= _ANSWERS_MAX:
                    self._answers.clear()
                self._answers[question] = answer
        return answer

    def _decide(self, principal: str, host: str, operation: int, resource_type: int, name: str) -> bool:
        if principal in self.super_users:
            return True
        if not self.is_loaded:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "The authorizer is not ready yet")
        is_known = is_allowed = False
        for acl in self._covering(resource_type, name):
            is_known = True
            if fits(acl, principal, host, operation):
                if acl.permission == _DENY:
                    return False
                is_allowed = True
        return is_allowed or (not is_known and self._allows_by_default)

    def _covering(self, resource_type: int, name: str) -> Iterator[AclBinding]:
        yield from self._literal.get((resource_type, name), ())
        for length in self._lengths.get(resource_type, ()):
            if length <= len(name):
                yield from self._prefixed.get((resource_type, name[:length]), ())
        if name != WILDCARD:
            yield from self._literal.get((resource_type, WILDCARD), ())

    def authorize_by_resource_type(
        self, principal: str, host: str, operation: AclOperation, resource_type: AclResourceType
    ) -> bool:
        if self.allows(principal, host, operation, resource_type, _ANY_NAME):
            return True
        denied: set[tuple[int, str]] = set()
        allowed: set[tuple[int, str]] = set()
        for acl in self._acls.values():
            if acl.resource_type != resource_type or not _binds(acl, principal, host):
                continue
            if acl.operation in (operation, _ALL):
                (denied if acl.permission == _DENY else allowed).add((acl.pattern_type, acl.name))
        anything = (_LITERAL, WILDCARD)
        if anything in denied:
            return False
        return anything in allowed or any(not _is_dominated(pattern, denied) for pattern in allowed)


def fits(acl: AclBinding, principal: str, host: str, operation: int) -> bool:
    """Whether an entry that covers the resource speaks of this principal, host and operation."""
    if not _binds(acl, principal, host):
        return False
    granted = acl.operation
    if granted in (operation, _ALL):
        return True
    return acl.permission == _ALLOW and granted in _IMPLIED_BY.get(operation, _NOTHING)


def _binds(acl: AclBinding, principal: str, host: str) -> bool:
    return acl.principal in (principal, WILDCARD_PRINCIPAL) and acl.host in (host, WILDCARD)


def _is_dominated(pattern: tuple[int, str], denied: set[tuple[int, str]]) -> bool:
    """Whether all that an ALLOW covers is covered by one DENY."""
    pattern_type, name = pattern
    if pattern_type == _LITERAL and pattern in denied:
        return True
    return any((_PREFIXED, name[:length]) in denied for length in range(1, len(name) + 1))
