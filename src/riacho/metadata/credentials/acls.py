"""Access control entries in the metadata: what is asked for becomes records, with Kafka's checks and words.

An entry has an id of its own, by which it is removed. One that is there already is not written again, and creating it
is a success all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from riacho.base.acl import (
    CLUSTER_NAME,
    AclBinding,
    AclFilter,
    AclOperation,
    AclPermission,
    AclResourceType,
    PatternType,
    is_code,
    name_of,
)
from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.acl_records import acl_record
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from riacho.wire.messages.create_acls_response import AclCreationResult, CreateAclsResponse
from riacho.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from riacho.wire.messages.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from riacho.wire.messages.describe_acls_request import DescribeAclsRequest
from riacho.wire.messages.describe_acls_response import AclDescription, DescribeAclsResource, DescribeAclsResponse
from riacho.wire.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord

# One change of the metadata is one batch of the log, and must stay a small one.
_RECORDS_MAX = 10_000


def decide_create_acls(
    image: MetadataImage, request: CreateAclsRequest, new_uuid: Callable[[], bytes]
) -> Decision[MetadataRecord, CreateAclsResponse]:
    _check_size(len(request.creations))
    known = set(image.acls.values())
    records: list[MetadataRecord] = []
    results = []
    for creation in request.creations:
        acl = _binding(creation)
        try:
            _check_binding(acl)
        except KafkaError as error:
            results.append(AclCreationResult(error_code=error.code, error_message=error.detail))
            continue
        if acl not in known:
            known.add(acl)
            records.append(acl_record(new_uuid(), acl))
        results.append(AclCreationResult())
    return Decision(reply=CreateAclsResponse(results=results), records=records)


def decide_delete_acls(
    image: MetadataImage, request: DeleteAclsRequest
) -> Decision[MetadataRecord, DeleteAclsResponse]:
    removed: dict[bytes, None] = {}
    results = []
    for asked in request.filters:
        wanted = filter_of(asked)
        try:
            _check_filter(wanted)
        except KafkaError as error:
            results.append(DeleteAclsFilterResult(error_code=error.code, error_message=error.detail))
            continue
        matching = {acl_id: acl for acl_id, acl in image.acls.items() if wanted.matches(acl)}
        removed.update(dict.fromkeys(matching))
        results.append(
            DeleteAclsFilterResult(error_message=None, matching_acls=[_deleted(a) for a in matching.values()])
        )
    _check_size(len(removed))
    return Decision(
        reply=DeleteAclsResponse(filter_results=results),
        records=[RemoveAccessControlEntryRecord(id=acl_id) for acl_id in removed],
    )


def describe_acls(acls: Iterable[AclBinding], wanted: AclFilter) -> DescribeAclsResponse:
    """The entries that a filter picks, by resource."""
    found: dict[tuple[int, str, int], list[AclDescription]] = {}
    for acl in acls:
        if wanted.matches(acl):
            found.setdefault((acl.resource_type, acl.name, acl.pattern_type), []).append(
                AclDescription(
                    principal=acl.principal, host=acl.host, operation=acl.operation, permission_type=acl.permission
                )
            )
    return DescribeAclsResponse(
        resources=[
            DescribeAclsResource(resource_type=kind, resource_name=name, pattern_type=pattern, acls=entries)
            for (kind, name, pattern), entries in found.items()
        ],
    )


def filter_of(asked: DeleteAclsFilter | DescribeAclsRequest) -> AclFilter:
    return AclFilter(
        asked.resource_type_filter,
        asked.resource_name_filter,
        asked.pattern_type_filter,
        asked.principal_filter,
        asked.host_filter,
        asked.operation,
        asked.permission_type,
    )


def _check_filter(wanted: AclFilter) -> None:
    if wanted.has_unknown_pattern:
        raise _invalid("Unknown patternFilter.")
    if wanted.has_unknown_entry:
        raise _invalid("Unknown entryFilter.")


def _binding(creation: AclCreation) -> AclBinding:
    return AclBinding(
        creation.resource_type,
        creation.resource_name,
        creation.resource_pattern_type,
        creation.principal,
        creation.host,
        creation.operation,
        creation.permission_type,
    )


def _check_binding(acl: AclBinding) -> None:
    if acl.resource_type == AclResourceType.CLUSTER and acl.name != CLUSTER_NAME:
        raise _invalid(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    if not acl.name:
        raise _invalid("Invalid empty resource name")
    if not is_code(AclResourceType, acl.resource_type) or acl.resource_type == AclResourceType.ANY:
        raise _invalid(f"Invalid resourceType {name_of(AclResourceType, acl.resource_type)}")
    if acl.pattern_type not in (PatternType.LITERAL, PatternType.PREFIXED):
        raise _invalid(f"Invalid patternType {name_of(PatternType, acl.pattern_type)}")
    if not is_code(AclOperation, acl.operation) or acl.operation == AclOperation.ANY:
        raise _invalid(f"Invalid operation {name_of(AclOperation, acl.operation)}")
    if acl.permission not in (AclPermission.DENY, AclPermission.ALLOW):
        raise _invalid(f"Invalid permissionType {name_of(AclPermission, acl.permission)}")
    if ":" not in acl.principal:
        problem = "no colon is present separating the principal type from the principal name"
        raise _invalid(f"Could not parse principal from `{acl.principal}` ({problem})")


def _deleted(acl: AclBinding) -> DeleteAclsMatchingAcl:
    return DeleteAclsMatchingAcl(
        error_message=None,
        resource_type=acl.resource_type,
        resource_name=acl.name,
        pattern_type=acl.pattern_type,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation,
        permission_type=acl.permission,
    )


def _check_size(count: int) -> None:
    if count > _RECORDS_MAX:
        raise _invalid("Unable to perform excessively large batch operation.")


def _invalid(problem: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, problem)
