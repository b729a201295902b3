"""Access control entries as records of the metadata log."""

from __future__ import annotations

from riacho.base.acl import AclBinding
from riacho.wire.messages.access_control_entry_record import AccessControlEntryRecord


def acl_record(acl_id: bytes, acl: AclBinding) -> AccessControlEntryRecord:
    return AccessControlEntryRecord(
        id=acl_id,
        resource_type=acl.resource_type,
        resource_name=acl.name,
        pattern_type=acl.pattern_type,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation,
        permission_type=acl.permission,
    )


def acl_from(record: AccessControlEntryRecord) -> AclBinding:
    return AclBinding(
        record.resource_type,
        record.resource_name,
        record.pattern_type,
        record.principal,
        record.host,
        record.operation,
        record.permission_type,
    )
