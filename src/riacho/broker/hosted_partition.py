"""A partition this broker hosts: its log, its leadership, the rules its records obey, and who waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.validation import TopicRules

if TYPE_CHECKING:
    from riacho.broker.waiting import ParkedFetch
    from riacho.log.log import Log

LATEST_EPOCH = -1


class HostedPartition:
    __slots__ = (
        "index",
        "is_internal",
        "is_leader",
        "leader_epoch",
        "leader_id",
        "log",
        "rules",
        "topic",
        "topic_id",
        "waiting",
    )

    def __init__(self, topic: str, topic_id: bytes, index: int, log: Log, rules: TopicRules) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.index = index
        self.log = log
        self.rules = rules
        self.leader_id = -1
        self.leader_epoch = 0
        self.is_leader = False
        self.is_internal = False
        # Parked fetches to wake when the high watermark moves; mostly empty or one.
        self.waiting: set[ParkedFetch] = set()

    def check_leader(self, current_leader_epoch: int = LATEST_EPOCH) -> None:
        """Refuse a client that knows an older or a newer leader than we do (KIP-320)."""
        if current_leader_epoch != LATEST_EPOCH and current_leader_epoch != self.leader_epoch:
            if current_leader_epoch < self.leader_epoch:
                raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH, f"the leader epoch is {self.leader_epoch}")
            raise KafkaError(ErrorCode.UNKNOWN_LEADER_EPOCH, f"the leader epoch is {self.leader_epoch}")
        if not self.is_leader:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"the leader is {self.leader_id}")

    def advance(self) -> None:
        """After an append with a single replica, everything written is committed: readers may see it."""
        self.log.commit_all()
        if self.waiting:
            for parked in tuple(self.waiting):
                parked.notice()

    def wake(self) -> None:
        """Leadership moved or the partition goes away: parked fetches must answer so."""
        for parked in tuple(self.waiting):
            parked.complete()
