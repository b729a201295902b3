"""One leader epoch of one partition: who is in sync, how far everything is committed, and what to ask the controller.

Theory of operation
-------------------
A follower's fetch at offset n says that it has everything below n. The high watermark is the least log end of the
leader and of every replica in the *maximal* ISR: the committed ISR, and while a proposed change is under way also the
replicas that it would add. A proposed shrink does not count before the controller confirmed it, since the controller
may elect the replica that is to go (KIP-497). A replica outside the ISR that is caught up and may join holds the
watermark too, else a busy leader would run ahead of it for ever. The watermark stands still while the ISR is smaller
than `min.insync.replicas` (KIP-966), and it never moves back within an epoch.

A follower is caught up at the time of a fetch that reaches the log end of then; one that reaches the log end of its
last fetch was caught up at that last fetch. It leaves the ISR when it was not caught up for `replica.lag.time.max.ms`.
It joins when it has reached the high watermark and the start of this epoch, and its broker is registered, neither
fenced nor shutting down, under the epoch that it fetches with (KIP-903): `is_eligible` knows.

At most one proposal is under way. It ends by the controller's answer, or by an image with a later partition epoch.
"""

# Long because: a leader's epoch is one state, and a good part of this is the theory of operation.
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError

UNKNOWN_OFFSET = -1
UNKNOWN_EPOCH = -1

# Takes a broker id and the broker epoch that it fetches with.
Eligible = Callable[[int, int], bool]

_NEVER_MS = -(1 << 62)


class IsrProposal(NamedTuple):
    """An ISR to ask the controller for, given the partition epoch that it was decided on."""

    isr: tuple[int, ...]
    # (broker id, broker epoch) in the order of `isr`; -1 where the leader never saw one.
    broker_epochs: tuple[tuple[int, int], ...]
    leader_epoch: int
    partition_epoch: int


class FollowerState:
    __slots__ = (
        "broker_epoch",
        "caught_up_ms",
        "fetched_ms",
        "leader_end_offset",
        "log_end_offset",
        "log_start_offset",
        "replica_id",
    )

    def __init__(self, replica_id: int, caught_up_ms: int) -> None:
        self.replica_id = replica_id
        self.log_end_offset = UNKNOWN_OFFSET
        self.log_start_offset = UNKNOWN_OFFSET
        self.broker_epoch = UNKNOWN_EPOCH
        self.caught_up_ms = caught_up_ms
        # Of its last fetch: when it was, and where our log ended.
        self.fetched_ms = 0
        self.leader_end_offset = UNKNOWN_OFFSET

    def fetched(self, fetch_offset: int, leader_end_offset: int, now_ms: int) -> None:
        if fetch_offset >= leader_end_offset:
            self.caught_up_ms = max(self.caught_up_ms, now_ms)
        elif fetch_offset >= self.leader_end_offset:
            self.caught_up_ms = max(self.caught_up_ms, self.fetched_ms)
        self.log_end_offset = fetch_offset
        self.leader_end_offset = leader_end_offset
        self.fetched_ms = now_ms

    def is_caught_up(self, leader_end_offset: int, now_ms: int, lag_ms_max: int) -> bool:
        return self.log_end_offset == leader_end_offset or now_ms - self.caught_up_ms <= lag_ms_max


