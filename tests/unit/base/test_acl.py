"""Which entries a filter picks."""

from __future__ import annotations

import pytest

from riacho.base.acl import AclBinding, AclFilter, AclOperation, AclPermission, AclResourceType, PatternType, name_of

TOPIC, GROUP = AclResourceType.TOPIC, AclResourceType.GROUP
LITERAL, PREFIXED, MATCH, ANY = PatternType.LITERAL, PatternType.PREFIXED, PatternType.MATCH, PatternType.ANY


def entry(name: str = "orders", pattern: PatternType = LITERAL, kind: AclResourceType = TOPIC) -> AclBinding:
    return AclBinding(kind, name, pattern, "User:ann", "*", AclOperation.READ, AclPermission.ALLOW)


@pytest.mark.parametrize(
    ("acl", "pattern", "name", "is_picked"),
    [
        (entry("orders"), LITERAL, "orders", True),
        (entry("orders"), LITERAL, "order", False),
        (entry("*"), LITERAL, "orders", False),
        (entry("*"), LITERAL, "*", True),
        (entry("ord", PREFIXED), LITERAL, "ord", False),
        (entry("ord", PREFIXED), PREFIXED, "ord", True),
        (entry("ord", PREFIXED), PREFIXED, "orders", False),
        (entry("ord", PREFIXED), ANY, "ord", True),
        (entry("ord", PREFIXED), ANY, "orders", False),
        (entry("orders"), ANY, "orders", True),
        (entry("ord", PREFIXED), MATCH, "orders", True),
        (entry("orders", PREFIXED), MATCH, "ord", False),
        (entry("orders"), MATCH, "orders", True),
        (entry("*"), MATCH, "orders", True),
        (entry("*", PREFIXED), MATCH, "orders", False),
        (entry("orders"), MATCH, None, True),
        (entry("orders"), LITERAL, None, True),
        (entry("ord", PREFIXED), LITERAL, None, False),
    ],
)
def test_patterns(acl: AclBinding, pattern: PatternType, name: str | None, is_picked: bool) -> None:
    assert AclFilter(TOPIC, name, pattern).matches(acl) is is_picked
    assert AclFilter(AclResourceType.ANY, name, pattern).matches(acl) is is_picked
    assert not AclFilter(GROUP, name, pattern).matches(acl)


@pytest.mark.parametrize(
    ("wanted", "is_picked"),
    [
        (AclFilter(), True),
        (AclFilter(principal="User:ann"), True),
        (AclFilter(principal="User:bob"), False),
        (AclFilter(principal="User:*"), False),
        (AclFilter(host="*"), True),
        (AclFilter(host="10.0.0.1"), False),
        (AclFilter(operation=AclOperation.READ), True),
        (AclFilter(operation=AclOperation.ALL), False),
        (AclFilter(permission=AclPermission.ALLOW), True),
        (AclFilter(permission=AclPermission.DENY), False),
    ],
)
def test_the_other_fields_are_equal_or_open(wanted: AclFilter, is_picked: bool) -> None:
    assert wanted.matches(entry()) is is_picked


def test_numbers_without_a_meaning() -> None:
    assert name_of(AclOperation, 3) == "READ"
    assert name_of(AclOperation, 99) == name_of(AclOperation, 0) == "UNKNOWN"
    assert AclFilter(resource_type=9).has_unknown_pattern
    assert AclFilter(pattern_type=0).has_unknown_pattern
    assert AclFilter(operation=99).has_unknown_entry
    assert AclFilter(permission=0).has_unknown_entry
    assert not AclFilter().has_unknown_pattern
    assert not AclFilter().has_unknown_entry
