"""Creating, deleting and describing access control entries: Kafka's checks, in Kafka's words."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.acl import AclBinding, AclFilter
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.credentials import acls
from riacho.metadata.credentials.acls import describe_acls
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import build_snapshot, read_snapshot
from riacho.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from riacho.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from support.metadata_world import MetadataWorld

ANY, TOPIC, CLUSTER = 1, 2, 4
LITERAL, PREFIXED = 3, 4
READ, ALLOW = 3, 3


def creation(**changes: Any) -> AclCreation:
    known: dict[str, Any] = {
        "resource_type": TOPIC,
        "resource_name": "orders",
        "resource_pattern_type": LITERAL,
        "principal": "User:ann",
        "host": "*",
        "operation": READ,
        "permission_type": ALLOW,
    }
    return AclCreation(**(known | changes))


def create(world: MetadataWorld, *creations: AclCreation) -> list[tuple[int, str | None]]:
    request = CreateAclsRequest(creations=list(creations))
    reply = world.submit(world.controller.create_acls(request))
    return [(result.error_code, result.error_message) for result in reply.results]


def test_an_entry_is_kept_once() -> None:
    world = MetadataWorld()
    assert create(world, creation(), creation()) == [(0, ""), (0, "")]
    assert create(world, creation(), creation(host="10.0.0.1")) == [(0, ""), (0, "")]
    assert sorted(acl.host for acl in world.image.acls.values()) == ["*", "10.0.0.1"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"resource_type": ANY}, "Invalid resourceType ANY"),
        ({"resource_type": 99}, "Invalid resourceType UNKNOWN"),
        ({"resource_pattern_type": 1}, "Invalid patternType ANY"),
        ({"resource_pattern_type": 2}, "Invalid patternType MATCH"),
        ({"operation": 1}, "Invalid operation ANY"),
        ({"permission_type": 1}, "Invalid permissionType ANY"),
        ({"resource_name": ""}, "Invalid empty resource name"),
        ({"resource_type": CLUSTER}, "The only valid name for the CLUSTER resource is kafka-cluster"),
        (
            {"principal": "ann"},
            "Could not parse principal from `ann` (no colon is present separating the principal type from the "
            "principal name)",
        ),
    ],
)
def test_what_is_refused(changes: dict[str, Any], problem: str) -> None:
    world = MetadataWorld()
    found = create(world, creation(**changes), creation())
    assert found == [(ErrorCode.INVALID_REQUEST, problem), (0, "")]
    assert len(world.image.acls) == 1


def test_entries_are_deleted_by_filters() -> None:
    world = MetadataWorld()
    create(
        world, creation(), creation(resource_name="ord", resource_pattern_type=PREFIXED), creation(principal="User:b")
    )
    filters = [
        DeleteAclsFilter(TOPIC, "orders", 2, "User:ann", None, 1, 1),
        DeleteAclsFilter(TOPIC, "nothing", LITERAL, None, None, 1, 1),
        DeleteAclsFilter(TOPIC, None, 0, None, None, 1, 1),
        DeleteAclsFilter(TOPIC, None, 1, None, None, 99, 1),
    ]
    reply = world.submit(world.controller.delete_acls(DeleteAclsRequest(filters=filters)))
    assert [(found.error_code, found.error_message) for found in reply.filter_results] == [
        (0, None),
        (0, None),
        (ErrorCode.INVALID_REQUEST, "Unknown patternFilter."),
        (ErrorCode.INVALID_REQUEST, "Unknown entryFilter."),
    ]
    assert {(acl.resource_name, acl.pattern_type) for acl in reply.filter_results[0].matching_acls} == {
        ("orders", LITERAL),
        ("ord", PREFIXED),
    }
    assert [acl.principal for acl in world.image.acls.values()] == ["User:b"]


def test_two_filters_may_pick_the_same_entry() -> None:
    world = MetadataWorld()
    create(world, creation())
    both = [DeleteAclsFilter(TOPIC, "orders", LITERAL, None, None, 1, 1)] * 2
    reply = world.submit(world.controller.delete_acls(DeleteAclsRequest(filters=both)))
    assert [len(found.matching_acls) for found in reply.filter_results] == [1, 1]
    assert world.image.acls == {}


def test_one_request_is_one_small_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acls, "_RECORDS_MAX", 1)
    world = MetadataWorld()
    with pytest.raises(KafkaError, match="excessively large"):
        create(world, creation(), creation(host="10.0.0.1"))
    assert world.image.acls == {}


def test_entries_are_described_by_resource() -> None:
    entries = [
        AclBinding(TOPIC, "a", LITERAL, "User:ann", "*", READ, ALLOW),
        AclBinding(TOPIC, "b", LITERAL, "User:ann", "*", READ, ALLOW),
        AclBinding(TOPIC, "a", LITERAL, "User:bob", "*", READ, ALLOW),
        AclBinding(TOPIC, "a", PREFIXED, "User:bob", "*", READ, ALLOW),
    ]
    response = describe_acls(entries, AclFilter(TOPIC, "a", ANY))
    assert [(found.resource_name, found.pattern_type, len(found.acls)) for found in response.resources] == [
        ("a", LITERAL, 2),
        ("a", PREFIXED, 1),
    ]


def test_they_are_in_a_snapshot() -> None:
    world = MetadataWorld()
    create(world, creation(), creation(resource_name="ord", resource_pattern_type=PREFIXED))
    data = b"".join(bytes(batch) for batch in build_snapshot(world.image, 1, 0, 0))
    again = MetadataImage(cluster_id=world.image.cluster_id).apply(read_snapshot(data))
    assert again.acls == world.image.acls
    assert len(again.acls) == 2
