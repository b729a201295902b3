"""A group shard half of whose appends fail, and the driver goes on with it as if nothing had been decided.

Every second decision that has records is abandoned: none of them is applied, and whoever was to be answered by it is
refused. A second shard takes in the records that were appended and nothing else. Whenever the driver is called, what is
stored in the first has to be what is stored in the second: so no decision wrote anything by itself, neither before it
was performed nor where it never was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from riacho.base.coordination import CoordinatorDecision, CoordinatorRecord
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.classic.answers import join_error
from riacho.groups.config import GroupConfig
from riacho.groups.decision_context import DecisionContext
from riacho.groups.operations import TXN_OFFSET_COMMIT
from riacho.groups.shard import GroupShard
from riacho.groups.share.groups import ShareGroups
from riacho.groups.share.heartbeat import StateToCreate
from riacho.groups.share.offsets import AlterOffsets, DeleteState
from riacho.groups.share_operations import BEGIN_ALTER_OFFSETS, BEGIN_DELETE_GROUP, SHARE_GROUP_HEARTBEAT
from riacho.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from riacho.wire.messages.offset_commit_response import OffsetCommitResponse
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse
from riacho.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from riacho.wire.messages.txn_offset_commit_response import TxnOffsetCommitResponse
from support.consumer_world import ConsumerWorld
from support.group_world import CALLER, durable_state

REFUSED = ErrorCode.NOT_COORDINATOR
PRODUCER_ID = 77


class AbandoningWorld(ConsumerWorld):
    def __init__(self, config: GroupConfig | None = None, **topics: int) -> None:
        self.abandons = False
        self.abandoned = 0
        self._with_records = 0
        self._refused: set[int] = set()
        # Whose request is being decided on; nobody's when time or topics are.
        self._asking: int | None = None
        # All that is in the log, the records of transactions and the markers that end them as well.
        self._written: list[Callable[[GroupShard], None]] = []
        self._replayed: GroupShard | None = None
        super().__init__(config, **topics)
        self._replayed = self.reloaded()

    def run(self, decision: CoordinatorDecision) -> CoordinatorDecision:
        self.check_stored()
        asking, self._asking = self._asking, None
        if decision.records and self.abandons:
            self._with_records += 1
            if self._with_records % 2 == 1:
                self._abandon(decision, asking)
                return decision
        # Who was refused meanwhile is no longer listening.
        decision.reply[:] = [each for each in decision.reply if each.request_id not in self._refused]
        super().run(decision)
        self._write(partial(_apply, list(decision.records), decision.producer_id))
        return decision

    def reloaded(self) -> GroupShard:
        shard = self._new_shard()
        for each in self._written:
            each(shard)
        return shard

    @contextmanager
    def failing(self) -> Iterator[None]:
        """The next decision that has records is abandoned."""
        self.abandons, self._with_records, before = True, 0, self.abandoned
        yield
        self.abandons = False
        assert self.abandoned == before + 1

    def check_stored(self) -> None:
        if self._replayed is not None:
            assert durable_state(self.shard) == durable_state(self._replayed)

    def _write(self, what: Callable[[GroupShard], None]) -> None:
        self._written.append(what)
        if self._replayed is not None:
            what(self._replayed)
        self.check_stored()

    def _ask(self) -> int:
        self._asking = super()._ask()
        return self._asking

    def _abandon(self, decision: CoordinatorDecision, asking: int | None) -> None:
        self.abandoned += 1
        for request_id, response in decision.reply:
            if request_id not in self._refused:
                self._refuse(request_id, refused(response))
        if asking is not None and asking not in self.answers:
            # It was parked by what came to nothing, as only a JoinGroup can be.
            self._refuse(asking, join_error(REFUSED))

    def _refuse(self, request_id: int, response: Any) -> None:
        assert request_id not in self.answers, f"request {request_id} answered twice"
        self._refused.add(request_id)
        self.answers[request_id] = response

    # Share groups in the same shard

    def share_beat(
        self, group_id: str, member_id: str, epoch: int, topics: list[str] | None = None
    ) -> ShareGroupHeartbeatResponse:
        request = ShareGroupHeartbeatRequest(
            group_id=group_id, member_id=member_id, member_epoch=epoch, subscribed_topic_names=topics
        )
        request_id = self._ask()
        self.run(self.decide(SHARE_GROUP_HEARTBEAT, request_id, request, CALLER))
        response: ShareGroupHeartbeatResponse = self.answers[request_id]
        return response

    def create_share_state(self) -> None:
        """The share coordinator does what it was asked for."""
        wanted = [effect for effect in self.effects if isinstance(effect, StateToCreate)]
        self.effects = [effect for effect in self.effects if not isinstance(effect, StateToCreate)]
        for each in wanted:
            partitions = {topic_id: list(offsets) for topic_id, offsets in each.offsets.items()}
            self._run_share(
                lambda share, context, each=each, partitions=partitions: share.initialized(  # type: ignore[misc]
                    context, each.group_id, partitions, succeeded=True
                )
            )

    def alter_share_offsets(self, group_id: str, topic: str) -> None:
        partition = AlterShareGroupOffsetsRequestPartition(partition_index=0, start_offset=5)
        request = AlterShareGroupOffsetsRequest(
            group_id=group_id,
            topics=[AlterShareGroupOffsetsRequestTopic(topic_name=topic, partitions=[partition])],
        )
        request_id = self._ask()
        self.run(self.decide(BEGIN_ALTER_OFFSETS, request_id, request))
        outcome = self.answers[request_id]
        if isinstance(outcome, AlterOffsets) and outcome.to_create is not None:
            self.effects.append(outcome.to_create)

    def delete_share_group(self, group_id: str) -> None:
        request_id = self._ask()
        self.run(self.decide(BEGIN_DELETE_GROUP, request_id, group_id))
        outcome = self.answers[request_id]
        if isinstance(outcome, DeleteState) and outcome.code is ErrorCode.NONE:
            self._run_share(lambda share, context: share.deleted(context, group_id, list(outcome.partitions)))
            self.delete_group(group_id)

    # Offsets of a transaction

    def commit_in_transaction(self, group_id: str, offsets: dict[tuple[str, int], int]) -> None:
        request = TxnOffsetCommitRequest(
            group_id=group_id,
            producer_id=PRODUCER_ID,
            producer_epoch=0,
            topics=[
                TxnOffsetCommitRequestTopic(
                    name=topic,
                    partitions=[TxnOffsetCommitRequestPartition(partition_index=partition, committed_offset=offset)],
                )
                for (topic, partition), offset in offsets.items()
            ],
        )
        self.run(self.decide(TXN_OFFSET_COMMIT, self._ask(), request))

    def end_transaction(self, *, committed: bool) -> None:
        self.shard.end_transaction(PRODUCER_ID, committed=committed)
        self._write(lambda shard: shard.end_transaction(PRODUCER_ID, committed=committed))

    def _run_share(self, decide: Callable[[ShareGroups, DecisionContext], object]) -> None:
        """What nobody waits for here."""
        context = self.shard.new_context(self.now_ms)
        decide(self.shard.share, context)
        self.run(context.decision)


def _apply(records: list[CoordinatorRecord], producer_id: int, shard: GroupShard) -> None:
    for key, value in records:
        shard.apply(key, value, producer_id)


def refused(response: Any) -> Any:
    """The same answer, as it is when the append has failed."""
    if isinstance(response, ErrorCode):
        return REFUSED
    if isinstance(response, AlterOffsets | DeleteState):
        return type(response).refused(KafkaError(REFUSED))
    if isinstance(response, OffsetCommitResponse | TxnOffsetCommitResponse):
        for topic in response.topics:
            for partition in topic.partitions:
                partition.error_code = REFUSED
        return response
    return type(response)(error_code=REFUSED)
