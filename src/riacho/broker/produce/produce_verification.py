"""Transactional produce requests before their records are taken: does the coordinator know of these partitions?

A partition where the producer's transaction is open already needs no asking. For the others one question goes to the
coordinator: with Produce up to version 11 whether they were added, from version 12 on (transaction version 2) to add
them. A coordinator that is still busy with the producer's last transaction is asked again for a moment, since the
client would only do the same. Meanwhile the connection takes no further request, so the order of the batches stays.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.produce.produce_outcome import ProduceOutcome, after
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader, read_header

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.produce.transaction_verifier import Errors, TopicPartition, TransactionVerifier
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.partition.verification import VerificationGuard
    from riacho.wire.messages.produce_request import ProduceRequest

_ABORTABLE_VERSION = 11
_IMPLICIT_VERSION = 12
_TOPIC_ID_VERSION = 13
# How often a verification is begun again because a marker came in between.
OVERTAKEN_MAX = 5
# What concerns the coordinator and not the client; as this, it sends again and does not ask for metadata.
_PASSING = frozenset(
    {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)


@dataclass(frozen=True, slots=True)
class ProduceVerifier:
    """Whom a broker's verifications ask, and how they go on."""

    coordinators: TransactionVerifier
    replicas: Replicas
    metadata: MetadataCache
    loop: asyncio.AbstractEventLoop
    log: logging.Logger


class ProduceVerification:
    """Of one request: the guards it was started with, and what the coordinator said."""

    __slots__ = (
        "_batches",
        "_errors",
        "_guards",
        "_is_allowed",
        "_verifier",
        "_version",
        "producers",
        "transactional_id",
    )

    def __init__(
        self,
        verifier: ProduceVerifier,
        request: ProduceRequest,
        version: int,
        *,
        is_allowed: bool,
        may_write: Callable[[str | bytes], bool] | None = None,
    ) -> None:
        """`may_write`: whether the client may write to a topic. Others must not come into the transaction, whose end
        would leave markers in them."""
        self._verifier = verifier
        # Whether the client may write under this transactional id.
        self._is_allowed = is_allowed
        self._version = version
        self.transactional_id = request.transactional_id
        # Ids and epochs of the producers of transactional batches.
        self.producers: set[tuple[int, int]] = set()
        self._guards: dict[HostedPartition, VerificationGuard] = {}
        self._errors: Errors = {}
        self._batches = [
            (hosted, header)
            for hosted, header in _transactional(verifier.replicas, request, version)
            if may_write is None or may_write(hosted.topic)
        ]
        for hosted, header in self._batches:
            self.producers.add((header.producer_id, header.producer_epoch))
            self._start(hosted, header)

    def _start(self, hosted: HostedPartition, header: BatchHeader) -> None:
        if not self._is_allowed or not hosted.is_leader or not (self._is_implicit or self._is_enabled):
            return
        guard = hosted.log.producer_state.producers.start_verification(
            header.producer_id, header.base_sequence, header.producer_epoch, supports_epoch_bump=self._is_implicit
        )
        if guard is not None:
            self._guards[hosted] = guard

    @property
    def _is_implicit(self) -> bool:
        return self._version >= _IMPLICIT_VERSION

    @property
    def _is_enabled(self) -> bool:
        return self._verifier.metadata.values.flag("transaction.partition.verification.enable")

    @property
    def is_needed(self) -> bool:
        return bool(self._guards) and len(self.producers) == 1

    def check(self, hosted: HostedPartition, header: BatchHeader) -> None:
        """A transactional batch may be appended now, or KafkaError."""
        if not self._is_allowed:
            raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
        if len(self.producers) > 1:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "transactions of more than one producer")
        code = self._errors.get((hosted.topic, hosted.index))
        if code is not None:
            raise self._translated(code)
        if not (self._is_implicit or self._is_enabled):
            return
        producers, guard = hosted.log.producer_state.producers, self._guards.get(hosted)
        is_verified = producers.is_verified(header.producer_id, header.producer_epoch, guard)
        if not is_verified and not producers.is_duplicate(header):
            raise KafkaError(ErrorCode.INVALID_TXN_STATE, "Record was not part of an ongoing transaction")

    def _translated(self, code: ErrorCode) -> KafkaError:
        if code is ErrorCode.INVALID_TXN_STATE:
            return KafkaError(code, "Partition was not added to the transaction")
        if code in _PASSING or (code is ErrorCode.CONCURRENT_TRANSACTIONS and not self._is_implicit):
            return KafkaError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"Unable to verify the partition has been added to the transaction. Underlying error: {code.name}",
            )
        return KafkaError(code)

    def then(self, append: Callable[[], ProduceOutcome]) -> ProduceOutcome:
        """Ask, and then go on with `append`, whose outcome is the request's."""
        task = self._verifier.loop.create_task(self._ask())
        failure = "produce failed transactional_id=%s"
        return after(task, lambda _: append(), self._verifier.log, failure, self.transactional_id)

    async def _ask(self) -> None:
        assert self.transactional_id is not None
        values, loop = self._verifier.metadata.values, self._verifier.loop
        until = loop.time() + values.integer("add.partitions.to.txn.retry.backoff.max.ms") / 1000
        (producer_id, producer_epoch) = next(iter(self.producers))
        asked: list[TopicPartition] = [(hosted.topic, hosted.index) for hosted in self._guards]
        for overtaken in itertools.count():
            self._errors = await self._verifier.coordinators.ask(
                self.transactional_id,
                producer_id,
                producer_epoch,
                asked,
                verify_only=not self._is_implicit,
                knows_abortable=self._version >= _ABORTABLE_VERSION,
            )
            if ErrorCode.CONCURRENT_TRANSACTIONS in self._errors.values():
                if loop.time() >= until:
                    return
                await asyncio.sleep(values.integer("add.partitions.to.txn.retry.backoff.ms") / 1000)
            elif overtaken >= OVERTAKEN_MAX or not self._is_overtaken():
                return
            self._guards.clear()
            for hosted, header in self._batches:
                self._start(hosted, header)

    def _is_overtaken(self) -> bool:
        """A marker came while the coordinator was asked. It may have been the last transaction's: only the coordinator
        can tell, so it is asked again."""
        return any(
            hosted in self._guards
            and not hosted.log.producer_state.producers.is_verified(
                header.producer_id, header.producer_epoch, self._guards[hosted]
            )
            for hosted, header in self._batches
        )


def check_verified(verification: ProduceVerification | None, hosted: HostedPartition, header: BatchHeader) -> None:
    """Like `ProduceVerification.check`, where the request may have had no transactional id."""
    if verification is None:
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "a transaction without transactional id")
    verification.check(hosted, header)


def _transactional(
    replicas: Replicas, request: ProduceRequest, version: int
) -> list[tuple[HostedPartition, BatchHeader]]:
    """The batches that say they are transactional; whether they are valid is seen later."""
    found = []
    for topic in request.topic_data:
        key = topic.topic_id if version >= _TOPIC_ID_VERSION else topic.name
        for data in topic.partition_data:
            if data.records is None or len(data.records) < HEADER_SIZE_BYTES:
                continue
            header = read_header(data.records)
            if header.is_transactional and header.has_producer:
                hosted = replicas.known(key, data.index)
                if hosted is not None:
                    found.append((hosted, header))
    return found
