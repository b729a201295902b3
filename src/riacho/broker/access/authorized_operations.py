"""Which operations a caller may do, as the bits that Metadata and its like return (KIP-430): bit n is operation n."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import CLUSTER_NAME, SUPPORTED_OPERATIONS, AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext

NOT_ASKED = -2147483648


def _bits(resource_type: AclResourceType) -> int:
    return sum(1 << operation for operation in SUPPORTED_OPERATIONS[resource_type])


# What somebody may do to whom nothing is forbidden.
TOPIC = _bits(AclResourceType.TOPIC)
GROUP = _bits(AclResourceType.GROUP)
CLUSTER = _bits(AclResourceType.CLUSTER)


def authorized_operations(ctx: RequestContext, resource_type: AclResourceType, name: str) -> int:
    if ctx.authorizer is None:
        return _bits(resource_type)
    return sum(
        1 << operation
        for operation in SUPPORTED_OPERATIONS[resource_type]
        if ctx.allows(operation, resource_type, name, is_audited=False)
    )


def cluster_operations(ctx: RequestContext) -> int:
    """Those of the cluster; none for those who may not describe it."""
    if not ctx.allows_cluster(AclOperation.DESCRIBE):
        return 0
    return authorized_operations(ctx, AclResourceType.CLUSTER, CLUSTER_NAME)
