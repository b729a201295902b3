"""How a produce request is refused: the error of one partition, and where its leader is now (KIP-951)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.refused_records import InvalidRecordsError
from riacho.wire.messages.produce_response import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
)

if TYPE_CHECKING:
    from riacho.broker.node import Broker

_NEW_LEADER_VERSION = 10


def refusal(
    broker: Broker, version: int, topic_key: str | bytes, index: int, error: KafkaError
) -> PartitionProduceResponse:
    refused = PartitionProduceResponse(index=index)
    refuse(broker, version, refused, topic_key, error)
    return refused


def refuse(
    broker: Broker, version: int, answer: PartitionProduceResponse, topic_key: str | bytes, error: KafkaError
) -> None:
    """Turn an answer into this error, whatever it said before."""
    broker.metrics.failed_produce += 1
    answer.error_code = error.code
    answer.error_message = error.detail or None
    answer.base_offset = answer.log_append_time_ms = answer.log_start_offset = -1
    if isinstance(error, InvalidRecordsError):
        answer.record_errors = [
            BatchIndexAndErrorMessage(batch_index=at, batch_index_error_message=message)
            for at, message in error.record_errors
        ]
    if error.code is ErrorCode.NOT_LEADER_OR_FOLLOWER and version >= _NEW_LEADER_VERSION:
        leader = broker.replicas.current_leader(topic_key, answer.index)
        if leader is not None:
            answer.current_leader = LeaderIdAndEpoch(leader_id=leader[0], leader_epoch=leader[1])


def add_new_leaders(broker: Broker, version: int, listener_name: str, response: ProduceResponse) -> None:
    """The addresses of the leaders that the partitions' errors name."""
    if version >= _NEW_LEADER_VERSION:
        leaders = {
            partition.current_leader.leader_id
            for topic in response.responses
            for partition in topic.partition_responses
            if partition.error_code and partition.current_leader.leader_id >= 0
        }
        if leaders:
            response.node_endpoints = _endpoints(broker, listener_name, leaders)


def _endpoints(broker: Broker, listener_name: str, leaders: Iterable[int]) -> list[NodeEndpoint]:
    found = []
    for leader in sorted(leaders):
        try:
            host, port = broker.endpoints.of(leader, listener_name)
        except KafkaError:
            # Unknown by now, or not on this listener: the client asks for metadata instead.
            continue
        found.append(NodeEndpoint(node_id=leader, host=host, port=port))
    return found
