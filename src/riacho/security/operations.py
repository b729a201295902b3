"""What may be done, and to what: the operations and resources that access is granted on, with Kafka's codes."""

from __future__ import annotations

from riacho.base.acl import CLUSTER_NAME, AclOperation, AclResourceType

__all__ = ["CLUSTER_NAME", "SUPPORTED_OPERATIONS", "AclOperation", "AclResourceType"]

# What each type of resource knows, in the order in which Kafka's tools list it.
SUPPORTED_OPERATIONS: dict[AclResourceType, tuple[AclOperation, ...]] = {
    AclResourceType.TOPIC: (
        AclOperation.READ,
        AclOperation.WRITE,
        AclOperation.CREATE,
        AclOperation.DESCRIBE,
        AclOperation.DELETE,
        AclOperation.ALTER,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.ALTER_CONFIGS,
    ),
    AclResourceType.GROUP: (
        AclOperation.READ,
        AclOperation.DESCRIBE,
        AclOperation.DELETE,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.ALTER_CONFIGS,
    ),
    AclResourceType.CLUSTER: (
        AclOperation.CREATE,
        AclOperation.CLUSTER_ACTION,
        AclOperation.DESCRIBE_CONFIGS,
        AclOperation.ALTER_CONFIGS,
        AclOperation.IDEMPOTENT_WRITE,
        AclOperation.ALTER,
        AclOperation.DESCRIBE,
    ),
    AclResourceType.TRANSACTIONAL_ID: (
        AclOperation.DESCRIBE,
        AclOperation.WRITE,
        AclOperation.TWO_PHASE_COMMIT,
    ),
    AclResourceType.DELEGATION_TOKEN: (AclOperation.DESCRIBE,),
    AclResourceType.USER: (AclOperation.CREATE_TOKENS, AclOperation.DESCRIBE_TOKENS),
}
