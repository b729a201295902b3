"""Mistakes that a fast path of produce could make, to be put in on purpose. The usual way stays as it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.produce import fast_path_offers, produce_fast_path
from riacho.broker.produce.append_checks import NeedsUsualWayError
from riacho.broker.produce.append_produced import append_produced
from riacho.broker.produce.fast_path_epoch import FastPathEpoch
from riacho.broker.produce.fast_path_offers import FastPathOffers, fast_path_for
from riacho.broker.produce.produce_fast_path import ProduceFastPath, ProduceFastPaths, response_of
from riacho.broker.produce.produce_pipeline import PipelinedAnswer, ProducePipeline
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.requests.later import Later
from riacho.partition.validation import CREATE_TIME
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader
from riacho.wire.messages.produce_response import ProduceResponse


@dataclass(frozen=True)
class PlantedBug:
    where: object
    name: str
    bug: Callable[..., object]


@contextmanager
def _pretended(thing: Any, **values: object) -> Iterator[None]:
    kept = {name: getattr(thing, name) for name in values}
    for name, value in values.items():
        setattr(thing, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(thing, name, value)


# --- what is appended

_serve, _serve_all = ProduceFastPath.serve, ProduceFastPaths.serve


def append_without_replicas(partition: Any, records: Any, checked: Any, needs_replicas: bool, *rest: Any) -> Any:
    """acks=all is taken though too few replicas are in sync."""
    return append_produced(partition, records, checked, False, *rest)


def append_without_leading(partition: Any, *rest: Any) -> Any:
    """A batch is taken though another broker leads."""
    with _pretended(partition, is_leader=True):
        return append_produced(partition, *rest)


def append_of_any_size(partition: Any, *rest: Any) -> Any:
    """The limit is that of the topic's defaults."""
    with _pretended(partition, rules=replace(partition.rules, message_size_bytes_max=1 << 20)):
        return append_produced(partition, *rest)


def take_unnamed_transactions(self: ProduceFastPath, partition: HostedPartition, header: BatchHeader) -> None:
    """A batch of an open transaction is taken from a request that does not name the transactional id."""
    if not partition.log.producer_state.producers.has_transaction(header.producer_id, header.producer_epoch):
        raise NeedsUsualWayError


def take_unknown_transactions(self: ProduceFastPath, partition: HostedPartition, header: BatchHeader) -> None:
    """The coordinator is not asked about the first batch of a transaction."""
    if not self._is_transactional:
        raise NeedsUsualWayError


def take_out_of_turn(self: ProduceFastPath, partition: HostedPartition, header: BatchHeader) -> None:
    """A batch of a producer that the log does not know is taken, whatever was refused before it."""


def count_twice(self: ProduceFastPath, frame: bytearray, now_ms: int, out: bytearray) -> int:
    """A request that goes on to the usual way was counted already."""
    served = _serve(self, frame, now_ms, out)
    if served < -1:
        self.partition.counts.produce_requests += 1
    return served


def mend_base_offset(self: ProduceFastPath, frame: bytearray, now_ms: int, out: bytearray) -> int:
    """What is refused goes on to the usual way with another base offset than its client gave it."""
    served = _serve(self, frame, now_ms, out)
    start, _ = self.records_range(frame)
    if served < -1 and start >= 0 and len(frame) >= start + 8:
        frame[start : start + 8] = bytes(8)
    return served


# --- what is answered


def answer_at_once(self: ProduceFastPath, frame: bytearray, now_ms: int, out: bytearray) -> int:
    """acks=all does not wait for the high watermark."""
    return min(_serve(self, frame, now_ms, out), -1)


def answer_old_log_start(self: ProduceFastPath, frame: bytearray, now_ms: int, out: bytearray) -> int:
    """The log starts where it did."""
    at = len(out)
    served = _serve(self, frame, now_ms, out)
    if served >= -1 and self._log_start_at >= 0:
        out[at + self._log_start_at : at + self._log_start_at + 8] = bytes(8)
    return served


class _NobodyWaits:
    """A pipeline that seems to be empty."""

    def __init__(self, pipeline: ProducePipeline) -> None:
        self.add_appended = pipeline.add_appended
        self._pipeline = pipeline

    def __bool__(self) -> bool:
        return False

    @property
    def is_full(self) -> bool:
        return self._pipeline.is_full


def answer_out_of_order(
    self: ProduceFastPaths, queue: deque[bytearray], now_ms: int, out: bytearray, pipeline: Any, now_ns: int
) -> tuple[int, int]:
    """Answers that need not wait overtake those that must."""
    waiting: Any = _NobodyWaits(pipeline)
    return _serve_all(self, queue, now_ms, out, waiting, now_ns)


def answer_too_late(
    self: ProducePipeline, fast_path: ProduceFastPath, answer: bytearray, size_bytes: int, last_offset: int, now_ns: int
) -> None:
    """A timeout that is shorter than those before it does not count."""
    deadline_ms = self._clock.monotonic_ms() + fast_path.timeout_ms
    entry = PipelinedAnswer(self, answer, size_bytes, now_ns, fast_path, deadline_ms)
    self._entries.append(entry)
    fast_path.partition.await_commit(last_offset, entry)
    if self._timer is None:
        self._set_timer(deadline_ms, fast_path.timeout_ms)


