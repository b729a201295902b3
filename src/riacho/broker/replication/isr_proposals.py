"""A leader's requests to the controller: proposed ISRs in batches, one AlterPartition in flight (KIP-497).

Also what a leader knows of its peers by the metadata image: who may join an ISR, who lives.

A proposal stays until it is answered. What the controller surely did not do is taken back; what it refuses because it
knows more than we do (a newer partition epoch, another leader) waits for the image that says so; whatever else goes
wrong is tried again. An image that overtakes a proposal ends it: it is not sent any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.leader import UNKNOWN_EPOCH, IsrProposal
from riacho.wire.messages.alter_partition_request import (
    AlterPartitionRequest,
    BrokerState,
    PartitionData,
    TopicData,
)

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.access.metadata_view import ImageView
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.wire.messages.alter_partition_response import AlterPartitionResponse
    from riacho.wire.messages.alter_partition_response import PartitionData as PartitionAnswer

RETRY_BACKOFF_MS = 50
_BACKOFF = Backoff(RETRY_BACKOFF_MS, 500)
_PARTITIONS_PER_REQUEST = 2_000
_LOGGED_ONE_BY_ONE_MAX = 20
# The controller did nothing, and the same request could not succeed.
_TAKEN_BACK = frozenset({ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA})
# The controller knows a later state: its image will tell us.
_OVERTAKEN = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)

Send: TypeAlias = "Callable[[AlterPartitionRequest], Awaitable[AlterPartitionResponse]]"


class IsrProposals:
    """`send` is `broker.controller_channel.send`."""

    def __init__(
        self, node_id: int, metadata: ImageView, clock: Clock, logs: Logs, send: Send, lag_ms_max: int
    ) -> None:
        self.lag_ms_max = lag_ms_max
        self._node_id = node_id
        self._metadata = metadata
        self._clock = clock
        self._logs = logs
        self._send = send
        self._pending: dict[HostedPartition, IsrProposal] = {}
        self._task: asyncio.Task[None] | None = None
        # What was logged last: a proposal is sent until it is answered, but said once.
        self._logged: dict[HostedPartition, IsrProposal] = {}
        self._failures = 0
        # Of those that the controller confirmed.
        self.shrunk = 0
        self.expanded = 0

    # What a leader knows of its peers

    def now_ms(self) -> int:
        """Lag is measured in time that nobody can set."""
        return self._clock.monotonic_ms()

    def is_eligible(self, broker_id: int, broker_epoch: int) -> bool:
        """Whether it may be in an ISR: alive, not leaving, and still the process that fetched (KIP-903)."""
        broker = self._metadata.image.brokers.get(broker_id)
        return broker is not None and broker.is_active and broker_epoch in (UNKNOWN_EPOCH, broker.epoch)

    def is_alive(self, broker_id: int) -> bool:
        broker = self._metadata.image.brokers.get(broker_id)
        return broker is not None and not broker.is_fenced

    # Proposing

    def propose(self, hosted: HostedPartition, proposal: IsrProposal) -> None:
        self._pending[hosted] = proposal
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while True:
                # Those of the same turn go together.
                await asyncio.sleep(0)
                batch = self._take()
                if not batch:
                    return
                if await self._ask_safely(batch):
                    self._failures = 0
                else:
                    self._failures += 1
                    await asyncio.sleep(_BACKOFF.pause_ms(self._failures) / 1000)
        finally:
            self._task = None

    async def _ask_safely(self, batch: dict[HostedPartition, IsrProposal]) -> bool:
        try:
            return await self._ask(batch)
        except Exception:
            # A bug of ours must not end the proposals of every partition for good.
            self._logs.error.exception("isr proposals failed count=%d", len(batch))
            return False

    def _take(self) -> dict[HostedPartition, IsrProposal]:
        """The proposals that still stand; they stay pending until they are answered."""
        self._pending = {
            hosted: proposal
            for hosted, proposal in self._pending.items()
            if hosted.leadership is not None and hosted.leadership.proposal is proposal
        }
        return dict(list(self._pending.items())[:_PARTITIONS_PER_REQUEST])

    def _log(self, batch: dict[HostedPartition, IsrProposal]) -> None:
        """One by one while they are few, in sum when they are many."""
        new = {hosted: proposal for hosted, proposal in batch.items() if self._logged.get(hosted) is not proposal}
        self._logged = batch
        if len(new) > _LOGGED_ONE_BY_ONE_MAX:
            self._logs.error.info("isr proposed partitions=%d", len(new))
            return
        for hosted, proposal in new.items():
            self._logs.error.info(
                "isr proposed partition=%s-%d isr=%s leader_epoch=%d partition_epoch=%d",
                hosted.topic,
                hosted.index,
                ",".join(map(str, proposal.isr)),
                proposal.leader_epoch,
                proposal.partition_epoch,
            )

    async def _ask(self, batch: dict[HostedPartition, IsrProposal]) -> bool:
        """Send one request and take its answer; whether nothing of it has to be tried again."""
        self._log(batch)
        try:
            response = await self._send(self._request(batch))
            if response.error_code:
                raise KafkaError(ErrorCode(response.error_code), "the request as a whole is refused")
        except KafkaError as error:
            if _BACKOFF.pause_ms(self._failures + 1) < _BACKOFF.ms_max:
                self._logs.error.warning("isr proposals not answered count=%d error=%s", len(batch), error)
            return False
        return self._apply(batch, response)

    def _request(self, batch: dict[HostedPartition, IsrProposal]) -> AlterPartitionRequest:
        topics: dict[bytes, TopicData] = {}
        for hosted, proposal in batch.items():
            topic = topics.setdefault(hosted.topic_id, TopicData(topic_id=hosted.topic_id, partitions=[]))
            topic.partitions.append(
                PartitionData(
                    partition_index=hosted.index,
                    leader_epoch=proposal.leader_epoch,
                    partition_epoch=proposal.partition_epoch,
                    new_isr_with_epochs=[
                        BrokerState(broker_id=broker_id, broker_epoch=self._broker_epoch(broker_id, broker_epoch))
                        for broker_id, broker_epoch in proposal.broker_epochs
                    ],
                )
            )
        return AlterPartitionRequest(
            broker_id=self._node_id,
            broker_epoch=self._broker_epoch(self._node_id, UNKNOWN_EPOCH),
            topics=list(topics.values()),
        )

    def _broker_epoch(self, broker_id: int, seen: int) -> int:
        if seen != UNKNOWN_EPOCH:
            return seen
        broker = self._metadata.image.brokers.get(broker_id)
        return UNKNOWN_EPOCH if broker is None else broker.epoch

    def _apply(self, batch: dict[HostedPartition, IsrProposal], response: AlterPartitionResponse) -> bool:
        answers = {
            (topic.topic_id, partition.partition_index): partition
            for topic in response.topics
            for partition in topic.partitions
        }
        is_done = True
        for hosted, proposal in batch.items():
            answer = answers.get((hosted.topic_id, hosted.index))
            if answer is not None and self._settle(hosted, proposal, answer):
                if self._pending.get(hosted) is proposal:
                    del self._pending[hosted]
            else:
                is_done = False
        return is_done

    def _settle(self, hosted: HostedPartition, proposal: IsrProposal, answer: PartitionAnswer) -> bool:
        """Whether this proposal is over and done with, as far as sending it goes."""
        code = ErrorCode(answer.error_code)
        if not code:
            known = 0 if hosted.leadership is None else len(hosted.leadership.isr)
            self.shrunk += len(proposal.isr) < known
            self.expanded += len(proposal.isr) > known
            hosted.isr_confirmed(proposal, answer.isr, answer.leader_epoch, answer.partition_epoch)
            return True
        is_departure = self._node_id not in proposal.isr
        if is_departure and code is ErrorCode.NEW_LEADER_ELECTED:
            return True
        self._logs.error.info(
            "isr proposal refused partition=%s-%d isr=%s error=%s",
            hosted.topic,
            hosted.index,
            ",".join(map(str, proposal.isr)),
            code.name,
        )
        # Apache Kafka's controllers know no ISR without its leader.
        if code in _TAKEN_BACK or (is_departure and code is ErrorCode.INVALID_REQUEST):
            # Not at once: the follower's next fetch would have us propose the same again.
            asyncio.get_running_loop().call_later(RETRY_BACKOFF_MS / 1000, hosted.isr_refused, proposal)
            return True
        return code in _OVERTAKEN
