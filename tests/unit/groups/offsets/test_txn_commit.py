"""Offsets within transactions: who may commit them, and when they count."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.coordination import Caller, CoordinatorDecision
from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.operations import DELETE_GROUP, JOIN_GROUP, OFFSET_COMMIT, SYNC_GROUP, TXN_OFFSET_COMMIT
from riacho.groups.shard import GroupShard
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
from riacho.wire.messages.sync_group_request import SyncGroupRequest
from riacho.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

PRODUCER = 77


class World:
    def __init__(self) -> None:
        self.shard = GroupShard(GroupConfig(initial_rebalance_delay_ms=0), lambda: "suffix")
        self.shard.finish_loading(0)

    def perform(self, decision: CoordinatorDecision) -> CoordinatorDecision:
        decision.apply_to(self.shard)
        return decision

    def commit(self, offset: int = 5, **fields: Any) -> tuple[int, CoordinatorDecision]:
        metadata = fields.pop("metadata", "m")
        partition = TxnOffsetCommitRequestPartition(
            partition_index=0, committed_offset=offset, committed_metadata=metadata
        )
        request = TxnOffsetCommitRequest(
            transactional_id="x",
            group_id="g",
            producer_id=PRODUCER,
            producer_epoch=2,
            topics=[TxnOffsetCommitRequestTopic(name="t", partitions=[partition])],
            **fields,
        )
        decision = self.perform(TXN_OFFSET_COMMIT.decide(self.shard, 1, 1_000, request))
        code: int = decision.reply[0].response.topics[0].partitions[0].error_code
        return code, decision

    def committed(self, *, require_stable: bool = False) -> tuple[int, int]:
        asked = OffsetFetchRequestGroup(group_id="g", topics=None)
        answer = self.shard.fetch_offsets(asked, require_stable=require_stable)
        if not answer.topics:
            return -1, 0
        found = answer.topics[0].partitions[0]
        return found.committed_offset, found.error_code

    def member(self) -> str:
        join = JoinGroupRequest(
            group_id="g",
            session_timeout_ms=10_000,
            rebalance_timeout_ms=10_000,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )
        joined = self.perform(JOIN_GROUP.decide(self.shard, 9, 0, join, 3, Caller("c", "/h")))
        answers = [reply.response for reply in joined.reply if reply.request_id == 9]
        if not answers:
            answers = [reply.response for reply in self.perform(self.shard.expire(100)).reply]
        member_id: str = answers[0].member_id
        sync = SyncGroupRequest(group_id="g", generation_id=1, member_id=member_id)
        self.perform(SYNC_GROUP.decide(self.shard, 10, 100, sync))
        return member_id


@pytest.mark.parametrize("is_committed", [True, False])
def test_offsets_count_when_the_transaction_does(is_committed: bool) -> None:
    world = World()
    code, decision = world.commit()
    assert (code, decision.producer_id, decision.producer_epoch) == (ErrorCode.NONE, PRODUCER, 2)
    assert world.committed() == (-1, 0)
    assert world.shard.offsets.is_pending("g", "t", 0)
    world.shard.end_transaction(PRODUCER, committed=is_committed)
    assert world.committed() == ((5, 0) if is_committed else (-1, 0))
    assert not world.shard.offsets.is_pending("g", "t", 0)


def test_a_marker_of_another_producer_changes_nothing() -> None:
    world = World()
    world.commit()
    world.shard.end_transaction(PRODUCER + 1, committed=True)
    assert world.committed() == (-1, 0)


def test_a_generation_needs_its_group() -> None:
    world = World()
    code, decision = world.commit(generation_id=3, member_id="m")
    assert code == ErrorCode.ILLEGAL_GENERATION
    assert decision.records == []


def test_members_are_checked_where_they_are_named() -> None:
    world = World()
    member_id = world.member()
    assert world.commit(generation_id=1, member_id=member_id)[0] == ErrorCode.NONE
    assert world.commit(generation_id=2, member_id=member_id)[0] == ErrorCode.ILLEGAL_GENERATION
    assert world.commit(generation_id=1, member_id="other")[0] == ErrorCode.UNKNOWN_MEMBER_ID
    # Producers older than KIP-447 name nobody.
    assert world.commit()[0] == ErrorCode.NONE


def test_metadata_has_its_limit() -> None:
    world = World()
    code, decision = world.commit(metadata="m" * 5_000)
    assert code == ErrorCode.OFFSET_METADATA_TOO_LARGE
    assert decision.records == []


def _commit_plainly(world: World, offset: int) -> None:
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=offset, committed_metadata="")
    topic = OffsetCommitRequestTopic(name="t", partitions=[partition])
    request = OffsetCommitRequest(group_id="g", topics=[topic])
    world.perform(OFFSET_COMMIT.decide(world.shard, 1, 1_000, request, 8))


def test_the_later_record_counts_not_the_later_marker() -> None:
    """Compaction keeps the later record alone: a reload must not come to another offset."""
    world = World()
    world.commit(5)
    _commit_plainly(world, 9)
    assert world.committed(require_stable=True)[1] == ErrorCode.UNSTABLE_OFFSET_COMMIT
    world.shard.end_transaction(PRODUCER, committed=True)
    assert world.committed(require_stable=True) == (9, ErrorCode.NONE)


def test_of_two_transactions_the_later_record_counts() -> None:
    world = World()
    world.commit(5)
    _, decision = world.commit(7)
    world.shard.end_transaction(PRODUCER, committed=False)
    world.commit(5)
    for key, value in decision.records:
        world.shard.apply(key, value, PRODUCER + 1)
    world.shard.end_transaction(PRODUCER + 1, committed=True)
    world.shard.end_transaction(PRODUCER, committed=True)
    assert world.committed() == (7, ErrorCode.NONE)


def test_a_deleted_group_does_not_come_back_with_the_end_of_a_transaction() -> None:
    world = World()
    world.commit(5)
    assert world.perform(DELETE_GROUP.decide(world.shard, 1, 1_000, "g")).reply[0].response is ErrorCode.NONE
    world.shard.end_transaction(PRODUCER, committed=True)
    assert world.committed() == (-1, 0)


def test_offsets_of_a_deleted_topic_do_not_come_back_with_the_end_of_a_transaction() -> None:
    world = World()
    world.commit(5)
    world.perform(world.shard.forget_topics(["t"], 1_000))
    world.shard.end_transaction(PRODUCER, committed=True)
    assert world.committed() == (-1, 0)