def answer_without_new_leader(self: ProduceFastPath, listener_name: str, code: ErrorCode) -> ProduceResponse:
    """The producer is not told who leads now."""
    topic, index = self.partition.topic, self.partition.index
    answer = self._refusals.refusal(self.version, topic, index, KafkaError(code))
    return response_of(topic, self.partition.topic_id, answer)


# --- what is offered

_offer = FastPathOffers.offer


def offer_to_measured(self: Quotas, ctx: object) -> bool:
    """A producer whose quota is measured has a fast path, and is not charged on it."""
    return False


class _NoLines:
    logs_data_path = False


def offer_while_logged(self: FastPathOffers, *rest: Any) -> Any:
    """Requests that should leave a line in the access log leave none."""
    with _pretended(self, _logs=_NoLines()):
        return _offer(self, *rest)


def offer_before_asking(self: FastPathOffers, ctx: Any, frame: Any, request: Any, outcome: Any) -> Any:
    """A fast path is there before it is known whether the request is taken."""
    if type(outcome) is not Later:
        return _offer(self, ctx, frame, request, outcome)
    with _pretended(outcome, is_exclusive=False):
        return _offer(self, ctx, frame, request, outcome)


def offer_after_refusal(self: FastPathOffers, ctx: Any, frame: Any, request: Any, outcome: Any) -> Any:
    """A fast path is there although the request was refused."""
    topic = request.topic_data[0]
    is_a_batch = len(topic.partition_data[0].records or b"") >= HEADER_SIZE_BYTES
    if type(outcome) is ProduceResponse and is_a_batch:
        outcome = response_of(topic.name, topic.topic_id, copy(outcome.responses[0].partition_responses[0]))
        outcome.responses[0].partition_responses[0].error_code = 0
    return _offer(self, ctx, frame, request, outcome)


def offer_for_append_time(frame: Any, request: Any, response: Any, version: int, partition: Any, *rest: Any) -> Any:
    """The time of the first append is told of all."""
    with _pretended(partition, rules=replace(partition.rules, timestamp_type=CREATE_TIME)):
        return fast_path_for(frame, request, response, version, partition, *rest)


def offer_any_transaction(*rest: Any) -> Any:
    """A batch of no transaction is taken to show that the client may write under the transactional id."""
    fast_path = fast_path_for(*rest)
    if fast_path is not None:
        fast_path._is_transactional = rest[1].transactional_id is not None
    return fast_path


# --- how long that holds


def forget_acls(self: FastPathEpoch, old: Any, new: Any) -> None:
    """Fast paths outlive a change of ACLs."""
    if new.client_quotas is not old.client_quotas or new.configs is not old.configs:
        self.bump()


def forget_quotas(self: FastPathEpoch, old: Any, new: Any) -> None:
    """They outlive a change of quotas."""
    if new.acls is not old.acls or new.configs is not old.configs:
        self.bump()


def forget_configs(self: FastPathEpoch, old: Any, new: Any) -> None:
    """They outlive a change of a topic's settings."""
    if new.acls is not old.acls or new.client_quotas is not old.client_quotas:
        self.bump()


def hold_for_ever(self: FastPathEpoch) -> None:
    """They outlive everything."""


def revive(self: ProduceFastPaths, fast_path: ProduceFastPath) -> None:
    """With the first fast path of an epoch those of earlier ones come back."""
    offered = fast_path.head, fast_path.prefix_end, self._epoch.value
    if offered[:2] != (self._head, self._prefix_end):
        self._by_prefix.clear()
    self._head, self._prefix_end, self._offered_in = offered
    self._by_prefix[fast_path.prefix] = fast_path


PLANTED = (
    PlantedBug(produce_fast_path, "append_produced", append_without_replicas),
    PlantedBug(produce_fast_path, "append_produced", append_without_leading),
    PlantedBug(produce_fast_path, "append_produced", append_of_any_size),
    PlantedBug(ProduceFastPath, "check_transaction", take_unnamed_transactions),
    PlantedBug(ProduceFastPath, "check_transaction", take_unknown_transactions),
    PlantedBug(ProduceFastPath, "check_turn", take_out_of_turn),
    PlantedBug(ProduceFastPath, "serve", count_twice),
    PlantedBug(ProduceFastPath, "serve", mend_base_offset),
    PlantedBug(ProduceFastPath, "serve", answer_at_once),
    PlantedBug(ProduceFastPath, "serve", answer_old_log_start),
    PlantedBug(ProduceFastPaths, "serve", answer_out_of_order),
    PlantedBug(ProducePipeline, "add_appended", answer_too_late),
    PlantedBug(ProduceFastPath, "refusal", answer_without_new_leader),
    PlantedBug(Quotas, "limits_producer", offer_to_measured),
    PlantedBug(FastPathOffers, "offer", offer_while_logged),
    PlantedBug(FastPathOffers, "offer", offer_before_asking),
    PlantedBug(FastPathOffers, "offer", offer_after_refusal),
    PlantedBug(fast_path_offers, "fast_path_for", offer_for_append_time),
    PlantedBug(fast_path_offers, "fast_path_for", offer_any_transaction),
    PlantedBug(FastPathEpoch, "image_changed", forget_acls),
    PlantedBug(FastPathEpoch, "image_changed", forget_quotas),
    PlantedBug(FastPathEpoch, "image_changed", forget_configs),
    PlantedBug(FastPathEpoch, "bump", hold_for_ever),
    PlantedBug(ProduceFastPaths, "add", revive),
)
