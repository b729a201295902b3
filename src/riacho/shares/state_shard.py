"""The share coordinator of one partition of `__share_group_state`: what is stored of each share-partition (KIP-932).

A share-partition comes to be by Initialize, which the group coordinator sends with a state epoch; a higher epoch starts
it anew (somebody set its offsets). The leader of the topic's partition reads the state with its leader epoch when it
takes over, and from then on older leaders are refused, as are writers with an older state epoch.

Every change is a record. Most are updates, which carry what changed; after so many of them comes a snapshot, which
makes all records before it needless. `snapshot` writes one whether due or not, so that the log can be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from riacho.base.coordination import NO_PRODUCER_ID, CoordinatorDecision, Reply
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.operation import Operation
from riacho.shares.state_batches import StateBatch, combine
from riacho.shares.state_records import (
    ShareKey,
    Snapshot,
    StoredState,
    decode_record,
    key_text,
    snapshot_record,
    update_record,
)

# In a request: leave it as it is.
_UNCHANGED = -1
_NO_START_OFFSET = -1

_UNINITIALIZED = "{} operation on uninitialized share partition not allowed."
_MESSAGES = {
    ErrorCode.FENCED_LEADER_EPOCH: "The leader epoch in the request is older than the epoch on the broker.",
    ErrorCode.FENCED_STATE_EPOCH: (
        "The share coordinator rejected the request because the share-group state epoch did not match."
    ),
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
}


class StateShard:
    def __init__(self, updates_per_snapshot: int, partition_exists: Callable[[bytes, int], bool]) -> None:
        """`partition_exists(topic_id, partition)`: whether the cluster has it."""
        self._updates_per_snapshot = updates_per_snapshot
        self._partition_exists = partition_exists
        self.states: dict[ShareKey, StoredState] = {}
        # Updates since the last snapshot.
        self._updates: dict[ShareKey, int] = {}

    # --- requests, for one share-partition each; the reply is a StoredState, None, or a KafkaError

    def initialize(
        self, request_id: int, now_ms: int, key: ShareKey, state_epoch: int, start_offset: int
    ) -> CoordinatorDecision:
        known = self.states.get(key)
        try:
            self._check(key)
            _check_state_epoch(known, state_epoch)
        except KafkaError as error:
            return _reply(request_id, error)
        if known is not None and (state_epoch, start_offset) == (known.state_epoch, _NO_START_OFFSET):
            # Asked twice, since the first answer was late: the group may have come far since then.
            return _reply(request_id, None)
        state = StoredState(
            snapshot_epoch=0 if known is None else known.snapshot_epoch + 1,
            state_epoch=state_epoch,
            leader_epoch=0 if known is None else known.leader_epoch,
            start_offset=start_offset,
            delivery_complete_count=0,
            create_timestamp_ms=now_ms,
            write_timestamp_ms=now_ms,
        )
        return _reply(request_id, None, snapshot_record(key, state))

    def read(self, request_id: int, now_ms: int, key: ShareKey, leader_epoch: int) -> CoordinatorDecision:
        """The whole state. A leader epoch above the known one is written down: it refuses all older ones."""
        try:
            known = self._known(key, "Read")
            if leader_epoch < known.leader_epoch:
                raise _fenced(ErrorCode.FENCED_LEADER_EPOCH)
            self._check(key)
        except KafkaError as error:
            return _reply(request_id, error)
        if leader_epoch == known.leader_epoch:
            return _reply(request_id, known)
        change = known._replace(leader_epoch=leader_epoch, state_batches=())
        decision = self._written(key, known, change, now_ms, None, request_id)
        decision.reply = [Reply(request_id, known._replace(leader_epoch=leader_epoch))]
        return decision

    def read_summary(self, request_id: int, now_ms: int, key: ShareKey) -> CoordinatorDecision:
        """Where it stands; no state at all is no error here."""
        try:
            self._check(key)
        except KafkaError as error:
            return _reply(request_id, error)
        known = self.states.get(key)
        nothing = StoredState(0, 0, 0, _NO_START_OFFSET, -1)
        return _reply(request_id, nothing if known is None else known._replace(state_batches=()))

    def write(self, request_id: int, now_ms: int, key: ShareKey, change: StoredState) -> CoordinatorDecision:
        """`change` has the request's epochs, offsets and changed batches; its snapshot epoch means nothing."""
        try:
            known = self._known(key, "Write")
            if change.leader_epoch != _UNCHANGED and change.leader_epoch < known.leader_epoch:
                raise _fenced(ErrorCode.FENCED_LEADER_EPOCH)
            if change.state_epoch != _UNCHANGED:
                _check_state_epoch(known, change.state_epoch)
            self._check(key)
        except KafkaError as error:
            return _reply(request_id, error)
        settled = change._replace(
            leader_epoch=known.leader_epoch if change.leader_epoch == _UNCHANGED else change.leader_epoch,
            state_epoch=known.state_epoch if change.state_epoch == _UNCHANGED else change.state_epoch,
            start_offset=known.start_offset if change.start_offset == _UNCHANGED else change.start_offset,
        )
        if settled.start_offset < known.start_offset:
            # A write that was given up by its sender and comes late. Only Initialize takes a group back.
            settled = settled._replace(
                start_offset=known.start_offset, delivery_complete_count=known.delivery_complete_count
            )
        return self._written(key, known, settled, now_ms, None, request_id)

    def delete(self, request_id: int, now_ms: int, key: ShareKey) -> CoordinatorDecision:
        """What is not there is deleted already."""
        try:
            self._check(key, must_exist=False)
        except KafkaError as error:
            return _reply(request_id, error)
        if key not in self.states:
            return _reply(request_id, None)
        return _reply(request_id, None, snapshot_record(key, None))

    # --- chores

    def snapshot(self, keys: Iterable[ShareKey], now_ms: int) -> CoordinatorDecision:
        """One snapshot for each of these share-partitions; those of topics that are gone are removed."""
        records = []
        for key in keys:
            state = self.states.get(key)
            if state is None:
                continue
            if not self._partition_exists(key.topic_id, key.partition):
                records.append(snapshot_record(key, None))
            else:
                records.append(snapshot_record(key, _next_snapshot(state, state, now_ms)))
        return CoordinatorDecision(records=records)

    # --- the shard's side (CoordinatorShard)

    def apply(self, key: bytes, value: bytes | None, producer_id: int = NO_PRODUCER_ID) -> None:
        record = decode_record(key, value)
        if record is None:
            return
        if isinstance(record, Snapshot):
            self._updates.pop(record.key, None)
            if record.state is None:
                self.states.pop(record.key, None)
            else:
                self.states[record.key] = record.state
            return
        known = self.states.get(record.key)
        self._updates[record.key] = self._updates.get(record.key, 0) + 1
        self.states[record.key] = record.change if known is None else _merged(known, record.change)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Nobody writes here within a transaction."""

    def finish_loading(self, now_ms: int) -> CoordinatorDecision:
        return CoordinatorDecision()

    def next_deadline_ms(self) -> int | None:
        return None

    def expire(self, now_ms: int) -> CoordinatorDecision:
        return CoordinatorDecision()

    def abandon(self, code: ErrorCode) -> CoordinatorDecision:
        return CoordinatorDecision()

    # --- within

    def _check(self, key: ShareKey, must_exist: bool = True) -> None:
        if key.partition < 0:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "The partition id cannot be a negative number.")
        if must_exist and not self._partition_exists(key.topic_id, key.partition):
            raise _fenced(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def _known(self, key: ShareKey, operation: str) -> StoredState:
        self._check(key, must_exist=False)
        known = self.states.get(key)
        if known is None:
            raise KafkaError(ErrorCode.INVALID_REQUEST, _UNINITIALIZED.format(operation))
        return known

    def _written(
        self, key: ShareKey, known: StoredState, change: StoredState, now_ms: int, reply: Any, request_id: int
    ) -> CoordinatorDecision:
        new = change._replace(state_batches=tuple(combine((), change.state_batches, change.start_offset)))
        if self._updates.get(key, 0) >= self._updates_per_snapshot:
            return _reply(request_id, reply, snapshot_record(key, _next_snapshot(known, new, now_ms)))
        return _reply(request_id, reply, update_record(key, new._replace(snapshot_epoch=known.snapshot_epoch)))


def _refused(key: ShareKey, code: ErrorCode) -> StoredState | KafkaError | None:
    return KafkaError(code)


INITIALIZE = Operation(key_text, StateShard.initialize, _refused)
READ = Operation(key_text, StateShard.read, _refused)
READ_SUMMARY = Operation(key_text, StateShard.read_summary, _refused, writes=False)
WRITE = Operation(key_text, StateShard.write, _refused)
DELETE = Operation(key_text, StateShard.delete, _refused)


def _next_snapshot(known: StoredState, change: StoredState, now_ms: int) -> StoredState:
    return _merged(known, change)._replace(
        snapshot_epoch=known.snapshot_epoch + 1,
        state_epoch=change.state_epoch,
        create_timestamp_ms=now_ms,
        write_timestamp_ms=now_ms,
    )


def _merged(known: StoredState, change: StoredState) -> StoredState:
    """A state after an update, which leaves the state epoch alone."""
    start_offset = known.start_offset if change.start_offset == _UNCHANGED else change.start_offset
    batches: list[StateBatch] = combine(known.state_batches, change.state_batches, start_offset)
    return known._replace(
        leader_epoch=known.leader_epoch if change.leader_epoch == _UNCHANGED else change.leader_epoch,
        start_offset=start_offset,
        delivery_complete_count=change.delivery_complete_count,
        state_batches=tuple(batches),
    )


def _check_state_epoch(known: StoredState | None, state_epoch: int) -> None:
    if known is not None and state_epoch < known.state_epoch:
        raise _fenced(ErrorCode.FENCED_STATE_EPOCH)


def _fenced(code: ErrorCode) -> KafkaError:
    return KafkaError(code, _MESSAGES[code])


def _reply(request_id: int, outcome: Any, *records: Any) -> CoordinatorDecision:
    return CoordinatorDecision(records=list(records), reply=[Reply(request_id, outcome)])
