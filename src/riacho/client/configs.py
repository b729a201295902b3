"""What brokers tell about configs: DescribeConfigs and IncrementalAlterConfigs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from riacho.client.cluster import Cluster, check
from riacho.client.connection import Connection
from riacho.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from riacho.wire.messages.describe_configs_response import DescribeConfigsResourceResult, DescribeConfigsResponse
from riacho.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse

ConfigEntry = DescribeConfigsResourceResult


class ResourceType(IntEnum):
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigSource(IntEnum):
    """Where a value comes from, by the names that kafka-configs prints."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8


class AlterOperation(IntEnum):
    SET = 0
    DELETE = 1


def _responsible(cluster: Cluster, kind: ResourceType, name: str) -> Connection:
    """A broker answers for itself; anything else any broker knows."""
    return (
        cluster.broker(int(name))
        if kind in (ResourceType.BROKER, ResourceType.BROKER_LOGGER) and name
        else cluster.any()
    )


def describe_configs(
    cluster: Cluster, kind: ResourceType, names: Iterable[str], *, synonyms: bool = False
) -> dict[str, list[ConfigEntry]]:
    """Every config of each resource, by name. Brokers are asked one by one, the rest in one request."""
    wanted = list(names)
    batches = [[name] for name in wanted] if kind in (ResourceType.BROKER, ResourceType.BROKER_LOGGER) else [wanted]
    found: dict[str, list[ConfigEntry]] = {}
    for batch in batches:
        found |= cluster.retry(lambda batch=batch: _describe(cluster, kind, batch, synonyms))  # type: ignore[misc]
    return found


def _describe(cluster: Cluster, kind: ResourceType, names: list[str], synonyms: bool) -> dict[str, list[ConfigEntry]]:
    if not names:
        return {}
    request = DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=None) for name in names
        ],
        include_synonyms=synonyms,
    )
    response = cluster.ask(request, DescribeConfigsResponse, _responsible(cluster, kind, names[0]))
    for result in response.results:
        check(result.error_code, result.error_message)
    return {result.resource_name: result.configs for result in response.results}


def alter_configs(
    cluster: Cluster, kind: ResourceType, name: str, set_to: dict[str, str], delete: Iterable[str]
) -> None:
    configs = [
        *(AlterableConfig(name=key, config_operation=AlterOperation.SET, value=value) for key, value in set_to.items()),
        *(AlterableConfig(name=key, config_operation=AlterOperation.DELETE, value=None) for key in delete),
    ]
    request = IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)]
    )

    def work() -> None:
        response = cluster.ask(request, IncrementalAlterConfigsResponse, _responsible(cluster, kind, name))
        for result in response.responses:
            check(result.error_code, result.error_message)

    cluster.retry(work)
