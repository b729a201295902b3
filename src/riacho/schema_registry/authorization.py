"""Who may do what with which subject: a file of rules, one a line.

    # effect  who          operations     subjects
    allow     role:admin   *              *
    allow     user:ana     read,write     orders-*
    deny      user:ana     delete         orders-audit*
    allow     *            read           :.public:*

Operations are read, write, delete, config (which is config and mode), and `*`. A subject is meant by its full name,
context included; `*` in it stands for anything; `@global` is what belongs to no subject. A rule that denies wins over
all that allow, and what no rule allows is denied. Lists show what the caller may read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from riacho.base.config import ConfigError
from riacho.schema_registry import errors

GLOBAL = "@global"
_FIELDS = 4


class Operation(Enum):
    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Caller:
    """`name` is None where nobody was asked who they are."""

    name: str | None
    roles: frozenset[str]


@dataclass(frozen=True, slots=True)
class AccessRule:
    is_allow: bool
    who: str
    operations: frozenset[Operation]
    subjects: re.Pattern[str]

    def concerns(self, caller: Caller, operation: Operation, subject: str) -> bool:
        return operation in self.operations and self._means(caller) and self.subjects.fullmatch(subject) is not None

    def _means(self, caller: Caller) -> bool:
        kind, _, name = self.who.partition(":")
        return self.who == "*" or (caller.name == name if kind == "user" else name in caller.roles)


class AccessRules:
    def __init__(self, rules: Iterable[AccessRule]) -> None:
        self._rules = tuple(rules)

    def allows(self, caller: Caller, operation: Operation, subject: str | None) -> bool:
        name = GLOBAL if subject is None else subject
        concerned = [rule.is_allow for rule in self._rules if rule.concerns(caller, operation, name)]
        return bool(concerned) and all(concerned)

    def check(self, caller: Caller, operation: Operation, subject: str | None) -> None:
        """ApiError 40301."""
        if not self.allows(caller, operation, subject):
            resource = "Cluster" if subject is None else f"Subject: {subject}"
            raise errors.denied(operation.value.capitalize(), resource)


def parse_rules(text: str, source: str) -> AccessRules:
    """ConfigError names the line that cannot be used."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare and not bare.startswith("#"):
            rules.append(_parse_rule(bare, f"{source}, line {number}"))
    return AccessRules(rules)


def load_rules(path: str) -> AccessRules:
    try:
        with open(path, encoding="utf-8") as file:
            return parse_rules(file.read(), path)
    except OSError as error:
        raise ConfigError(f"the file of access rules {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the file of access rules {path} is not text in UTF-8") from None


def _parse_rule(line: str, place: str) -> AccessRule:
    fields = line.split(None, _FIELDS - 1)
    if len(fields) != _FIELDS:
        raise ConfigError(f"{place}: a rule is effect, who, operations, subjects")
    effect, who, operations, subjects = fields
    if effect not in ("allow", "deny"):
        raise ConfigError(f"{place}: '{effect}' is neither allow nor deny")
    if who != "*" and not re.fullmatch(r"(user|role):.+", who):
        raise ConfigError(f"{place}: '{who}' is neither user:NAME, role:NAME nor *")
    return AccessRule(effect == "allow", who, _operations(operations, place), _pattern(subjects.strip()))


def _operations(text: str, place: str) -> frozenset[Operation]:
    if text == "*":
        return frozenset(Operation)
    try:
        return frozenset(Operation(part.strip()) for part in text.split(","))
    except ValueError:
        known = ", ".join(operation.value for operation in Operation)
        raise ConfigError(f"{place}: '{text}' is not a list of {known}, nor *") from None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)
