"""The transaction coordinator of this broker: the shards of the transaction topic's partitions that it leads.

A transactional id belongs to the partition that it hashes to, and is coordinated by that partition's leader. Shards
are loaded and driven as those of groups are (`coordinator_shards.py`, `loaded_shard.py`); what a shard wants written to
other partitions goes to `transaction_markers.py` once the decision is committed.

Every request method gives the response, or a promise of it while the commit is not there yet. It never raises a
KafkaError: what is wrong stands in the response.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

from riacho.base.coordination import CoordinatorDecision, Reply
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.broker.coordinators.coordinator_shards import CoordinatorShards
from riacho.broker.coordinators.loaded_shard import CoordinatorLog, Decide, LoadedShard, Refuse
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.client.tasks import Tasks
from riacho.metadata.image.topic_names import TRANSACTION_STATE
from riacho.transactions import refusals
from riacho.transactions.config import TransactionConfig
from riacho.transactions.decision import TransactionDecision
from riacho.transactions.listing import TransactionFilter
from riacho.transactions.markers import MarkersDue, ProducerIdNeeded
from riacho.transactions.shard import TransactionShard

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.coordinators.transaction_markers import OnWritten
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic
    from riacho.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
    from riacho.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse
    from riacho.wire.messages.add_partitions_to_txn_request import (
        AddPartitionsToTxnRequest,
        AddPartitionsToTxnTransaction,
    )
    from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse, AddPartitionsToTxnResult
    from riacho.wire.messages.describe_transactions_response import TransactionState
    from riacho.wire.messages.end_txn_request import EndTxnRequest
    from riacho.wire.messages.end_txn_response import EndTxnResponse
    from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
    from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse
    from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
    from riacho.wire.messages.list_transactions_response import TransactionState as ListedTransaction

R = TypeVar("R")
T = TypeVar("T")

_logger = logging.getLogger("riacho.transactions")
_partition_for = lru_cache(maxsize=16_384)(partition_for)

TRANSACTION_VERSION = "transaction.version"


class MetadataView(Protocol):
    @property
    def image(self) -> MetadataImage: ...

    def transaction_topic_ready(self) -> bool: ...

    async def ensure_transaction_topic(self) -> None: ...


class Markers(Protocol):
    def add(self, due: MarkersDue, partition: int, coordinator_epoch: int, on_written: OnWritten) -> None: ...

    def forget(self, partitions: Iterable[int]) -> None: ...

    def image_changed(self) -> None: ...


class TransactionLog(CoordinatorLog, Protocol):
    def leader_epoch(self, topic: str, partition: int) -> int: ...


class TransactionRuntime:
    def __init__(
        self,
        config: TransactionConfig,
        replicas: TransactionLog,
        clock: Clock,
        metadata: MetadataView,
        take_producer_id: Callable[[], Awaitable[int]],
        markers: Markers,
        *,
        commit_timeout_ms: int = 5_000,
    ) -> None:
        self._clock = clock
        self._metadata = metadata
        self._replicas = replicas
        self._markers = markers
        self._take_producer_id = take_producer_id
        # An id that nobody has: few requests need a new one, and most of them do not know beforehand.
        self._spare_producer_id: int | None = None
        self._tasks: Tasks[None] = Tasks()
        # Transactions must not time out because somebody set the clock; records must carry the time of day.
        self._epoch_ms = clock.now_ms() - clock.monotonic_ms()
        self._shards = CoordinatorShards(
            TRANSACTION_STATE,
            replicas,
            lambda: TransactionShard(config, self.transaction_version),
            self._now_ms,
            commit_timeout_ms,
            self._on_effect,
        )

    def transaction_version(self) -> int:
        """The level in force."""
        return self._metadata.image.features.get(TRANSACTION_VERSION, 0)

    @property
    def loaded_partitions(self) -> list[int]:
        return sorted(self._shards.loaded)

    # Which broker coordinates

    async def coordinator_of(self, transactional_id: str) -> int:
        """The broker that serves this id; the first question creates the transaction topic."""
        if not self._metadata.transaction_topic_ready():
            await self._metadata.ensure_transaction_topic()
        return self.coordinator_node(transactional_id)

    def coordinator_node(self, transactional_id: str) -> int:
        """The same, where no topic means that there is no transaction either."""
        topic = self._topic(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        leader = topic.partitions[_partition_for(transactional_id, len(topic.partitions))].leader
        if leader < 0:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the transaction partition has no leader")
        return leader

    # Requests

    async def init_producer_id(self, request: InitProducerIdRequest, version: int) -> InitProducerIdResponse:
        try:
            await self._have_spare()
        except KafkaError as error:
            return refusals.init_producer_id_refused(request, error.code)
        decide = self._with_spare(
            lambda shard, ticket, now_ms, spare: shard.init_producer_id(request, version, ticket, now_ms, spare)
        )
        return await settled(
            self._ask(request.transactional_id or "", decide, request, refusals.init_producer_id_refused)
        )

    def add_partitions(self, request: AddPartitionsToTxnRequest, version: int) -> Outcome[AddPartitionsToTxnResponse]:
        return self._ask(
            request.v3_and_below_transactional_id,
            lambda shard, ticket, now_ms: shard.add_partitions(request, version, ticket, now_ms),
            request,
            refusals.add_partitions_refused,
        )

    def add_partitions_of(
        self, transaction: AddPartitionsToTxnTransaction, version: int
    ) -> Outcome[AddPartitionsToTxnResult]:
        return self._ask(
            transaction.transactional_id,
            lambda shard, ticket, now_ms: shard.add_partitions_of(transaction, version, ticket, now_ms),
            transaction,
            refusals.add_partitions_of_refused,
            writes=not transaction.verify_only,
        )

    def add_offsets(
        self, request: AddOffsetsToTxnRequest, offsets_partition: int, version: int
    ) -> Outcome[AddOffsetsToTxnResponse]:
        return self._ask(
            request.transactional_id,
            lambda shard, ticket, now_ms: shard.add_offsets(request, offsets_partition, version, ticket, now_ms),
            request,
            refusals.add_offsets_refused,
        )

    def end(self, request: EndTxnRequest, version: int) -> Outcome[EndTxnResponse]:
        """Later also where a producer id has to be fetched first."""
        if self._spare_producer_id is None:
            return Later.of(self._end_later(request, version))
        decide = self._with_spare(
            lambda shard, ticket, now_ms, spare: shard.end(request, version, ticket, now_ms, spare)
        )
        return self._ask(request.transactional_id, decide, request, refusals.end_refused)

    async def _end_later(self, request: EndTxnRequest, version: int) -> EndTxnResponse:
        try:
            await self._have_spare()
        except KafkaError as error:
            return refusals.end_refused(request, error.code)
        return await settled(self.end(request, version))

    async def describe(self, transactional_id: str) -> TransactionState:
        return await settled(
            self._ask(
                transactional_id,
                lambda shard, ticket, _: CoordinatorDecision(reply=[Reply(ticket, shard.describe(transactional_id))]),
                transactional_id,
                refusals.describe_refused,
                writes=False,
            )
        )

    def list(self, request: ListTransactionsRequest) -> list[ListedTransaction]:
        """KafkaError COORDINATOR_LOAD_IN_PROGRESS while not all transactions are known yet."""
        wanted = TransactionFilter(request, self._now_ms())
        listed = [each for loaded in self._led() for each in loaded.shard.list_by(wanted)]
        if self._shards.loading:
            raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "transactions are being loaded")
        return listed

    # Markers

    def _on_effect(self, effect: object) -> None:
        if isinstance(effect, MarkersDue):
            try:
                partition = self._partition_of(effect.transactional_id)
                coordinator_epoch = self._replicas.leader_epoch(TRANSACTION_STATE, partition)
            except KafkaError:
                # Not led here any more: whoever leads it finds the transaction in the log.
                return
            if self._is_due(effect, partition):
                self._markers.add(effect, partition, coordinator_epoch, self.markers_written)
        elif isinstance(effect, ProducerIdNeeded):
            self._tasks.start(self._abort_timed_out(effect.transactional_id))

    def _is_due(self, due: MarkersDue, partition: int) -> bool:
        """Effects of loading may wait long for their commit, and meanwhile be done by what was known before. A marker
        that is written after the end could end the producer's next transaction (v1 has no epoch of its own for it)."""
        loaded = self._shards.loaded.get(partition)
        return loaded is not None and loaded.shard.is_due(due)

    async def _abort_timed_out(self, transactional_id: str) -> None:
        """The shard asks again after a while when this comes to nothing."""
        try:
            producer_id = await self._take_producer_id()
            partition = self._partition_of(transactional_id)
            self._replicas.check_writable(TRANSACTION_STATE, partition)
            self._shards.get(partition).run(
                lambda shard, now_ms: shard.abort_timed_out(transactional_id, now_ms, producer_id)
            )
        except KafkaError as error:
            _logger.warning("timed-out transaction stays transactional_id=%s error=%s", transactional_id, error)

    def markers_written(self, due: MarkersDue, partitions: Iterable[tuple[str, int]]) -> None:
        """KafkaError when it cannot be written down now; then it has to be told again."""
        partition = self._partition_of(due.transactional_id)
        self._replicas.check_writable(TRANSACTION_STATE, partition)
        written = frozenset(partitions)
        if partition not in self._shards.loaded:
            # A shard that is loaded only now has all its markers written again: it must not be told of earlier ones.
            self._shards.get(partition)
            return
        self._shards.get(partition).run(
            lambda shard, now_ms: shard.markers_written(
                due.transactional_id, due.producer_id, due.producer_epoch, written, now_ms
            )
        )

    # Chores and leadership

    def start(self) -> None:
        """Load in the background what is led here."""
        self._shards.image_changed(None, self._metadata.image)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """To be told after the replicas: leadership of transaction partitions may have come or gone."""
        before, after = (image.topics.get(TRANSACTION_STATE) for image in (old, new))
        self._shards.image_changed(old, new)
        if before is not None and before is not after:
            lost = _lost(before, after, self._replicas.node_id)
            self._markers.forget(lost)
            for partition in lost:
                if after is not None and after.id == before.id and _is_led(after, partition, self._replicas.node_id):
                    # Led in another epoch. Somebody else may have led it in between, and markers have to carry an
                    # epoch that leaders do not take for an old coordinator's.
                    self._shards.reload(partition)
        self._markers.image_changed()

    async def expire_ids(self) -> None:
        for loaded in self._led():
            try:
                while self._expire_some(loaded):
                    await asyncio.sleep(0)
            except KafkaError as error:
                _logger.warning("transactional ids not expired partition=%d error=%s", loaded.partition, error)
            await asyncio.sleep(0)

    def _expire_some(self, loaded: LoadedShard[TransactionShard]) -> bool:
        """Whether there may be more."""
        self._replicas.check_writable(TRANSACTION_STATE, loaded.partition)
        decided: list[CoordinatorDecision] = []

        def decide(shard: TransactionShard, now_ms: int) -> CoordinatorDecision:
            decided.append(shard.expire_ids(now_ms))
            return decided[0]

        loaded.run(decide)
        return bool(decided[0].records)

    def close(self) -> None:
        self._tasks.cancel()
        self._shards.close()

    # Within

    def _ask(
        self,
        transactional_id: str,
        decide: Decide[TransactionShard],
        request: R,
        refuse: Refuse[R, T],
        writes: bool = True,
    ) -> Outcome[T]:
        try:
            return self._shards.get(self._partition_of(transactional_id)).ask(decide, request, refuse, writes)
        except KafkaError as error:
            return refuse(request, error.code)

    def _partition_of(self, transactional_id: str) -> int:
        # Whoever asks for the coordinator has the topic made; who did not ask learns that it must.
        return _partition_for(transactional_id, len(self._topic(ErrorCode.NOT_COORDINATOR).partitions))

    def _topic(self, missing: ErrorCode) -> Topic:
        topic = self._metadata.image.topics.get(TRANSACTION_STATE)
        if topic is None:
            raise KafkaError(missing, "the transaction topic is not there yet")
        return topic

    def _led(self) -> Iterable[LoadedShard[TransactionShard]]:
        topic = self._metadata.image.topics.get(TRANSACTION_STATE)
        return self._shards.led(0 if topic is None else len(topic.partitions))

    async def _have_spare(self) -> None:
        while self._spare_producer_id is None:
            taken = await self._take_producer_id()
            if self._spare_producer_id is None:
                self._spare_producer_id = taken

    def _with_spare(
        self, decide: Callable[[TransactionShard, int, int, int], TransactionDecision]
    ) -> Decide[TransactionShard]:
        def decide_and_note(shard: TransactionShard, ticket: int, now_ms: int) -> CoordinatorDecision:
            spare = self._spare_producer_id
            assert spare is not None
            decision = decide(shard, ticket, now_ms, spare)
            if decision.takes_producer_id:
                self._spare_producer_id = None
            return decision

        return decide_and_note

    def _now_ms(self) -> int:
        return self._epoch_ms + self._clock.monotonic_ms()


def _lost(before: Topic, after: Topic | None, node_id: int) -> list[int]:
    """The partitions that were led here and are not any more, or not in the same epoch."""
    return [
        partition
        for partition, state in enumerate(before.partitions)
        if state.leader == node_id
        and (
            after is None
            or after.id != before.id
            or not _is_led(after, partition, node_id)
            or after.partitions[partition].leader_epoch != state.leader_epoch
        )
    ]


def _is_led(topic: Topic, partition: int, node_id: int) -> bool:
    return partition < len(topic.partitions) and topic.partitions[partition].leader == node_id
