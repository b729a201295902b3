"""Changes of log levels within IncrementalAlterConfigs: for the node that they reach, and no other, to make.

Unlike all other settings they are in no record; so a broker makes them itself, and does not bring them to the
controller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access.config_rights import check_config_right
from riacho.broker.log_levels import LevelChange
from riacho.metadata.config_changes import Operation
from riacho.metadata.image.config_resource import ResourceType
from riacho.security.operations import AclOperation
from riacho.wire.messages.incremental_alter_configs_response import AlterConfigsResourceResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.incremental_alter_configs_request import (
        AlterConfigsResource,
        IncrementalAlterConfigsRequest,
    )


def logger_resources(request: IncrementalAlterConfigsRequest) -> list[AlterConfigsResource]:
    return [each for each in request.resources if each.resource_type == ResourceType.BROKER_LOGGER]


def change_loggers(
    ctx: QuorumRequestContext, asked: list[AlterConfigsResource], validate_only: bool
) -> list[AlterConfigsResourceResponse]:
    answers = [_changed(ctx, resource, validate_only) for resource in asked]
    # The fast path of producers leaves no lines: what is to be logged may have changed.
    ctx.node.fast_path_epoch.bump()
    return answers


def _changed(
    ctx: QuorumRequestContext, resource: AlterConfigsResource, validate_only: bool
) -> AlterConfigsResourceResponse:
    name = resource.resource_name
    answer = AlterConfigsResourceResponse(0, None, resource.resource_type, name)
    try:
        check_config_right(ctx, AclOperation.ALTER_CONFIGS, resource.resource_type, name)
        if name != str(ctx.node.config.node_id):
            problem = f"Unexpected node id. Expected {ctx.node.config.node_id}, but received {name}"
            raise KafkaError(ErrorCode.INVALID_REQUEST, problem)
        changes = [_change(config.name, config.config_operation, config.value) for config in resource.configs]
        levels = ctx.node.logs.levels
        levels.check(changes)
        if not validate_only:
            levels.apply(changes)
    except KafkaError as error:
        answer.error_code, answer.error_message = error.code, error.detail
    return answer


def _change(logger: str, operation: int, value: str | None) -> LevelChange:
    if operation == Operation.DELETE:
        return LevelChange(logger, None)
    if operation != Operation.SET or value is None:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "the level of a logger can be set or deleted, nothing else")
    return LevelChange(logger, value)
