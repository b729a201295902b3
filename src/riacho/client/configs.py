"""What brokers tell about configs: DescribeConfigs and IncrementalAlterConfigs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from riacho.client.cluster import Cluster, check, error_of, is_passing
from riacho.client.connection import Connection
from riacho.metadata.image.config_resource import ResourceType
from riacho.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from riacho.wire.messages.describe_configs_response import DescribeConfigsResourceResult, DescribeConfigsResponse
from riacho.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse

ConfigEntry = DescribeConfigsResourceResult


class AlterOperation(IntEnum):
    SET = 0
    DELETE = 1


def _responsible(cluster: Cluster, kind: ResourceType, name: str) -> Connection:
    """A broker answers for itself, as does a controller; anything else any node knows."""
    if kind in (ResourceType.BROKER, ResourceType.BROKER_LOGGER) and name:
        return cluster.broker(int(name))
    return cluster.any()


def describe_configs(
    cluster: Cluster,
    kind: ResourceType,
    names: Iterable[str],
    *,
    keys: Iterable[str] | None = None,
    synonyms: bool = False,
    documentation: bool = False,
    skip_refused: bool = False,
) -> dict[str, list[ConfigEntry]]:
    """Every config of each resource, or those of `keys`, by name. Brokers are asked one by one, the rest in one
    request. `skip_refused`: what the user may not see, or is not there, is left out."""
    asked = DescribeConfigsRequest(include_synonyms=synonyms, include_documentation=documentation)
    wanted = list(names)
    batches = [[name] for name in wanted] if kind in (ResourceType.BROKER, ResourceType.BROKER_LOGGER) else [wanted]
    found: dict[str, list[ConfigEntry]] = {}
    for batch in batches:
        found |= cluster.retry(lambda batch=batch: _describe(cluster, kind, batch, keys, asked, skip_refused))  # type: ignore[misc]
    return found


def _describe(
    cluster: Cluster,
    kind: ResourceType,
    names: list[str],
    keys: Iterable[str] | None,
    request: DescribeConfigsRequest,
    skip_refused: bool,
) -> dict[str, list[ConfigEntry]]:
    if not names:
        return {}
    wanted = None if keys is None else list(keys)
    request.resources = [
        DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=wanted) for name in names
    ]
    response = cluster.ask(request, DescribeConfigsResponse, _responsible(cluster, kind, names[0]))
    for result in response.results:
        if not skip_refused or is_passing(error_of(result.error_code)):
            check(result.error_code, result.error_message)
    return {result.resource_name: result.configs for result in response.results if not result.error_code}


def alter_configs(
    cluster: Cluster, kind: ResourceType, name: str, set_to: dict[str, str], delete: Iterable[str]
) -> None:
    alter_resources(cluster, kind, {name: {**set_to, **dict.fromkeys(delete)}})


def alter_resources(
    cluster: Cluster,
    kind: ResourceType,
    changes: Mapping[str, Mapping[str, str | None]],
    *,
    validate_only: bool = False,
) -> None:
    """Set configs, or take those whose value is None away. Brokers get a request each, the rest share one; the
    empty name is all brokers."""
    one_by_one = kind in (ResourceType.BROKER, ResourceType.BROKER_LOGGER)
    for names in [[name] for name in changes] if one_by_one else [list(changes)]:
        if names:
            cluster.retry(lambda names=names: _alter(cluster, kind, names, changes, validate_only))  # type: ignore[misc]


def _alter(
    cluster: Cluster,
    kind: ResourceType,
    names: Sequence[str],
    changes: Mapping[str, Mapping[str, str | None]],
    validate_only: bool,
) -> None:
    request = IncrementalAlterConfigsRequest(
        resources=[
            AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[_alterable(key, value) for key, value in changes[name].items()],
            )
            for name in names
        ],
        validate_only=validate_only,
    )
    # The active controller changes anyone's; a broker checks its own before it forwards them.
    asked = cluster.controller() if cluster.settings.is_to_controllers else _responsible(cluster, kind, names[0])
    response = cluster.ask(request, IncrementalAlterConfigsResponse, asked)
    for result in response.responses:
        check(result.error_code, result.error_message)


def _alterable(key: str, value: str | None) -> AlterableConfig:
    operation = AlterOperation.DELETE if value is None else AlterOperation.SET
    return AlterableConfig(name=key, config_operation=operation, value=value)
