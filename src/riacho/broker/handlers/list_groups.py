"""ListGroups, v0-5.

v4: by state (KIP-518). v5: by type (KIP-848).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.list_groups_response import ListGroupsResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.list_groups_request import ListGroupsRequest


def handle(ctx: BrokerRequestContext, request: ListGroupsRequest) -> ListGroupsResponse:
    groups = ctx.coordinators.groups.list_groups(request)
    if not ctx.allows_cluster(AclOperation.DESCRIBE, is_audited=False):
        seen = ctx.allowed(
            AclOperation.DESCRIBE, AclResourceType.GROUP, [group.group_id for group in groups], is_audited=False
        )
        groups = [group for group in groups if group.group_id in seen]
    return ListGroupsResponse(groups=groups)
