"""What a write knows of its topics: how many partitions, and who leads each.

It is kept from one task to the next for a few seconds, as a producer keeps it for minutes: a leader that has moved and
a topic that was deleted refuse what is sent, and then, or where a row names a partition above those known, it is asked
again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.pipelines.sink.encoded_batch import TopicPartition
from riacho.pipelines.sink.errors import SinkError
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic

_PAUSE_S = 0.05
AGE_S_MAX = 5.0
TOPICS_MAX = 1_000


class TopicLeaders:
    """A topic that is missing is created where the brokers are set so (`auto.create.topics.enable`)."""

    def __init__(self, cluster: Cluster, topic_timeout_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.cluster = cluster
        self._topic_timeout_ms = topic_timeout_ms
        self._clock = clock
        self._leaders: dict[str, dict[int, int]] = {}
        self._learned_s: dict[str, float] = {}
        self._task_began_s = clock()

    def begin_task(self) -> None:
        self._task_began_s = now_s = self._clock()
        for topic in [topic for topic, then_s in self._learned_s.items() if now_s - then_s > AGE_S_MAX]:
            self.forget(topic)

    def count(self, topic: str, highest: int = -1) -> int:
        """`highest` is the highest partition that is asked for, which may be newer than what an earlier task knew."""
        known = self._leaders.get(topic)
        if known is None or (highest >= len(known) and self._learned_s[topic] < self._task_began_s):
            self.learn_again(topic)
        return len(self._leaders[topic])

    def leader(self, topic_partition: TopicPartition) -> int:
        """-1 where there is none now."""
        self.count(topic_partition.topic, topic_partition.partition)
        return self._leaders[topic_partition.topic].get(topic_partition.partition, -1)

    def forget(self, topic: str | None = None) -> None:
        """Leaders have moved, of this topic or of any: ask again."""
        if topic is None:
            self._leaders.clear()
            self._learned_s.clear()
        else:
            self._leaders.pop(topic, None)
            self._learned_s.pop(topic, None)

    def learn_again(self, topic: str) -> None:
        self.forget(topic)
        self._learn(topic)

    def _learn(self, topic: str) -> None:
        deadline_s = time.monotonic() + self._topic_timeout_ms / 1000
        while True:
            found = self.cluster.retry(lambda: self._ask(topic))
            error = error_of(found.error_code)
            if error is ErrorCode.NONE:
                if len(self._leaders) >= TOPICS_MAX:
                    self.forget()
                self._leaders[topic] = {p.partition_index: p.leader_id for p in found.partitions}
                self._learned_s[topic] = self._clock()
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
        response = self.cluster.ask(request, MetadataResponse)
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
