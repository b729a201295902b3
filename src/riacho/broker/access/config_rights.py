"""Who may see and change settings: those of topics and groups by their names, all others as the cluster's."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Outcome, mapped
from riacho.metadata.image.config_resource import ResourceType
from riacho.security.denials import denied
from riacho.security.operations import CLUSTER_NAME, AclOperation, AclResourceType
from riacho.wire.messages import alter_configs_response, incremental_alter_configs_response
from riacho.wire.messages.alter_configs_request import AlterConfigsRequest
from riacho.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from riacho.base.decision import Decision
    from riacho.broker.requests.request_context import RequestContext
    from riacho.metadata.controller import Controller
    from riacho.metadata.image.records import MetadataRecord

Q = TypeVar("Q", AlterConfigsRequest, IncrementalAlterConfigsRequest)
R = TypeVar(
    "R", alter_configs_response.AlterConfigsResponse, incremental_alter_configs_response.IncrementalAlterConfigsResponse
)

_KINDS = {
    ResourceType.TOPIC: AclResourceType.TOPIC,
    ResourceType.GROUP: AclResourceType.GROUP,
    ResourceType.BROKER: AclResourceType.CLUSTER,
    ResourceType.BROKER_LOGGER: AclResourceType.CLUSTER,
    ResourceType.CLIENT_METRICS: AclResourceType.CLUSTER,
}


def check_config_right(ctx: RequestContext, operation: AclOperation, resource_type: int, name: str) -> None:
    """KafkaError when it is not allowed. Of a type that nobody knows there is nothing to protect."""
    if ctx.authorizer is None or resource_type not in _KINDS:
        return
    kind = _KINDS[ResourceType(resource_type)]
    if not ctx.allows(operation, kind, CLUSTER_NAME if kind is AclResourceType.CLUSTER else name):
        raise denied(kind)


def checked_changes(
    ctx: RequestContext,
    submit: Callable[[Callable[[Controller], Decision[MetadataRecord, R]]], Outcome[R]],
    request: Q,
    decide: Callable[[Controller, Q], Decision[MetadataRecord, R]],
) -> Outcome[R]:
    """Let the controller decide on what the client may change; the rest is refused."""
    refused = []
    if ctx.authorizer is not None:
        for resource in request.resources:
            try:
                check_config_right(ctx, AclOperation.ALTER_CONFIGS, resource.resource_type, resource.resource_name)
            except KafkaError as error:
                refused.append((error, resource.resource_type, resource.resource_name))
    allowed = request
    if refused:
        names = {(kind, name) for _, kind, name in refused}
        allowed = replace(
            request,
            resources=[each for each in request.resources if (each.resource_type, each.resource_name) not in names],
        )
    outcome = submit(lambda controller: decide(controller, allowed))
    return mapped(outcome, lambda response: _with(response, refused)) if refused else outcome


def _with(response: R, refused: list[tuple[KafkaError, int, str]]) -> R:
    is_old = isinstance(response, alter_configs_response.AlterConfigsResponse)
    answers = alter_configs_response if is_old else incremental_alter_configs_response
    for error, kind, name in refused:
        response.responses.append(answers.AlterConfigsResourceResponse(ErrorCode(error.code), error.detail, kind, name))
    return response
