"""How a produce request is refused: the error of one partition, and where its leader is now (KIP-951)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.partitions.replicas import Replicas

# Where a listener's clients reach a broker: (node id, name of the listener) to (host, port), or KafkaError.
EndpointOf = Callable[[int, str], tuple[str, int]]

_NEW_LEADER_VERSION = 10


class ProduceRefusals:
    def __init__(self, metrics: BrokerMetrics, replicas: Replicas, endpoint_of: EndpointOf) -> None:
        self._metrics = metrics
        self._replicas = replicas
        self._endpoint_of = endpoint_of

    def refusal(self, version: int, topic_key: str | bytes, index: int, error: KafkaError) -> PartitionProduceResponse:
        refused = PartitionProduceResponse(index=index)
        self.refuse(version, refused, topic_key, error)
        return refused

    def refuse(self, version: int, answer: PartitionProduceResponse, topic_key: str | bytes, error: KafkaError) -> None:
        """Turn an answer into this error, whatever it said before."""
        self._metrics.failed_produce += 1
        answer.error_code = error.code
        answer.error_message = error.detail or None
        answer.base_offset = answer.log_append_time_ms = answer.log_start_offset = -1
        if isinstance(error, InvalidRecordsError):
            answer.record_errors = [
                BatchIndexAndErrorMessage(batch_index=at, batch_index_error_message=message)
                for at, message in error.record_errors
            ]
        if error.code is ErrorCode.NOT_LEADER_OR_FOLLOWER and version >= _NEW_LEADER_VERSION:
            leader = self._replicas.current_leader(topic_key, answer.index)
            if leader is not None:
                answer.current_leader = LeaderIdAndEpoch(leader_id=leader[0], leader_epoch=leader[1])

    def add_new_leaders(self, version: int, listener_name: str, response: ProduceResponse) -> None:
        """The addresses of the leaders that the partitions' errors name."""
        if version >= _NEW_LEADER_VERSION:
            leaders = {
                partition.current_leader.leader_id
                for topic in response.responses
                for partition in topic.partition_responses
                if partition.error_code and partition.current_leader.leader_id >= 0
            }
            if leaders:
                response.node_endpoints = self._endpoints(listener_name, leaders)

    def _endpoints(self, listener_name: str, leaders: Iterable[int]) -> list[NodeEndpoint]:
        found = []
        for leader in sorted(leaders):
            try:
                host, port = self._endpoint_of(leader, listener_name)
            except KafkaError:
                # Unknown by now, or not on this listener: the client asks for metadata instead.
                continue
            found.append(NodeEndpoint(node_id=leader, host=host, port=port))
        return found
