"""A share-partition against a model that knows every record by itself, and against its own stored state."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from riacho.base.errors import KafkaError
from riacho.shares.acquiring import AcquireRequest, FetchedBatch
from riacho.shares.config import ShareLimits
from riacho.shares.record_state import RecordState
from riacho.shares.share_partition import SharePartition, Transition
from riacho.shares.state_batches import StateBatch, combine
from riacho.wire.messages.share_acknowledge_request import AcknowledgementBatch

LOCK_MS = 1_000
MEMBERS = st.sampled_from(["m1", "m2", "m3"])
ACCEPT, RELEASE, REJECT, RENEW = 1, 2, 3, 4


@dataclass
class Record:
    """One record as the model knows it."""

    is_hidden: bool = False
    owner: str = ""
    deadline_ms: int = 0
    # By whom it was given out, each time.
    deliveries: int = 0
    finished: bool = False


class SharePartitionMachine(RuleBasedStateMachine):
    @initialize(limit=st.integers(2, 6), locks=st.integers(8, 40))
    def start(self, limit: int, locks: int) -> None:
        self.limits = ShareLimits(
            delivery_count_limit=limit, record_lock_duration_ms=LOCK_MS, partition_max_record_locks=locks
        )
        self.now_ms = 0
        self.share = SharePartition(0, 1)
        self.batches: list[FetchedBatch] = []
        self.records: dict[int, Record] = {}
        self.end = 0
        self.pending: list[tuple[Transition, str]] = []
        self.stored: list[StateBatch] = []
        self.stored_start = 0

    # --- what happens

    @rule(count=st.integers(1, 9), gap=st.sampled_from([0, 0, 0, 3]), is_hidden=st.sampled_from([False, False, True]))
    def produce(self, count: int, gap: int, is_hidden: bool) -> None:
        self.end += gap
        self.batches.append(FetchedBatch(self.end, self.end + count - 1, is_hidden))
        for offset in range(self.end, self.end + count):
            self.records[offset] = Record(is_hidden)
        self.end += count

    @rule(member=MEMBERS, records_max=st.integers(1, 12), is_record_limit=st.booleans(), batches_max=st.integers(1, 4))
    def fetch(self, member: str, records_max: int, is_record_limit: bool, batches_max: int) -> None:
        if not self.share.can_acquire(self.limits):
            return
        offset = self.share.next_fetch_offset()
        found = [batch for batch in self.batches if batch.last_offset >= offset][:batches_max]
        request = AcquireRequest(member, records_max, 5, is_record_limit)
        acquired = self.share.acquire(request, found, offset, self.limits, self.now_ms)
        assert acquired.record_count == sum(each.last_offset - each.first_offset + 1 for each in acquired.ranges)
        if is_record_limit:
            assert acquired.record_count <= records_max
        for each in acquired.ranges:
            assert each.delivery_count <= self.limits.delivery_count_limit
            for given_offset in range(each.first_offset, each.last_offset + 1):
                record = self.records[given_offset]
                assert not record.is_hidden, given_offset
                assert not record.owner, f"{given_offset} has two owners"
                assert not record.finished, f"{given_offset} was finished"
                record.owner, record.deadline_ms = member, self.now_ms + LOCK_MS
                record.deliveries += 1
                assert record.deliveries == each.delivery_count
                assert record.deliveries <= self.limits.delivery_count_limit

    @rule(member=MEMBERS, data=st.data())
    def acknowledge(self, member: str, data: st.DataObject) -> None:
        held = sorted(offset for offset, record in self.records.items() if record.owner == member)
        if not held:
            return
        first = data.draw(st.sampled_from(held))
        last = first
        while last + 1 in held and data.draw(st.booleans()):
            last += 1
        kinds = st.sampled_from([ACCEPT, RELEASE, REJECT, RENEW])
        types = data.draw(
            st.one_of(
                kinds.map(lambda kind: [kind]), st.lists(kinds, min_size=last - first + 1, max_size=last - first + 1)
            )
        )
        batch = AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=types)
        is_pending = any(
            stored.first_offset <= last and stored.last_offset >= first
            for transition, _ in self.pending
            for stored in transition.state_batches
        )
        try:
            transition = self.share.acknowledge(member, [batch], self.limits, self.now_ms)
        except KafkaError:
            assert is_pending, f"{member} could not acknowledge {first}-{last}"
            return
        assert not is_pending
        for offset in range(first, last + 1):
            if types[0 if len(types) == 1 else offset - first] == RENEW:
                self.records[offset].deadline_ms = self.now_ms + LOCK_MS
        if transition:
            self.pending.append((transition, member))

    @rule(member=MEMBERS)
    def end_session(self, member: str) -> None:
        transition = self.share.release(member, self.limits)
        if transition:
            self.pending.append((transition, member))

    @rule(data=st.data(), is_stored=st.booleans())
    def outcome(self, data: st.DataObject, is_stored: bool) -> None:
        if not self.pending:
            return
        transition, member = self.pending.pop(data.draw(st.integers(0, len(self.pending) - 1)))
        if not is_stored:
            self.share.roll_back(transition)
            return
        self.store(transition)
        self.share.commit(transition)
        for batch in transition.state_batches:
            for offset in range(batch.first_offset, batch.last_offset + 1):
                assert self.records[offset].owner == member
                self.let_go(offset, batch.delivery_state)

    @rule(step_ms=st.integers(1, 2 * LOCK_MS))
    def time_passes(self, step_ms: int) -> None:
        self.now_ms += step_ms
        in_transition = {
            offset
            for transition, _ in self.pending
            for batch in transition.state_batches
            for offset in range(batch.first_offset, batch.last_offset + 1)
        }
        due = {
            offset
            for offset, record in self.records.items()
            if record.owner and record.deadline_ms <= self.now_ms and offset not in in_transition
        }
        expired = self.share.expire(self.limits, self.now_ms)
        self.store(expired)
        seen = set()
        for batch in expired.state_batches:
            for offset in range(batch.first_offset, batch.last_offset + 1):
                seen.add(offset)
                self.let_go(offset, batch.delivery_state)
        assert seen == due

    @rule()
    def fail_over(self) -> None:
        """Another leader knows what was stored, and nothing of holds."""
        if self.pending:
            return
        self.share = SharePartition(self.stored_start, 1, self.stored)
        known = {
            offset: batch.delivery_count
            for batch in self.stored
            for offset in range(batch.first_offset, batch.last_offset + 1)
        }
        for offset, record in self.records.items():
            if record.owner:
                record.owner = ""
            if not record.finished:
                record.deliveries = known.get(offset, 0)

    # --- what must hold

    @invariant()
    def each_record_is_what_the_model_says(self) -> None:
        if not hasattr(self, "share"):
            return
        start, end = self.share.start_offset, self.share.end_offset
        cursor = start
        for run in self.share.runs:
            assert run.first == cursor <= run.last
            cursor = run.last + 1
            for offset in range(run.first, run.last + 1):
                self.check(offset, run.state, run.member_id, run.delivery_count)
        assert cursor == end
        for offset, record in self.records.items():
            if offset < start:
                assert record.finished or record.is_hidden, f"{offset} was skipped"
            elif offset >= end:
                assert not record.owner
                assert not record.finished

    def check(self, offset: int, state: RecordState, member_id: str, delivery_count: int) -> None:
        record = self.records.get(offset)
        if record is None or record.is_hidden:
            assert state in (RecordState.ARCHIVED, RecordState.AVAILABLE)
            return
        assert (state is RecordState.ACQUIRED) == bool(record.owner), (offset, state, record)
        assert state.is_terminal == record.finished, (offset, state, record)
        assert member_id == record.owner
        assert delivery_count == record.deliveries

    @invariant()
    def locks_stay_within_one_batch_of_the_limit(self) -> None:
        if hasattr(self, "share"):
            largest = max((batch.last_offset - batch.base_offset + 1 for batch in self.batches), default=0)
            held = sum(bool(record.owner) for record in self.records.values())
            assert held <= self.limits.partition_max_record_locks + largest

    # --- within

    def store(self, transition: Transition) -> None:
        self.stored_start = max(self.stored_start, min(self.share.start_offset, self.share.end_offset))
        self.stored = combine(self.stored, transition.state_batches, self.stored_start)

    def let_go(self, offset: int, state: int) -> None:
        record = self.records[offset]
        record.owner = ""
        if state != RecordState.AVAILABLE:
            record.finished = True
            if state == RecordState.ARCHIVED:
                return
        else:
            assert record.deliveries < self.limits.delivery_count_limit


TestSharePartition = SharePartitionMachine.TestCase
TestSharePartition.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)
