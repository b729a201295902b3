"""One partition as a share group sees it: which records are free, held, finished (KIP-932).

A record starts out of flight, past the end. To acquire it gives it to one member for a time (ACQUIRED), and counts the
delivery. Then the member accepts it (ACKNOWLEDGED) or rejects it (ARCHIVED), or it comes back: released by the member,
by the end of the member's session, or by the end of its time. A record that comes back is AVAILABLE, unless it has been
delivered as often as the group allows: then it is ARCHIVED. What is finished at the start moves the start.

    out of flight --acquire--> ACQUIRED --accept--> ACKNOWLEDGED
                      ^            |  \\--reject, last delivery over--> ARCHIVED
                      |         release, time over
                      |            v
                      +------- AVAILABLE

A change by a member takes effect when it is stored: `acknowledge` and `release` give a `Transition`, the records stay
with the member until `commit`, and `roll_back` leaves them there. A hold that ends by time is over at once, stored or
not: nobody is there to be told. Acquiring is not stored. So a new leader of the partition knows of no holds, and the
deliveries that were under way are not counted.

Batches of the log are not opened. A batch that no consumer may see (a control batch, or one of an aborted transaction
for a read_committed group) and offsets that compaction left empty are ARCHIVED when they are met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.acknowledgements import Acknowledgement, AcknowledgementBatch, segments
from riacho.shares.acquiring import Acquired, AcquireRequest, Acquiring, FetchedBatch
from riacho.shares.config import ShareLimits
from riacho.shares.record_state import STATE_AFTER, AcknowledgeType, RecordState
from riacho.shares.runs import NO_TRANSITION, Run, Runs
from riacho.shares.state_batches import StateBatch, joined

_AVAILABLE = RecordState.AVAILABLE
_ARCHIVED = RecordState.ARCHIVED


@dataclass(slots=True)
class Transition:
    """What is to be stored; `state_batches` are sorted. `id` 0: it is in force already."""

    id: int
    state_batches: list[StateBatch] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.state_batches)


class SharePartition:
    def __init__(self, start_offset: int, state_epoch: int, state_batches: Iterable[StateBatch] = ()) -> None:
        """As the share coordinator remembers it. Offsets between the stored ranges were on their way when the last
        leader went: they are free, and nobody knows of a delivery."""
        self.state_epoch = state_epoch
        self._runs = Runs(start_offset)
        self._last_transition = NO_TRANSITION
        for batch in state_batches:
            self._load(batch)
        # Whether a search for a free record may find one.
        self._has_free = len(self._runs) > 0
        self._runs.tidy()

    def _load(self, batch: StateBatch) -> None:
        runs = self._runs
        if batch.last_offset < runs.end:
            return
        if batch.first_offset > runs.end:
            runs.append(Run(runs.end, batch.first_offset - 1, _AVAILABLE, 0))
        state = RecordState(batch.delivery_state)
        runs.append(Run(runs.end, batch.last_offset, state, batch.delivery_count))

    # --- what there is

    @property
    def start_offset(self) -> int:
        return self._runs.start

    @property
    def end_offset(self) -> int:
        """The offset after the last one that was ever given out."""
        return self._runs.end

    @property
    def runs(self) -> Sequence[Run]:
        return tuple(self._runs)

    @property
    def is_idle(self) -> bool:
        """Nobody holds anything and nothing is being stored."""
        return all(run.state is not RecordState.ACQUIRED for run in self._runs)

    def delivery_complete_count(self) -> int:
        """Finished records past the start, those whose end is being stored included."""
        return sum(run.count for run in self._runs if run.target.is_terminal)

    def next_fetch_offset(self) -> int:
        if self._has_free:
            for run in self._runs:
                if run.is_free:
                    return run.first
            self._has_free = False
        return self._runs.end

    def can_acquire(self, limits: ShareLimits) -> bool:
        return self._runs.record_count < limits.partition_max_record_locks or self.next_fetch_offset() < self._runs.end

    # --- giving out

    def acquire(
        self,
        request: AcquireRequest,
        batches: Sequence[FetchedBatch],
        fetch_offset: int,
        limits: ShareLimits,
        now_ms: int,
    ) -> Acquired:
        """Give to a member what is free in `batches`, which is what the log has from `fetch_offset` on."""
        acquired = Acquiring(self._runs, request, limits, now_ms).acquire(batches, fetch_offset)
        self._runs.tidy()
        return acquired

    # --- taking back

    def acknowledge(
        self, member_id: str, batches: Sequence[AcknowledgementBatch], limits: ShareLimits, now_ms: int
    ) -> Transition:
        """All of it or nothing. KafkaError INVALID_RECORD_STATE for a record that this member does not hold,
        INVALID_REQUEST for one that was never given out."""
        self._check_in_flight(batches)
        transition = self._begin()
        renewed: list[Run] = []
        try:
            for each in segments(batches, self.start_offset):
                self._mark(transition, member_id, each, limits, renewed)
        except KafkaError:
            self.roll_back(transition)
            raise
        for run in renewed:
            run.transition = NO_TRANSITION
            run.deadline_ms = now_ms + limits.record_lock_duration_ms
        self._store(transition)
        return transition

    def release(self, member_id: str, limits: ShareLimits) -> Transition:
        """The member's session is over: it holds nothing any more."""
        transition = self._begin()
        for run in self._runs:
            if run.is_held and run.member_id == member_id:
                self._aim(transition, run, _AVAILABLE, limits)
        self._store(transition)
        return transition

    def expire(self, limits: ShareLimits, now_ms: int) -> Transition:
        """End the holds whose time is over. In force at once."""
        expired = [run for run in self._runs if run.is_held and run.deadline_ms <= now_ms]
        for run in expired:
            run.settle(self._after(run, _AVAILABLE, limits))
        stored = [StateBatch(run.first, run.last, run.state, run.delivery_count) for run in expired]
        if expired:
            self._has_free = True
            self._runs.tidy()
        return Transition(NO_TRANSITION, joined(stored))

    def next_deadline_ms(self) -> int | None:
        return min((run.deadline_ms for run in self._runs if run.is_held), default=None)

    # --- when the outcome is known

    def commit(self, transition: Transition) -> None:
        """It is stored: it counts."""
        if transition.id == NO_TRANSITION:
            return
        for run in self._runs:
            if run.transition == transition.id:
                run.settle(run.target)
                self._has_free = self._has_free or run.is_free
        self._runs.tidy()

    def roll_back(self, transition: Transition) -> None:
        """It could not be stored: the member holds the records as before, until their time is over."""
        if transition.id == NO_TRANSITION:
            return
        for run in self._runs:
            if run.transition == transition.id:
                run.transition = NO_TRANSITION
                run.target = run.state
        self._runs.tidy()

    def log_start_moved(self, log_start_offset: int) -> None:
        """Records below are gone, whoever holds them. It is stored with the next change."""
        if log_start_offset > self._runs.start:
            self._runs.drop_below(log_start_offset)
            self._runs.tidy()

    # --- within

    def _begin(self) -> Transition:
        self._last_transition += 1
        return Transition(self._last_transition)

    def _check_in_flight(self, batches: Iterable[AcknowledgementBatch]) -> None:
        runs = self._runs
        for batch in batches:
            if batch.last_offset < runs.start:
                continue
            if not len(runs):
                raise KafkaError(
                    ErrorCode.INVALID_RECORD_STATE,
                    "Batch record not found. The request batch offsets are not found in the cache.",
                )
            if batch.last_offset >= runs.end:
                which = "first" if batch.first_offset >= runs.end else "last"
                raise KafkaError(
                    ErrorCode.INVALID_REQUEST,
                    f"Batch record not found. The {which} offset in request is past acquired records.",
                )

    def _mark(
        self, transition: Transition, member_id: str, each: Acknowledgement, limits: ShareLimits, renewed: list[Run]
    ) -> None:
        for run in self._runs.cover(each.first, each.last):
            _check_held(run, member_id)
            if each.type is AcknowledgeType.RENEW:
                run.transition = transition.id
                renewed.append(run)
            else:
                self._aim(transition, run, STATE_AFTER[each.type], limits)

    def _aim(self, transition: Transition, run: Run, state: RecordState, limits: ShareLimits) -> None:
        run.transition = transition.id
        run.target = self._after(run, state, limits)

    @staticmethod
    def _after(run: Run, state: RecordState, limits: ShareLimits) -> RecordState:
        is_spent = state is _AVAILABLE and run.delivery_count >= limits.delivery_count_limit
        return _ARCHIVED if is_spent else state

    def _store(self, transition: Transition) -> None:
        transition.state_batches = joined(
            StateBatch(run.first, run.last, run.target, run.delivery_count)
            for run in self._runs
            if run.transition == transition.id
        )


def _check_held(run: Run, member_id: str) -> None:
    if run.state is not RecordState.ACQUIRED:
        raise KafkaError(
            ErrorCode.INVALID_RECORD_STATE, "The offset cannot be acknowledged. The offset is not acquired."
        )
    if run.transition != NO_TRANSITION:
        raise KafkaError(
            ErrorCode.INVALID_RECORD_STATE,
            "The record state is invalid. The acknowledgement of delivery could not be completed.",
        )
    if run.member_id != member_id:
        raise KafkaError(ErrorCode.INVALID_RECORD_STATE, "Member is not the owner of offset")
