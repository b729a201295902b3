"""ListConfigResources, v0-1 (KIP-1142): what there is to configure. v0: client metrics subscriptions only (KIP-714)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.security.operations import AclOperation
from riacho.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from riacho.wire.messages.list_config_resources_response import ConfigResource, ListConfigResourcesResponse

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext


def handle(ctx: RequestContext, request: ListConfigResourcesRequest) -> ListConfigResourcesResponse:
    ctx.check_cluster(AclOperation.DESCRIBE_CONFIGS)
    known = set(ResourceType)
    wanted = {int(ResourceType.CLIENT_METRICS)} if ctx.version == 0 else set(request.resource_types) or known
    if not wanted <= known:
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    image = ctx.metadata.image
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(resource_name=name, resource_type=kind)
            for kind in ResourceType
            if kind in wanted
            for name in _names(image, kind)
        ]
    )


def _names(image: MetadataImage, kind: ResourceType) -> Iterable[str]:
    match kind:
        case ResourceType.TOPIC:
            return image.topics
        case ResourceType.BROKER | ResourceType.BROKER_LOGGER:
            return [str(broker_id) for broker_id in image.brokers]
        case ResourceType.CLIENT_METRICS | ResourceType.GROUP:
            return [name for resource_type, name in image.configs if resource_type == kind]
