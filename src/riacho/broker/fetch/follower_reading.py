"""A follower's fetch: up to the log end, and a report at the same time, since whoever asks for an offset has the rest.

A partition that the request names is checked in this order: that we lead it in the epoch named, that the follower is
one of its replicas, under a registration that still holds (KIP-903), that its log is a prefix of ours, that its end is
within our log. Only then does the fetch count as progress (`follower_fetched`), and only then is anything read.

Partitions that it does not name are fetched too, silently, from where they were: of those the session's `ready` ones
are read. So that a follower without changes does not seem to lag, all are counted anew every few seconds.

Throttled replicas out of sync get nothing while the quota is exceeded (KIP-73).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.fetch.fetch_reading import NO_RECORDS, Answers, Reading, divergence
from riacho.broker.fetch.fetch_sessions import FetchScope, Wanted
from riacho.broker.partitions.purgatory import ParkedFetch
from riacho.wire.messages.fetch_response import EpochEndOffset, FetchResponse, PartitionData

if TYPE_CHECKING:
    from riacho.broker.fetch.fetch_source import FetchSource
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.fetch_request import FetchRequest

# Well below the shortest `replica.lag.time.max.ms` that anybody would set.
_SWEEP_INTERVAL_MS = 2_000


class FollowerReading(Reading):
    __slots__ = ("_quota", "_refusals", "_replica_epoch", "_replica_id", "_throttled_size_bytes")

    def __init__(
        self,
        source: FetchSource,
        ctx: RequestContext,
        request: FetchRequest,
        scope: FetchScope,
        replica_id: int,
        replica_epoch: int,
    ) -> None:
        super().__init__(source, ctx, request, scope)
        self._replica_id = replica_id
        self._replica_epoch = replica_epoch
        self._quota = source.replication_quotas.leader
        # What was found about the named partitions: an error, or where the logs part.
        self._refusals: dict[Wanted, KafkaError | EpochEndOffset] = {}
        self._throttled_size_bytes = 0

    def answer(self) -> Outcome[FetchResponse]:
        """The response, or one that comes later."""
        self._report()
        wait_ms = self.request.max_wait_ms
        session, loop = self.scope.session, self.source.loop
        # One that opens a session does not wait: the follower then knows its session, and can give a wait up.
        is_last = not self.scope.wanted if session is None else not self.scope.is_incremental
        response = self.attempt(is_last or wait_ms <= 0)
        if response is not None:
            return response
        if session is None:
            tailed = [wanted.hosted.tailing for wanted in self.scope.wanted if wanted.hosted is not None]
            return ParkedFetch(loop, tailed, wait_ms, self.attempt).deferred
        # The session watches, and passes its wake-ups on.
        session.parked = ParkedFetch(loop, (), wait_ms, self.attempt)
        return session.parked.deferred

    def attempt(self, is_last: bool) -> FetchResponse | None:
        response = super().attempt(is_last)
        if response is not None:
            if self.scope.session is not None:
                self.scope.session.parked = None
            if self._throttled_size_bytes:
                self._quota.record(self._throttled_size_bytes, self.source.clock.monotonic_ms())
        return response

    def count_sent(self, wanted: Wanted, size_bytes: int) -> None:
        self.source.metrics.replication_bytes_out += size_bytes

    # --- the report

    def _report(self) -> None:
        """Count what the follower has, of everything it names and now and then of everything."""
        now_ms = self.source.clock.monotonic_ms()
        session = self.scope.session
        for wanted in self.scope.named:
            self._check(wanted, now_ms)
        if session is None:
            return
        session.is_eager = self.source.replica_selector is not None
        for wanted in [each for each in session.ready if each.is_refused and each not in self._refusals]:
            # Refused before, and not named anew: it may be well by now, but not without being looked at.
            self._check(wanted, now_ms)
        for wanted in self.scope.named:
            session.ready[wanted] = None
        if now_ms - session.swept_ms >= _SWEEP_INTERVAL_MS:
            session.swept_ms = now_ms
            self._sweep(set(self.scope.named), now_ms)

    def _check(self, wanted: Wanted, now_ms: int) -> None:
        try:
            refusal: KafkaError | EpochEndOffset | None = self._progress(wanted, now_ms)
        except KafkaError as error:
            refusal = error
        wanted.is_refused = refusal is not None
        if refusal is not None:
            self._refusals[wanted] = refusal

    def _progress(self, wanted: Wanted, now_ms: int) -> EpochEndOffset | None:
        asked = wanted.request
        partition = self._partition(wanted)
        if asked.last_fetched_epoch >= 0:
            parted = divergence(partition, asked)
            if parted is not None:
                return parted
        log = partition.log
        if not log.log_start_offset <= asked.fetch_offset <= log.log_end_offset:
            raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE, f"{asked.fetch_offset} is not within the log")
        partition.follower_fetched(
            self._replica_id, self._replica_epoch, asked.fetch_offset, now_ms, asked.log_start_offset
        )
        return None

    def _sweep(self, named: set[Wanted], now_ms: int) -> None:
        session = self.scope.session
        assert session is not None
        for wanted in session.partitions.values():
            if wanted in named or wanted.hosted is None or wanted.is_refused:
                continue
            try:
                self._progress(wanted, now_ms)
            except KafkaError:
                session.ready[wanted] = None

    def _partition(self, wanted: Wanted) -> HostedPartition:
        """The partition, when we lead it for this follower."""
        asked = wanted.request
        partition = wanted.hosted
        if partition is None:
            partition = self.source.replicas.find(wanted.topic, asked.partition)
            if self.scope.session is None:
                wanted.hosted = partition
            else:
                wanted.watch(partition)
        partition.check_leader(asked.current_leader_epoch)
        leadership = partition.leadership
        if leadership is None or leadership.follower(self._replica_id) is None:
            # One of us has not read of its assignment yet: it may ask again.
            is_epoch_known = asked.current_leader_epoch >= 0
            code = ErrorCode.UNKNOWN_LEADER_EPOCH if is_epoch_known else ErrorCode.NOT_LEADER_OR_FOLLOWER
            raise KafkaError(code, f"{self._replica_id} is no replica of this partition")
        known = self.ctx.metadata.image.brokers.get(self._replica_id)
        if known is not None and 0 <= self._replica_epoch < known.epoch:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{self._replica_id} has registered anew")
        return partition

    # --- reading

    def read(self) -> tuple[Answers, int, bool]:
        session = self.scope.session
        candidates = self.scope.wanted if session is None or not self.scope.is_incremental else list(session.ready)
        left_bytes = min(self.request.max_bytes, self.source.size_bytes_max)
        now_ms = self.source.clock.monotonic_ms()
        is_exceeded = self._quota.is_exceeded(now_ms)
        answers: Answers = []
        self._throttled_size_bytes = 0
        total_bytes = 0
        must_answer = False
        for wanted in candidates:
            if not left_bytes and total_bytes and wanted not in self._refusals:
                # It has its turn with the next fetch.
                continue
            try:
                answer = self._read_one(wanted, left_bytes, total_bytes == 0, is_exceeded)
                if answer.records is not NO_RECORDS:
                    size_bytes = answer.records.size  # type: ignore[union-attr]
                    total_bytes += size_bytes
                    left_bytes = max(0, left_bytes - size_bytes)
                elif answer.diverging_epoch.epoch >= 0:
                    must_answer = True
                elif session is not None:
                    if wanted.has_changed(answer):
                        must_answer = must_answer or session.is_eager
                    elif not self._has_records(wanted):
                        session.ready.pop(wanted, None)
            except KafkaError as error:
                must_answer = True
                answer = self.refused(wanted, error)
            answers.append((wanted, answer))
        return answers, total_bytes, must_answer

    def _has_records(self, wanted: Wanted) -> bool:
        hosted = wanted.hosted
        return hosted is not None and wanted.request.fetch_offset < hosted.log.log_end_offset

    def _read_one(self, wanted: Wanted, left_bytes: int, at_least_one: bool, is_exceeded: bool) -> PartitionData:
        refusal = self._refusals.get(wanted)
        if isinstance(refusal, KafkaError):
            raise refusal
        partition = self._partition(wanted)
        asked, log = wanted.request, partition.log
        answer = PartitionData(
            partition_index=partition.index,
            high_watermark=log.high_watermark,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.log_start_offset,
            records=NO_RECORDS,
            aborted_transactions=None,
        )
        if refusal is not None:
            answer.diverging_epoch = refusal
            return answer
        end_offset = log.log_end_offset
        if asked.fetch_offset >= end_offset or (is_exceeded and self._is_throttled(partition)):
            return answer
        size_bytes_max = min(asked.partition_max_bytes, left_bytes)
        found = log.read(asked.fetch_offset, size_bytes_max, end_offset=end_offset, at_least_one=at_least_one)
        if found is not None and found.size:
            answer.records = found
            if self._quota.is_throttled(partition.topic, partition.index):
                self._throttled_size_bytes += found.size
        return answer

    def _is_throttled(self, partition: HostedPartition) -> bool:
        """Replicas in sync are never throttled: it would stop those who write with acks=all."""
        leadership = partition.leadership
        assert leadership is not None
        return self._replica_id not in leadership.isr and self._quota.is_throttled(partition.topic, partition.index)
