"""Produced batches whose records take long to check: unpacked and walked over by a thread, while the loop goes on.

A few kilobytes can unpack to hundreds of megabytes, so what is checked between two turns of the loop is bounded
(`partition/record_checks.py`); the rest comes here. The connection takes no further request meanwhile, so the order of
its batches stays, and at most one batch is unpacked at a time, however many connections send them: memory is bounded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar, TypeVarTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.produce.produce_outcome import ProduceOutcome, after
from riacho.partition.record_checks import (
    LOOP_BLOCKS_SIZE_BYTES_MAX,
    LOOP_RECORDS_MAX,
    LOOP_UNPACKED_SIZE_BYTES_MAX,
)
from riacho.partition.refused_records import InvalidRecordsError, TakesLongError
from riacho.partition.validation import ValidBatch, validate_produced
from riacho.security.operations import AclOperation
from riacho.wire.batch import HEADER_SIZE_BYTES, read_header

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from riacho.base.ports import Clock
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.requests.request_context import RequestContext
    from riacho.partition.validation import TopicRules
    from riacho.wire.batch import Buffer
    from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_TOPIC_ID_VERSION = 13
# A request may have many batches, each of them light: so many of those that must be unpacked, and so many bytes in all,
# are checked on the loop. The first may be a large one.
_LOOP_BATCHES_MAX = 16
_LOOP_SIZE_BYTES_MAX = 2 << 20


class Refused(NamedTuple):
    """Why a batch may not be appended. An exception would keep alive whatever was unpacked where it was raised."""

    code: ErrorCode
    detail: str
    record_errors: list[tuple[int, str]]

    @classmethod
    def by(cls, error: KafkaError) -> Refused:
        return cls(error.code, error.detail, error.record_errors if isinstance(error, InvalidRecordsError) else [])

    def error(self) -> KafkaError:
        if self.record_errors:
            return InvalidRecordsError(self.code, self.record_errors)
        return KafkaError(self.code, self.detail)


# What became of a partition's batch, by the identity of its part of the request.
Checked = dict[int, ValidBatch | Refused]


class ProduceChecking:
    def __init__(
        self,
        replicas: Replicas,
        clock: Clock,
        loop: asyncio.AbstractEventLoop,
        executor: Executor,
        log: logging.Logger,
    ) -> None:
        self._replicas = replicas
        self._clock = clock
        self._loop = loop
        self._executor = executor
        self._log = log

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def in_thread(self, act: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Other work that has to do with the records of a batch and takes long."""
        return self._loop.run_in_executor(self._executor, act, *args)

    def check(
        self, ctx: RequestContext, request: ProduceRequest, append: Callable[[Checked], ProduceOutcome]
    ) -> ProduceOutcome:
        """The outcome of `append`: now, or when the batches that take long have been checked."""
        checked: Checked = {}
        heavy: list[tuple[PartitionProduceData, TopicRules]] = []
        version, now_ms = ctx.version, self._clock.now_ms()
        size_bytes = 0
        for data, hosted in _writable(ctx, self._replicas, request):
            rules = hosted.rules
            size_bytes += len(data.records or b"")
            seen = len(checked) + len(heavy)
            if size_bytes > _LOOP_SIZE_BYTES_MAX or seen >= _LOOP_BATCHES_MAX:
                heavy.append((data, rules))
                continue
            if not _is_costly(data.records, rules):
                continue
            blocks_max = LOOP_UNPACKED_SIZE_BYTES_MAX if seen else LOOP_BLOCKS_SIZE_BYTES_MAX
            try:
                checked[id(data)] = validate_produced(
                    data.records, rules, now_ms, version, blocks_size_bytes_max=blocks_max
                )
            except TakesLongError:
                if hosted.is_internal:
                    # A coordinator reads it again on its loop.
                    checked[id(data)] = Refused(ErrorCode.MESSAGE_TOO_LARGE, "too much for an internal topic", [])
                else:
                    heavy.append((data, rules))
            except KafkaError as error:
                checked[id(data)] = Refused.by(error)
        if not heavy:
            return append(checked)
        work = self.in_thread(_check_at_length, heavy, checked, now_ms, version)
        return after(work, append, self._log, "produce failed: its records could not be checked")


def _writable(
    ctx: RequestContext, replicas: Replicas, request: ProduceRequest
) -> Iterator[tuple[PartitionProduceData, HostedPartition]]:
    """What the client may write, to partitions that are led here."""
    for topic in request.topic_data:
        key = topic.topic_id if ctx.version >= _TOPIC_ID_VERSION else topic.name
        for data in topic.partition_data:
            hosted = replicas.known(key, data.index)
            if hosted is None or not hosted.is_leader:
                continue
            if ctx.allows_topic(AclOperation.WRITE, hosted.topic, is_audited=False):
                yield data, hosted


def _is_costly(records: Buffer | None, rules: TopicRules) -> bool:
    """More than a header and a short walk; what is wrong with anything less is seen when it is to be appended."""
    if records is None or len(records) < HEADER_SIZE_BYTES:
        return False
    header = read_header(records)
    return header.compression != 0 or bool(rules.codec) or header.record_count > LOOP_RECORDS_MAX


def _check_at_length(
    heavy: list[tuple[PartitionProduceData, TopicRules]], checked: Checked, now_ms: int, version: int
) -> Checked:
    for data, rules in heavy:
        try:
            checked[id(data)] = validate_produced(data.records, rules, now_ms, version, may_take_long=True)
        except KafkaError as error:
            checked[id(data)] = Refused.by(error)
    return checked