class PartitionLeader:
    __slots__ = (
        "_followers",
        "_is_eligible",
        "_lag_ms_max",
        "_min_isr",
        "_node_id",
        "epoch_start_offset",
        "high_watermark",
        "isr",
        "leader_epoch",
        "log_end_offset",
        "maximal_isr",
        "partition_epoch",
        "proposal",
        "replicas",
    )

    def __init__(
        self,
        node_id: int,
        replicas: Iterable[int],
        isr: Iterable[int],
        *,
        leader_epoch: int,
        partition_epoch: int,
        log_end_offset: int,
        high_watermark: int,
        min_isr: int,
        lag_ms_max: int,
        is_eligible: Eligible,
        now_ms: int,
    ) -> None:
        self._node_id = node_id
        self._is_eligible = is_eligible
        self._lag_ms_max = lag_ms_max
        self._min_isr = min_isr
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.log_end_offset = log_end_offset
        # Every record below was written under an earlier leader.
        self.epoch_start_offset = log_end_offset
        self.high_watermark = high_watermark
        self.replicas: tuple[int, ...] = ()
        self.isr: tuple[int, ...] = tuple(isr)
        self.maximal_isr = frozenset(self.isr)
        self.proposal: IsrProposal | None = None
        self._followers: dict[int, FollowerState] = {}
        self._assign(replicas, now_ms)
        self._advance(now_ms)

    # What others ask

    @property
    def min_isr(self) -> int:
        """What is asked for, but never more than there are replicas."""
        return min(self._min_isr, len(self.replicas))

    @property
    def has_enough_replicas(self) -> bool:
        """Whether a write with acks=all may be taken."""
        return len(self.isr) >= self.min_isr

    @property
    def is_high_watermark_current(self) -> bool:
        """Until the watermark reaches this epoch's start, it may be behind the one that the last leader gave to
        consumers."""
        return self.high_watermark >= self.epoch_start_offset

    def follower(self, replica_id: int) -> FollowerState | None:
        return self._followers.get(replica_id)

    def low_watermark(self, log_start_offset: int, is_alive: Callable[[int], bool]) -> int:
        """The least log start of all replicas whose brokers live: records below it are gone everywhere (KIP-107)."""
        starts = [each.log_start_offset for each in self._followers.values() if is_alive(each.replica_id)]
        return min([log_start_offset, *starts])

    # What happens

    def appended(self, log_end_offset: int, now_ms: int) -> bool:
        """The leader wrote; whether the high watermark moved, as it can where nobody else is in sync."""
        self.log_end_offset = log_end_offset
        return len(self.maximal_isr) == 1 and self._advance(now_ms)

    def fetched(
        self,
        replica_id: int,
        broker_epoch: int,
        fetch_offset: int,
        log_end_offset: int,
        now_ms: int,
        log_start_offset: int = UNKNOWN_OFFSET,
    ) -> bool:
        """A follower asks for what comes after `fetch_offset`, so it has the rest; whether the watermark moved."""
        self.log_end_offset = log_end_offset
        found = self._followers.get(replica_id)
        if found is None:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{replica_id} is no replica of this partition")
        if broker_epoch != UNKNOWN_EPOCH and broker_epoch < found.broker_epoch:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{replica_id} has registered anew since this fetch")
        if fetch_offset > log_end_offset:
            # It has what this leader never wrote: it must truncate before it counts.
            return False
        found.broker_epoch = broker_epoch
        if log_start_offset != UNKNOWN_OFFSET:
            found.log_start_offset = log_start_offset
        before = found.log_end_offset
        found.fetched(fetch_offset, log_end_offset, now_ms)
        return fetch_offset != before and self._advance(now_ms)

    def tick(self, now_ms: int) -> bool:
        """Time alone can free the watermark: of a replica outside the ISR that was caught up and went silent."""
        return self._advance(now_ms)

    def min_isr_changed(self, min_isr: int, now_ms: int) -> bool:
        self._min_isr = min_isr
        return self._advance(now_ms)

    # Proposals

    def propose_expansion(self, replica_id: int) -> IsrProposal | None:
        """An ISR with this follower, when it may join and nothing else is under way."""
        if self.proposal is not None or replica_id in self.maximal_isr:
            return None
        found = self._followers.get(replica_id)
        if found is None or found.log_end_offset < max(self.high_watermark, self.epoch_start_offset):
            return None
        if not self._is_eligible(replica_id, found.broker_epoch):
            return None
        return self._propose((*self.isr, replica_id))

    def propose_shrink(self, now_ms: int) -> IsrProposal | None:
        """An ISR without those that lag for too long."""
        if self.proposal is not None or len(self.isr) == 1:
            return None
        kept = tuple(each for each in self.isr if not self._is_out_of_sync(each, now_ms))
        return self._propose(kept) if len(kept) < len(self.isr) else None

    def propose_departure(self) -> IsrProposal | None:
        """An ISR without this leader: the controller elects one of it. None unless it is large enough, and all of it
        have what this leader has."""
        kept = tuple(each for each in self.isr if each != self._node_id)
        if self.proposal is not None or not kept or len(kept) < self.min_isr:
            return None
        ends = [each.log_end_offset for each in self._followers.values() if each.replica_id in kept]
        return self._propose(kept) if min(ends) >= self.log_end_offset else None

    def _propose(self, isr: tuple[int, ...]) -> IsrProposal:
        epochs = tuple((each, self._broker_epoch(each)) for each in isr)
        self.proposal = IsrProposal(isr, epochs, self.leader_epoch, self.partition_epoch)
        self.maximal_isr = frozenset(self.isr).union(isr)
        return self.proposal

    def confirmed(
        self, proposal: IsrProposal, isr: Iterable[int], leader_epoch: int, partition_epoch: int, now_ms: int
    ) -> bool:
        """The controller took it; whether the high watermark moved. What an image overtook is left alone."""
        if proposal is not self.proposal or leader_epoch != self.leader_epoch or partition_epoch < self.partition_epoch:
            return False
        self._commit(tuple(isr), partition_epoch)
        return self._advance(now_ms)

    def refused(self, proposal: IsrProposal, now_ms: int) -> bool:
        """The controller surely did not take it: the committed ISR rules again."""
        if proposal is not self.proposal:
            return False
        self._commit(self.isr, self.partition_epoch)
        return self._advance(now_ms)

    def image_changed(self, replicas: Iterable[int], isr: Iterable[int], partition_epoch: int, now_ms: int) -> bool:
        """The committed state under this leader epoch; whether the high watermark moved.

        An image may bring what an answer brought before: its ISR is known then, and a proposal made since must stand.
        Its replicas may be news, since an ISR can complete a reassignment.
        """
        if partition_epoch < self.partition_epoch:
            return False
        if partition_epoch > self.partition_epoch:
            self._commit(tuple(isr), partition_epoch)
        self._assign(replicas, now_ms)
        return self._advance(now_ms)

    # Within

    def _commit(self, isr: tuple[int, ...], partition_epoch: int) -> None:
        for gone in set(self.isr).difference(isr):
            follower = self._followers.get(gone)
            if follower is not None:
                # Whatever it had before it left says nothing of now: its disk may be gone. Once it fetches it counts.
                follower.caught_up_ms = _NEVER_MS
        self.isr = isr
        self.maximal_isr = frozenset(isr)
        self.partition_epoch = partition_epoch
        self.proposal = None

    def _assign(self, replicas: Iterable[int], now_ms: int) -> None:
        """Replicas in sync get the benefit of the doubt; the others have to fetch first."""
        self.replicas = tuple(replicas)
        known = self._followers
        never_ms = now_ms - self._lag_ms_max - 1
        self._followers = {
            each: known.get(each) or FollowerState(each, now_ms if each in self.isr else never_ms)
            for each in self.replicas
            if each != self._node_id
        }

    def _advance(self, now_ms: int) -> bool:
        if not self.has_enough_replicas:
            return False
        offset = self.log_end_offset
        for each in self._followers.values():
            if each.log_end_offset < offset and (each.replica_id in self.maximal_isr or self._is_joining(each, now_ms)):
                offset = each.log_end_offset
        if offset <= self.high_watermark:
            return False
        self.high_watermark = offset
        return True

    def _is_joining(self, follower: FollowerState, now_ms: int) -> bool:
        return (
            follower.log_end_offset != UNKNOWN_OFFSET
            and follower.is_caught_up(self.log_end_offset, now_ms, self._lag_ms_max)
            and self._is_eligible(follower.replica_id, follower.broker_epoch)
        )

    def _is_out_of_sync(self, replica_id: int, now_ms: int) -> bool:
        if replica_id == self._node_id:
            return False
        found = self._followers.get(replica_id)
        return found is None or not found.is_caught_up(self.log_end_offset, now_ms, self._lag_ms_max)

    def _broker_epoch(self, replica_id: int) -> int:
        found = self._followers.get(replica_id)
        return UNKNOWN_EPOCH if found is None else found.broker_epoch
