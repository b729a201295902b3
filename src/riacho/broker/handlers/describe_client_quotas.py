"""DescribeClientQuotas, v0-1 (KIP-546): the quotas of users, client ids and addresses that a filter asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.metadata.settings.client_quota_filter import describe_client_quotas
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_client_quotas_response import DescribeClientQuotasResponse

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.describe_client_quotas_request import DescribeClientQuotasRequest


def handle(ctx: RequestContext, request: DescribeClientQuotasRequest) -> DescribeClientQuotasResponse:
    try:
        ctx.check_cluster(AclOperation.DESCRIBE_CONFIGS)
        return describe_client_quotas(ctx.metadata.image.client_quotas, request)
    except KafkaError as error:
        return DescribeClientQuotasResponse(error_code=error.code, error_message=error.detail, entries=None)
