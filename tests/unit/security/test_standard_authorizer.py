"""Who may do what, one rule at a time."""

from __future__ import annotations

import pytest

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.base.errors import ErrorCode, KafkaError
from riacho.security import standard_authorizer
from riacho.security.standard_authorizer import StandardAuthorizer

TOPIC, GROUP, CLUSTER = AclResourceType.TOPIC, AclResourceType.GROUP, AclResourceType.CLUSTER
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
ALLOW, DENY = AclPermission.ALLOW, AclPermission.DENY
READ, WRITE, DESCRIBE, ALL = AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE, AclOperation.ALL
HOST = "10.0.0.1"


def entry(
    name: str,
    operation: AclOperation = READ,
    permission: AclPermission = ALLOW,
    pattern: PatternType = LITERAL,
    principal: str = "User:ann",
    host: str = "*",
    kind: AclResourceType = TOPIC,
) -> AclBinding:
    return AclBinding(kind, name, pattern, principal, host, operation, permission)


def authorizer(*acls: AclBinding, super_users: tuple[str, ...] = (), everyone: bool = False) -> StandardAuthorizer:
    made = StandardAuthorizer(super_users, everyone)
    made.load({bytes([at]): acl for at, acl in enumerate(acls)})
    return made


def allows(
    made: StandardAuthorizer, name: str = "orders", operation: AclOperation = READ, user: str = "User:ann"
) -> bool:
    return made.allows(user, HOST, operation, TOPIC, name)


def test_nobody_may_do_anything_unless_told() -> None:
    assert not allows(authorizer())
    assert allows(authorizer(entry("orders")))
    assert not allows(authorizer(entry("orders")), user="User:bob")
    assert not allows(authorizer(entry("orders")), operation=WRITE)
    assert not allows(authorizer(entry("orders", kind=GROUP)))


@pytest.mark.parametrize(
    ("acl", "is_allowed"),
    [
        (entry("*"), True),
        (entry("ord", pattern=PREFIXED), True),
        (entry("orders", pattern=PREFIXED), True),
        (entry("orders-1", pattern=PREFIXED), False),
        (entry("ord"), False),
        (entry("*", pattern=PREFIXED), False),
        (entry("orders", principal="User:*"), True),
        (entry("orders", principal="Group:*"), False),
        (entry("orders", host=HOST), True),
        (entry("orders", host="10.0.0.2"), False),
        (entry("orders", ALL), True),
    ],
)
def test_what_an_entry_covers(acl: AclBinding, is_allowed: bool) -> None:
    assert allows(authorizer(acl)) is is_allowed


@pytest.mark.parametrize(
    "denial",
    [
        entry("orders", READ, DENY),
        entry("*", READ, DENY),
        entry("o", READ, DENY, PREFIXED),
        entry("orders", ALL, DENY),
        entry("orders", READ, DENY, principal="User:*"),
        entry("orders", READ, DENY, host=HOST),
    ],
)
def test_a_denial_beats_every_permission(denial: AclBinding) -> None:
    allowed = [entry("orders"), entry("*"), entry("o", pattern=PREFIXED), entry("orders", ALL)]
    assert allows(authorizer(*allowed))
    assert not allows(authorizer(*allowed, denial))


@pytest.mark.parametrize("granted", [READ, WRITE, AclOperation.DELETE, AclOperation.ALTER, DESCRIBE, ALL])
def test_what_implies_describe(granted: AclOperation) -> None:
    assert allows(authorizer(entry("orders", granted)), operation=DESCRIBE)
    # Denying it does not deny what it would imply.
    made = authorizer(entry("orders", DESCRIBE), entry("orders", granted, DENY))
    assert allows(made, operation=DESCRIBE) is (granted not in (DESCRIBE, ALL))


@pytest.mark.parametrize("granted", [AclOperation.CREATE, AclOperation.ALTER_CONFIGS, AclOperation.CLUSTER_ACTION])
def test_what_does_not_imply_describe(granted: AclOperation) -> None:
    assert not allows(authorizer(entry("orders", granted)), operation=DESCRIBE)


def test_changing_settings_implies_seeing_them() -> None:
    made = authorizer(entry("orders", AclOperation.ALTER_CONFIGS))
    assert allows(made, operation=AclOperation.DESCRIBE_CONFIGS)
    assert not allows(authorizer(entry("orders", AclOperation.ALTER)), operation=AclOperation.DESCRIBE_CONFIGS)


