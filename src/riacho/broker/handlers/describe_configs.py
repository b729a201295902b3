"""DescribeConfigs, v1-4: every setting of a topic, broker, group or client metrics subscription.

v1: synonyms (KIP-226). v3: type and documentation. Brokers answer for themselves and for the cluster default ("").
Broker loggers (KIP-412) are described by the node that has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from riacho.base.config import ConfigType
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access.config_rights import check_config_right
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ConfigSource, ResourceType
from riacho.metadata.image.topic_names import name_problem
from riacho.metadata.settings.config_listing import (
    ConfigEntry,
    describe_broker,
    describe_client_metrics,
    describe_cluster_default,
    describe_group,
    describe_topic,
)
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from riacho.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.quorum.metadata_cache import MetadataCache


def handle(ctx: QuorumRequestContext, request: DescribeConfigsRequest) -> DescribeConfigsResponse:
    """A resource that is asked for twice is described once: its answer is a hundred times as long as the question."""
    asked = {
        (
            each.resource_type,
            each.resource_name,
            None if (keys := each.configuration_keys) is None else tuple(keys),
        ): each
        for each in request.resources
    }
    return DescribeConfigsResponse(results=[_describe(ctx, request, resource) for resource in asked.values()])


def _describe(
    ctx: QuorumRequestContext, request: DescribeConfigsRequest, resource: DescribeConfigsResource
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(resource_type=resource.resource_type, resource_name=resource.resource_name)
    try:
        check_config_right(ctx, AclOperation.DESCRIBE_CONFIGS, resource.resource_type, resource.resource_name)
        entries = _entries(ctx.quorum.metadata, resource.resource_type, resource.resource_name)
        if resource.resource_type == ResourceType.BROKER_LOGGER:
            entries = [
                ConfigEntry(name, level, ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG, (), ConfigType.UNKNOWN)
                for name, level in ctx.node.logs.levels.all().items()
            ]
    except KafkaError as error:
        result.error_code, result.error_message = error.code, error.detail
        return result
    wanted = set(resource.configuration_keys) if resource.configuration_keys else None
    result.configs = [_to_result(entry, request) for entry in entries if wanted is None or entry.name in wanted]
    return result


def _entries(metadata: MetadataCache, resource_type: int, name: str) -> Sequence[ConfigEntry]:
    image = metadata.image
    match resource_type:
        case ResourceType.TOPIC:
            problem = name_problem(name)
            if problem is not None:
                raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
            if name not in image.topics:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            return describe_topic(image.overrides(ResourceType.TOPIC, name), metadata.values)
        case ResourceType.BROKER if name == CLUSTER_DEFAULT:
            return describe_cluster_default(image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT))
        case ResourceType.BROKER:
            _check_own_id(metadata, name, "or empty string, ")
            return describe_broker(metadata.values)
        case ResourceType.BROKER_LOGGER:
            _check_own_id(metadata, name, "")
            return []
        case ResourceType.GROUP:
            _check_named("Group name", name)
            return describe_group(image.overrides(ResourceType.GROUP, name), metadata.values)
        case ResourceType.CLIENT_METRICS:
            _check_named("Client metrics subscription name", name)
            return describe_client_metrics(image.overrides(ResourceType.CLIENT_METRICS, name))
    raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unsupported resource type: {resource_type}")


def _check_own_id(metadata: MetadataCache, name: str, alternative: str) -> None:
    if not re.fullmatch(r"-?[0-9]{1,10}", name):
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Broker id must be an integer, but it is: {name}")
    own = metadata.config.node_id
    if int(name) != own:
        problem = f"Unexpected broker id, expected {own} {alternative}but received {name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, problem)


def _check_named(what: str, name: str) -> None:
    if not name:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{what} must not be empty")


def _to_result(entry: ConfigEntry, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    synonyms = entry.synonyms if request.include_synonyms else ()
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        config_source=entry.source,
        is_sensitive=entry.is_sensitive,
        synonyms=[DescribeConfigsSynonym(name=s.name, value=s.value, source=s.source) for s in synonyms],
        config_type=entry.type,
        documentation=entry.doc if request.include_documentation else None,
    )
