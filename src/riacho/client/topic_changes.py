"""Requests that change topics: create, delete, more partitions."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.client.cluster import Cluster, check
from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse
from riacho.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from riacho.wire.messages.delete_topics_response import DeleteTopicsResponse

# The cluster's own default (KIP-464).
DEFAULT = -1


def create_topic(
    cluster: Cluster,
    name: str,
    *,
    partitions: int = DEFAULT,
    replication_factor: int = DEFAULT,
    configs: Mapping[str, str] | None = None,
) -> CreatableTopicResult:
    topic = CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replication_factor,
        configs=[CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()],
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=cluster.settings.request_timeout_ms)

    def work() -> CreatableTopicResult:
        result = cluster.ask(request, CreateTopicsResponse, cluster.controller()).topics[0]
        check(result.error_code, result.error_message)
        return result

    return cluster.retry(work)


def delete_topic(cluster: Cluster, name: str) -> None:
    def work() -> None:
        connection = cluster.controller()
        request = DeleteTopicsRequest(timeout_ms=cluster.settings.request_timeout_ms)
        if connection.version_for(20) >= 6:
            request.topics = [DeleteTopicState(name=name)]
        else:
            request.topic_names = [name]
        for result in cluster.ask(request, DeleteTopicsResponse, connection).responses:
            check(result.error_code, result.error_message or f"Topic '{name}' cannot be deleted.")

    cluster.retry(work)


def set_partition_count(cluster: Cluster, name: str, count: int) -> None:
    request = CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name=name, count=count, assignments=None)],
        timeout_ms=cluster.settings.request_timeout_ms,
    )

    def work() -> None:
        for result in cluster.ask(request, CreatePartitionsResponse, cluster.controller()).results:
            check(result.error_code, result.error_message)

    cluster.retry(work)