def test_super_users_may_do_everything() -> None:
    made = authorizer(entry("orders", READ, DENY, principal="User:root"), super_users=("User:root",))
    assert allows(made, user="User:root")
    assert not allows(made)


def test_everyone_where_no_entry_covers_the_resource() -> None:
    made = authorizer(entry("orders"), everyone=True)
    assert allows(made, "payments", user="User:bob")
    # One entry of somebody else's is enough to make a resource a guarded one.
    assert not allows(made, "orders", user="User:bob")
    assert not allows(authorizer(entry("*"), everyone=True), "payments", user="User:bob")
    assert not allows(authorizer(entry("pay", pattern=PREFIXED), everyone=True), "payments", user="User:bob")


def test_before_the_entries_are_there_only_super_users_are_answered() -> None:
    made = StandardAuthorizer(("User:root",), allow_everyone_if_no_acl_found=True)
    assert allows(made, user="User:root")
    with pytest.raises(KafkaError) as error:
        allows(made)
    assert error.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    made.load({})
    assert allows(made)


def test_a_change_counts_at_once() -> None:
    made = authorizer(entry("orders"), entry("ord", WRITE, pattern=PREFIXED))
    assert allows(made)
    assert allows(made, operation=WRITE)
    made.load({b"\x01": entry("ord", WRITE, pattern=PREFIXED)})
    assert not allows(made)
    assert allows(made, operation=WRITE)
    made.load({})
    assert not allows(made, operation=WRITE)


def test_the_same_entry_under_two_ids_goes_with_the_last() -> None:
    same = entry("ord", pattern=PREFIXED)
    made = authorizer(same, same)
    made.load({b"\x01": same})
    assert allows(made)
    made.load({})
    assert not allows(made)


def test_the_answers_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard_authorizer, "_ANSWERS_MAX", 10)
    made = authorizer(entry("orders"))
    for at in range(100):
        assert not allows(made, f"topic-{at}")
    assert len(made._answers) <= 10
    assert allows(made)


@pytest.mark.parametrize(
    ("acls", "is_allowed"),
    [
        ((), False),
        ((entry("orders", WRITE),), True),
        ((entry("orders", ALL),), True),
        ((entry("orders", READ),), False),
        ((entry("orders", WRITE, principal="User:bob"),), False),
        ((entry("orders", WRITE, host="10.0.0.2"),), False),
        ((entry("orders", WRITE), entry("orders", WRITE, DENY)), False),
        ((entry("orders", WRITE), entry("o", WRITE, DENY, PREFIXED)), False),
        ((entry("orders", WRITE), entry("*", WRITE, DENY)), False),
        ((entry("orders", WRITE), entry("orders", ALL, DENY)), False),
        ((entry("orders", WRITE), entry("orders", READ, DENY)), True),
        ((entry("orders", WRITE), entry("other", WRITE, DENY)), True),
        ((entry("ord", WRITE, pattern=PREFIXED), entry("ord", WRITE, DENY)), True),
        ((entry("ord", WRITE, pattern=PREFIXED), entry("orders", WRITE, DENY, PREFIXED)), True),
        ((entry("ord", WRITE, pattern=PREFIXED), entry("ord", WRITE, DENY, PREFIXED)), False),
        ((entry("*", WRITE), entry("o", WRITE, DENY, PREFIXED)), True),
        # A denial of every name beats, in whatever order they come.
        ((entry("*", WRITE), entry("*", WRITE, DENY)), False),
        ((entry("g", WRITE, kind=GROUP),), False),
    ],
)
def test_whether_there_is_anything_to_write_to(acls: tuple[AclBinding, ...], is_allowed: bool) -> None:
    """KIP-679: an idempotent producer needs no more than some topic to write to."""
    assert authorizer(*acls).authorize_by_resource_type("User:ann", HOST, WRITE, TOPIC) is is_allowed


def test_super_users_and_everyone_have_something_to_write_to() -> None:
    denial = entry("*", WRITE, DENY)
    assert authorizer(denial, super_users=("User:ann",)).authorize_by_resource_type("User:ann", HOST, WRITE, TOPIC)
    assert authorizer(everyone=True).authorize_by_resource_type("User:ann", HOST, WRITE, TOPIC)
    assert not authorizer(denial, everyone=True).authorize_by_resource_type("User:ann", HOST, WRITE, TOPIC)
