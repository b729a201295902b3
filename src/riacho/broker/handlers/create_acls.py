"""CreateAcls, v1-3: access control entries (KIP-140). v1: prefixed patterns (KIP-290).

Decided by the active controller. Without an authorizer there is nobody who would read them: SECURITY_DISABLED.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.create_acls_request import CreateAclsRequest
    from riacho.wire.messages.create_acls_response import CreateAclsResponse


def handle(ctx: QuorumRequestContext, request: CreateAclsRequest) -> Outcome[CreateAclsResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    if ctx.authorizer is None:
        raise KafkaError(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")
    return ctx.quorum.controller.submit(lambda controller: controller.create_acls(request))
