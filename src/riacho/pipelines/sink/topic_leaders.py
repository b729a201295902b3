"""What a write knows of its topics: how many partitions, and who leads each."""

from __future__ import annotations

import time

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.pipelines.sink.encoder import Place
from riacho.pipelines.sink.errors import SinkError
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic

_PAUSE_S = 0.05


class TopicLeaders:
    """A topic that is missing is created where the brokers are set so (`auto.create.topics.enable`)."""

    def __init__(self, cluster: Cluster, topic_timeout_ms: int) -> None:
        self._cluster = cluster
        self._topic_timeout_ms = topic_timeout_ms
        self._leaders: dict[str, dict[int, int]] = {}

    def count(self, topic: str) -> int:
        if topic not in self._leaders:
            self._learn(topic)
        return len(self._leaders[topic])

    def leader(self, place: Place) -> int:
        """-1 where there is none now."""
        self.count(place.topic)
        return self._leaders[place.topic].get(place.partition, -1)

    def forget(self) -> None:
        """Leaders have moved: ask again."""
        self._leaders.clear()

    def _learn(self, topic: str) -> None:
        deadline_s = time.monotonic() + self._topic_timeout_ms / 1000
        while True:
            found = self._cluster.retry(lambda: self._ask(topic))
            error = error_of(found.error_code)
            if error is ErrorCode.NONE:
                self._leaders[topic] = {p.partition_index: p.leader_id for p in found.partitions}
                return
            if error is ErrorCode.TOPIC_AUTHORIZATION_FAILED:
                raise SinkError(f"These credentials may not write to topic '{topic}'.")
            if error is ErrorCode.INVALID_TOPIC_EXCEPTION:
                raise SinkError(f"'{topic}' cannot be a topic's name.")
            if time.monotonic() > deadline_s:
                raise SinkError(f"Topic '{topic}' does not exist, and the brokers do not create it by themselves.")
            time.sleep(_PAUSE_S)

    def _ask(self, topic: str) -> MetadataResponseTopic:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=True)
        response = self._cluster.ask(request, MetadataResponse)
        [found] = response.topics
        check(0 if error_of(found.error_code) in _TOLD else found.error_code)
        if not found.error_code and not found.partitions:
            raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE, f"Topic '{topic}' has no partitions yet.")
        return found


# A partition without a leader is no reason to fail: the sender waits for one.
_TOLD = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
    }
)
