"""SyncGroup, v0-5.

v3: group instance id (KIP-345). v5: the protocol type and name must be there, are checked and echoed (KIP-559).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.groups.operations import SYNC_GROUP
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.sync_group_request import SyncGroupRequest
    from riacho.wire.messages.sync_group_response import SyncGroupResponse

_PROTOCOL_VERSION = 5


def handle(ctx: BrokerRequestContext, request: SyncGroupRequest) -> Outcome[SyncGroupResponse]:
    ctx.check_group(AclOperation.READ, request.group_id)
    is_given = request.protocol_type is not None and request.protocol_name is not None
    if ctx.version >= _PROTOCOL_VERSION and not is_given:
        return SYNC_GROUP.refused(request, ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    return ctx.coordinators.groups.ask(SYNC_GROUP, request)
