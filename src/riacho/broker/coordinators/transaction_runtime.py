"""The transaction coordinator of this broker: the shards of the transaction topic's partitions that it leads.

What every coordinator does is `coordinator_runtime.py`'s. Beyond that, some operations may need a producer id that
nobody has, which has to be at hand before they are decided; and what a shard wants written to other partitions goes to
`transaction_markers.py` once the decision is committed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from riacho.base.coordination import CoordinatorDecision
from riacho.base.errors import KafkaError
from riacho.base.operation import Operation
from riacho.broker.access.metadata_view import ImageView
from riacho.broker.coordinators.coordinator_runtime import CoordinatorRuntime
from riacho.broker.coordinators.loaded_shard import CoordinatorLog, LoadedShard
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.client.tasks import Tasks
from riacho.metadata.image.topic_names import TRANSACTION_STATE
from riacho.transactions.config import TransactionConfig
from riacho.transactions.listing import TransactionFilter
from riacho.transactions.markers import MarkersDue, ProducerIdNeeded
from riacho.transactions.partitions import ADD_PARTITIONS_OF, VERIFY_PARTITIONS
from riacho.transactions.shard import TransactionShard

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.coordinators.transaction_markers import OnWritten
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic
    from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnTransaction
    from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResult
    from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
    from riacho.wire.messages.list_transactions_response import TransactionState as ListedTransaction

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")

_logger = logging.getLogger("riacho.transactions")

TRANSACTION_VERSION = "transaction.version"


class TransactionTopic(ImageView, Protocol):
    async def ensure_transaction_topic(self) -> None: ...


class Markers(Protocol):
    def add(self, due: MarkersDue, partition: int, coordinator_epoch: int, on_written: OnWritten) -> None: ...

    def forget(self, partitions: Iterable[int]) -> None: ...

    def image_changed(self) -> None: ...


class TransactionLog(CoordinatorLog, Protocol):
    def leader_epoch(self, topic: str, partition: int) -> int: ...


class TransactionRuntime(CoordinatorRuntime[TransactionShard]):
    def __init__(
        self,
        config: TransactionConfig,
        replicas: TransactionLog,
        clock: Clock,
        metadata: TransactionTopic,
        take_producer_id: Callable[[], Awaitable[int]],
        markers: Markers,
        *,
        commit_timeout_ms: int = 5_000,
    ) -> None:
        super().__init__(
            TRANSACTION_STATE,
            replicas,
            clock,
            metadata,
            metadata.ensure_transaction_topic,
            lambda: TransactionShard(config, self.transaction_version, self._take_spare),
            commit_timeout_ms,
        )
        self._replicas = replicas
        self._markers = markers
        self._take_producer_id = take_producer_id
        # An id that nobody has: few requests need a new one, and most of them do not know beforehand.
        self._spare_producer_id: int | None = None
        self._tasks: Tasks[None] = Tasks()

    def transaction_version(self) -> int:
        """The level in force."""
        return self._metadata.image.features.get(TRANSACTION_VERSION, 0)

    # Requests

    def ask_with_producer_id(
        self, operation: Operation[TransactionShard, Q, P, T], request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> Outcome[T]:
        """`ask`, where a new producer id may be needed. Later also where one has to be fetched first."""
        if self._spare_producer_id is None:
            return Later.of(self._ask_with_fetched(operation, request, *args, **kwargs))
        return self.ask(operation, request, *args, **kwargs)

    def add_partitions_of(self, transaction: AddPartitionsToTxnTransaction) -> Outcome[AddPartitionsToTxnResult]:
        return self.ask(VERIFY_PARTITIONS if transaction.verify_only else ADD_PARTITIONS_OF, transaction)

    def list(self, request: ListTransactionsRequest) -> list[ListedTransaction]:
        """KafkaError COORDINATOR_LOAD_IN_PROGRESS while not all transactions are known yet."""
        wanted = TransactionFilter(request, self._now_ms())
        return self._collect(lambda shard: shard.list_by(wanted))

    # Markers

    def _perform(self, effect: object) -> None:
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
            await self._have_spare()
            partition = self._partition_of(transactional_id)
            self._replicas.check_writable(TRANSACTION_STATE, partition)
            self._shards.get(partition).run(lambda shard, now_ms: shard.abort_timed_out(transactional_id, now_ms))
        except KafkaError as error:
            _logger.warning("timed-out transaction stays transactional_id=%s error=%s", transactional_id, error)

    def markers_written(self, due: MarkersDue, partitions: Iterable[tuple[str, int]]) -> None:
        """KafkaError when it cannot be written now; the caller has to repeat it then."""
        partition = self._partition_of(due.transactional_id)
        self._replicas.check_writable(TRANSACTION_STATE, partition)
        written = frozenset(partitions)
        if partition not in self._shards.loaded:
            # A shard that is loaded only now has all its markers written again: earlier confirmations do not count.
            self._shards.get(partition)
            return
        self._shards.get(partition).run(
            lambda shard, now_ms: shard.markers_written(
                due.transactional_id, due.producer_id, due.producer_epoch, written, now_ms
            )
        )

    # Chores and leadership

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Called after the replicas' own listener: leadership of transaction partitions may have come or gone."""
        before, after = (image.topics.get(TRANSACTION_STATE) for image in (old, new))
        super().image_changed(old, new)
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
        super().close()

    # Producer ids

    async def _ask_with_fetched(
        self, operation: Operation[TransactionShard, Q, P, T], request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        try:
            await self._have_spare()
        except KafkaError as error:
            return operation.refused(request, error.code)
        return await settled(self.ask(operation, request, *args, **kwargs))

    async def _have_spare(self) -> None:
        while self._spare_producer_id is None:
            taken = await self._take_producer_id()
            if self._spare_producer_id is None:
                self._spare_producer_id = taken

    def _take_spare(self) -> int:
        """Nobody else may have the id then, not even if the append fails: its records may be in the log even so."""
        spare, self._spare_producer_id = self._spare_producer_id, None
        assert spare is not None, "no producer id is at hand"
        return spare


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
