"""What a cluster says of itself, asked anew each time from whichever broker answers first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.connection import Connection
from riacho.client.settings import ClientSettings
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.schema import Message

T = TypeVar("T")
METADATA_TOPIC = "__cluster_metadata"


@dataclass(frozen=True, slots=True)
class PartitionState:
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: frozenset[int]
    error_code: int


@dataclass(frozen=True, slots=True)
class QuorumView:
    leader: int
    leader_epoch: int
    high_watermark: int
    voters: tuple[int, ...]
    observers: tuple[int, ...]


class ClusterView:
    """Short patience per broker: some of them are dead, or cut off, most of the time."""

    def __init__(self, addresses: Iterable[tuple[str, int]], request_timeout_ms: int = 5_000) -> None:
        self._addresses = tuple(addresses)
        self._request_timeout_ms = request_timeout_ms

    def ask(self, request: Message, version: int | None = None) -> Any:
        """The first answer that comes. KafkaError NETWORK_EXCEPTION when nobody answers."""
        reasons = []
        for address in self._addresses:
            settings = ClientSettings(
                (address,),
                client_id="view",
                connect_timeout_ms=2_000,
                request_timeout_ms=self._request_timeout_ms,
            )
            try:
                connection = Connection(*address, settings)
                try:
                    return connection.send(request, version)
                finally:
                    connection.close()
            except KafkaError as error:
                reasons.append(str(error))
        raise KafkaError(ErrorCode.NETWORK_EXCEPTION, f"nobody answers: {reasons}")

    def broker_ids_or_none(self) -> set[int] | None:
        try:
            return self.broker_ids()
        except KafkaError:
            return None

    def broker_ids(self) -> set[int]:
        request = MetadataRequest(topics=[], allow_auto_topic_creation=False)
        return {broker.node_id for broker in self.ask(request).brokers}

    def partitions(self, topic: str) -> dict[int, PartitionState]:
        """By index; empty while the topic is not there."""
        asked = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        found = self.ask(asked).topics[0]
        return {
            p.partition_index: PartitionState(
                p.leader_id, p.leader_epoch, tuple(p.replica_nodes), frozenset(p.isr_nodes), p.error_code
            )
            for p in found.partitions
        }

    def partition(self, topic: str, partition: int = 0) -> PartitionState:
        return self.partitions(topic)[partition]

    def leader_of(self, topic: str, partition: int = 0) -> int:
        return self.partition(topic, partition).leader

    def quorum(self) -> QuorumView:
        """DescribeQuorum; KafkaError when there is no leader to answer it."""
        data = TopicData(topic_name=METADATA_TOPIC, partitions=[PartitionData(partition_index=0)])
        answer = self.ask(DescribeQuorumRequest(topics=[data]))
        if answer.error_code:
            raise KafkaError(ErrorCode(answer.error_code), answer.error_message or "")
        found = answer.topics[0].partitions[0]
        if found.error_code:
            raise KafkaError(ErrorCode(found.error_code), found.error_message or "")
        return QuorumView(
            found.leader_id,
            found.leader_epoch,
            found.high_watermark,
            tuple(sorted(voter.replica_id for voter in found.current_voters)),
            tuple(sorted(observer.replica_id for observer in found.observers)),
        )

    def controller(self) -> int:
        """The active controller: the leader of the quorum."""
        return self.quorum().leader


def settled(question: Callable[[], T], is_good: Callable[[T], bool] = bool, timeout_s: float = 30.0) -> T:
    """Ask until the answer is good. While brokers come and go, errors are answers too, just not good ones."""
    deadline = time.monotonic() + timeout_s
    while True:
        last: object
        try:
            last = answer = question()
            if is_good(answer):
                return answer
        except (KafkaError, KeyError, IndexError, OSError) as error:
            last = error
        assert time.monotonic() < deadline, f"still {last!r} after {timeout_s} s"
        time.sleep(0.05)
