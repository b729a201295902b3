"""The compacted topic of the markers: made when it is missing, checked when it is there."""

from __future__ import annotations

import time
import zlib

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.configs import describe_configs
from riacho.metadata.image.config_resource import ResourceType
from riacho.pipelines.sink.encoded_batch import TopicPartition
from riacho.pipelines.sink.errors import SinkError, sink_error
from riacho.pipelines.sink.markers import SinkName
from riacho.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreateTopicsResponse
from riacho.wire.messages.metadata_response import MetadataResponseTopic

MARKER_TOPIC = "__riacho_sink_markers"
# Never another number: where a sink's markers are must not change when someone adds partitions.
PARTITIONS = 16
_REPLICAS = 3
_CREATE_TIMEOUT_MS = 30_000
_PAUSE_S = 0.05
_NOT_ALLOWED = (ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)


def marker_partition(name: SinkName) -> TopicPartition:
    """All markers of a sink are in one partition."""
    return TopicPartition(MARKER_TOPIC, zlib.crc32(str(name).encode()) % PARTITIONS)


def ensure_marker_topic(cluster: Cluster) -> bytes:
    """Its id. SinkError when it is not there and cannot be made, or would lose markers."""
    try:
        found = cluster.retry(lambda: _find(cluster))
        if error_of(found.error_code) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            cluster.retry(lambda: _create(cluster))
            found = _await(cluster)
        check(found.error_code, f"Topic {MARKER_TOPIC}, which exactly-once needs, cannot be used.")
        _check_policy(cluster)
    except KafkaError as error:
        raise sink_error(error) from None
    if len(found.partitions) < PARTITIONS:
        raise SinkError(
            f"Topic {MARKER_TOPIC} has {len(found.partitions)} partitions, but exactly-once needs {PARTITIONS} of them."
        )
    return found.topic_id


def _find(cluster: Cluster) -> MetadataResponseTopic:
    [found] = cluster.metadata([MARKER_TOPIC]).topics
    return found


def _create(cluster: Cluster) -> None:
    replicas = max(1, min(_REPLICAS, len(cluster.live_brokers())))
    topic = CreatableTopic(
        name=MARKER_TOPIC,
        num_partitions=PARTITIONS,
        replication_factor=replicas,
        configs=[CreatableTopicConfig(name="cleanup.policy", value="compact")],
    )
    request = CreateTopicsRequest(topics=[topic], timeout_ms=_CREATE_TIMEOUT_MS)
    [made] = cluster.ask(request, CreateTopicsResponse, cluster.controller()).topics
    # Tasks that start together all find it missing.
    if error_of(made.error_code) is not ErrorCode.TOPIC_ALREADY_EXISTS:
        check(made.error_code, f"Topic {MARKER_TOPIC}, which exactly-once needs, cannot be made: {made.error_message}")


def _await(cluster: Cluster) -> MetadataResponseTopic:
    """Not every broker knows at once of a topic that was just created."""
    deadline_s = time.monotonic() + _CREATE_TIMEOUT_MS / 1000
    while True:
        found = cluster.retry(lambda: _find(cluster))
        has_leaders = all(partition.leader_id >= 0 for partition in found.partitions)
        if (not found.error_code and has_leaders) or time.monotonic() > deadline_s:
            return found
        time.sleep(_PAUSE_S)


def _check_policy(cluster: Cluster) -> None:
    try:
        configs = describe_configs(cluster, ResourceType.TOPIC, [MARKER_TOPIC])[MARKER_TOPIC]
    except KafkaError as error:
        if error.code in _NOT_ALLOWED:
            return
        raise
    policy = next((entry.value for entry in configs if entry.name == "cleanup.policy"), "compact")
    if policy != "compact":
        raise SinkError(f"Topic {MARKER_TOPIC} has cleanup.policy={policy}, which loses markers: it must be compact.")
