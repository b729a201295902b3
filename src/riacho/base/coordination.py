"""What coordinators (of groups, transactions, share groups) have in common: shards that decide, and what they decide.

A coordinator's state is the records of one internal topic; a shard is the state machine of one of its partitions. It
decides on records to append and on replies that go out once those are committed. A request may be parked: a later
decision, out of another request or out of a timeout, answers it then, by its id. Each is answered exactly once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode

NO_PRODUCER_ID = -1


class CoordinatorRecord(NamedTuple):
    """One record of the coordinator's topic; no value means a tombstone."""

    key: bytes
    value: bytes | None


class Reply(NamedTuple):
    request_id: int
    response: object


class CoordinatorDecision(Decision[CoordinatorRecord, list[Reply]]):
    """What a shard decides. It may answer several requests, parked ones among them, or none."""

    reply: list[Reply] = []
    # Changes of what the shard knows and does not store, such as timers, that make sense only with the records.
    on_applied: list[Callable[[], None]] = []
    # Whose transaction the records are part of, when they are (offsets committed within one).
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = -1

    def answer(self, request_id: int, response: object) -> None:
        self.reply.append(Reply(request_id, response))

    def apply_to(self, shard: CoordinatorShard) -> None:
        """The records are appended."""
        for key, value in self.records:
            shard.apply(key, value, self.producer_id)
        for change in self.on_applied:
            change()


class Caller(NamedTuple):
    """Who sent a request, as DescribeGroups will show it."""

    client_id: str
    client_host: str


class CoordinatorShard(Protocol):
    """The state machine of one partition of a coordinator's topic.

    Its state has two halves. What is *stored* is what the log says: `apply` alone writes it, and a shard that takes in
    the same records stores the same. What is *live* dies with the process: parked requests, timers, who is awaited. A
    decision may change it at once where that is right whatever comes of the records, and else says so in `on_applied`.

    Between a decision and its `apply_to` no other call may come. A decision whose append failed is abandoned: nothing
    of it is applied, and whoever it was to answer is refused, as is the request that led to it. The shard is as good
    as before then. A driver that cannot tell what is in the log drops it, after `abandon`, and loads another."""

    def apply(self, key: bytes, value: bytes | None, producer_id: int = NO_PRODUCER_ID) -> None:
        """Take in a record of the log: the only writer of durable state, live and on reload."""
        ...

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """A transaction marker stands in the log."""
        ...

    def finish_loading(self, now_ms: int) -> CoordinatorDecision:
        """The whole log is applied."""
        ...

    def next_deadline_ms(self) -> int | None: ...

    def expire(self, now_ms: int) -> CoordinatorDecision:
        """What is due by time."""
        ...

    def abandon(self, code: ErrorCode) -> CoordinatorDecision:
        """Answer every parked request: the shard is lost or moves to another broker."""
        ...


_AS_COORDINATOR = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.LEADER_NOT_AVAILABLE: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
}


def coordinator_error(code: ErrorCode) -> ErrorCode:
    """What went wrong with a coordinator's topic, in words that its clients understand."""
    return _AS_COORDINATOR.get(code, code)
