"""A member of a consumer group (KIP-848) as a raw conversation: what each heartbeat says and is told."""

from __future__ import annotations

import uuid
from typing import Any

from conformance.raw import RawConnection, wait_for_coordinator
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

Owned = dict[bytes, list[int]]


class ConsumerMember:
    def __init__(self, broker: RunningBroker, group: str, topics: list[str] | None, **always: Any) -> None:
        """`always` goes with every heartbeat: an instance id, say."""
        self.connection = RawConnection(broker.address)
        wait_for_coordinator(self.connection, group)
        self.group, self.topics, self.always = group, topics, always
        self.member_id = uuid.uuid4().hex
        self.epoch = 0
        self.owned: Owned = {}

    def close(self) -> None:
        self.connection.socket.close()

    def send(self, **values: Any) -> Any:
        """A heartbeat with these fields and no others."""
        base: dict[str, Any] = {"group_id": self.group, "member_id": self.member_id, "member_epoch": self.epoch}
        return self.connection.ask("ConsumerGroupHeartbeat", 1, **{**base, **self.always, **values})

    def join_values(self) -> dict[str, Any]:
        return {
            "member_epoch": 0,
            "rebalance_timeout_ms": 10_000,
            "subscribed_topic_names": self.topics,
            "topic_partitions": [],
        }

    def join(self, **values: Any) -> Any:
        return self.take(self.send(**{**self.join_values(), **values}))

    def beat(self, **values: Any) -> Any:
        """Report what is owned, and follow what is told."""
        return self.take(self.send(topic_partitions=self.owned_values(), **values))

    def owned_values(self) -> list[dict[str, Any]]:
        return [{"topic_id": topic_id, "partitions": indexes} for topic_id, indexes in self.owned.items()]

    def take(self, response: Any) -> Any:
        if response.error_code == 0:
            self.epoch = response.member_epoch
            if response.assignment is not None:
                self.owned = {
                    topic.topic_id: sorted(topic.partitions) for topic in response.assignment.topic_partitions
                }
        return response

    @property
    def partitions(self) -> list[int]:
        return sorted(index for indexes in self.owned.values() for index in indexes)

    def leave(self, epoch: int = -1) -> Any:
        return self.send(member_epoch=epoch)


def settle(*members: ConsumerMember, partitions: int) -> None:
    """Let all beat until they share all partitions, nobody idle, and are in one epoch."""

    def is_settled() -> bool:
        for member in members:
            response = member.beat()
            assert response.error_code == 0, response
        shares = [index for member in members for index in member.partitions]
        assert len(shares) == len(set(shares)), "a partition has two owners"
        is_shared = sorted(shares) == list(range(partitions)) and all(member.partitions for member in members)
        return is_shared and len({member.epoch for member in members}) == 1

    eventually(is_settled, 20.0, 0.1)
