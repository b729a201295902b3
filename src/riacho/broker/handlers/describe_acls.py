"""DescribeAcls, v1-3: the access control entries that a filter picks (KIP-140). v1: every kind of pattern (KIP-290)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.credentials.acls import describe_acls, filter_of
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_acls_response import DescribeAclsResponse

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.describe_acls_request import DescribeAclsRequest


def handle(ctx: RequestContext, request: DescribeAclsRequest) -> DescribeAclsResponse:
    ctx.check_cluster(AclOperation.DESCRIBE)
    if ctx.authorizer is None:
        problem = "No Authorizer is configured on the broker"
        return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=problem)
    wanted = filter_of(request)
    if 0 in (wanted.resource_type, wanted.pattern_type, wanted.operation, wanted.permission):
        raise KafkaError(ErrorCode.INVALID_REQUEST, "The filter has a field without a meaning")
    # A number that only a later version has a meaning for picks nothing.
    return describe_acls(ctx.metadata.image.acls.values(), wanted)
