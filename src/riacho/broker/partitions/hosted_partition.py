"""A partition this broker hosts: its log, its role, the rules its records obey, and who waits for it.

The role comes from the metadata image: leader (`leadership` is its state machine, `partition/leader.py`), follower, or
neither while nobody leads. A partition with a single replica has no state machine to run: what is written is committed
(`is_alone`), which keeps the way of a produce as short as it can be.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.counters.topic_metrics import TopicCounts
from riacho.log.placed import append_placed
from riacho.partition.leader import UNKNOWN_OFFSET, IsrProposal, PartitionLeader
from riacho.partition.validation import TopicRules

if TYPE_CHECKING:
    from riacho.broker.partitions.purgatory import CommitWaiter, FetchWaiter
    from riacho.log.log import Log
    from riacho.metadata.image.topics import Partition
    from riacho.wire.batch import Buffer

LATEST_EPOCH = -1
_NO_LEADER = -1


class Peers(Protocol):
    """What a leader knows of the other brokers, and where it sends its proposals."""

    lag_ms_max: int

    def now_ms(self) -> int: ...

    def is_eligible(self, broker_id: int, broker_epoch: int) -> bool: ...

    def is_alive(self, broker_id: int) -> bool: ...

    def propose(self, hosted: HostedPartition, proposal: IsrProposal) -> None: ...


class HostedPartition:
    __slots__ = (
        "_commits",
        "_low_watermark_waiters",
        "_min_isr",
        "_peers",
        "counts",
        "has_enough_replicas",
        "index",
        "is_alone",
        "is_follower",
        "is_gone",
        "is_internal",
        "is_leader",
        "is_without_room",
        "leader_epoch",
        "leader_id",
        "leadership",
        "log",
        "rules",
        "tailing",
        "topic",
        "topic_id",
        "waiting",
    )

    def __init__(
        self,
        topic: str,
        topic_id: bytes,
        index: int,
        log: Log,
        rules: TopicRules,
        peers: Peers | None = None,
        counts: TopicCounts | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.index = index
        self.log = log
        self.rules = rules
        # Shared by the topic's partitions here.
        self.counts = TopicCounts() if counts is None else counts
        self._peers = peers
        self._min_isr = 1
        self.leader_id = _NO_LEADER
        self.leader_epoch = 0
        self.is_leader = False
        self.is_follower = False
        self.is_internal = False
        # Not hosted here any more.
        self.is_gone = False
        # A write was refused for want of room: it does not follow before there is some.
        self.is_without_room = False
        # No other replica: whatever is written is committed.
        self.is_alone = True
        # Whether a write with acks=all may be taken now.
        self.has_enough_replicas = True
        self.leadership: PartitionLeader | None = None
        # Parked fetches to wake when the high watermark moves; mostly empty or one.
        self.waiting: set[FetchWaiter] = set()
        # Followers' parked fetches, to wake when the log end moves.
        self.tailing: set[FetchWaiter] = set()
        # Writes that wait for the high watermark to pass their last offset, by offset.
        self._commits: deque[tuple[int, CommitWaiter]] = deque()
        # DeleteRecords that wait for every replica's log start.
        self._low_watermark_waiters: list[tuple[int, CommitWaiter]] = []

    # --- the role

    def take_role(self, node_id: int, state: Partition) -> None:
        """Become what the image says: leader, follower, or neither. Called with every change of the partition."""
        is_same_epoch = state.leader_epoch == self.leader_epoch and state.leader == self.leader_id
        was_leader = self.is_leader
        self.leader_id = state.leader
        self.leader_epoch = state.leader_epoch
        self.is_leader = state.leader == node_id
        self.is_follower = not self.is_leader and state.leader >= 0 and node_id in state.replicas
        if was_leader and is_same_epoch:
            self._image_changed(node_id, state)
            return
        self.leadership = None
        if was_leader and self.is_leader:
            # The log stays: what waits for its commit will have it under the new epoch. Readers must learn the epoch.
            self._wake_fetches()
        elif was_leader:
            self.wake()
        if self.is_leader:
            self._lead(node_id, state)

    def _lead(self, node_id: int, state: Partition) -> None:
        """A new leader epoch of ours starts."""
        self.is_alone = state.replicas == (node_id,) or self._peers is None
        if self.is_alone:
            self.has_enough_replicas = True
            self.log.commit_all()
            # Who waited for replicas that have left waits for nobody now.
            self._publish(self.log.high_watermark)
            self._settle_low_watermark()
            return
        assert self._peers is not None
        log = self.log
        log.epochs.assign(state.leader_epoch, log.log_end_offset)
        self.leadership = PartitionLeader(
            node_id,
            state.replicas,
            state.isr,
            leader_epoch=state.leader_epoch,
            partition_epoch=state.partition_epoch,
            log_end_offset=log.log_end_offset,
            high_watermark=log.high_watermark,
            min_isr=self._min_isr,
            lag_ms_max=self._peers.lag_ms_max,
            is_eligible=self._peers.is_eligible,
            now_ms=self._peers.now_ms(),
        )
        self._settle_replicas(True)

    def _image_changed(self, node_id: int, state: Partition) -> None:
        leadership = self.leadership
        if leadership is None or state.replicas == (node_id,):
            if self.is_alone != (state.replicas == (node_id,)):
                # Replicas were added to the only one, or all others went: the same epoch, with or without a machine.
                self.leadership = None
                self._lead(node_id, state)
            return
        assert self._peers is not None
        moved = leadership.image_changed(state.replicas, state.isr, state.partition_epoch, self._peers.now_ms())
        self._settle_replicas(moved)

    def set_min_isr(self, min_isr: int) -> None:
        self._min_isr = min_isr
        if self.leadership is not None and self._peers is not None:
            self._settle_replicas(self.leadership.min_isr_changed(min_isr, self._peers.now_ms()))

    def go(self) -> None:
        """The partition leaves this broker: nobody is answered from it any more."""
        self.is_gone = True
        self.is_leader = self.is_follower = False
        self.leader_id = _NO_LEADER
        self.leadership = None
        self.wake()

    def check_leader(self, current_leader_epoch: int = LATEST_EPOCH) -> None:
        """Refuse a client that knows an older or a newer leader than we do (KIP-320)."""
        if current_leader_epoch != LATEST_EPOCH and current_leader_epoch != self.leader_epoch:
            if current_leader_epoch < self.leader_epoch:
                raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH, f"the leader epoch is {self.leader_epoch}")
            raise KafkaError(ErrorCode.UNKNOWN_LEADER_EPOCH, f"the leader epoch is {self.leader_epoch}")
        if not self.is_leader:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"the leader is {self.leader_id}")

    def check_enough_replicas(self) -> None:
        """Refuse a write with acks=all that too few replicas would hold."""
        if not self.has_enough_replicas:
            raise KafkaError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                f"{self.topic}-{self.index} has too few in-sync replicas for min.insync.replicas",
            )

    # --- the leader's side

    def advance(self) -> None:
        """After an append: with a single replica it is committed, else followers have something to fetch."""
        log = self.log
        if self.is_alone:
            log.commit_all()
            if self.waiting:
                for parked in tuple(self.waiting):
                    parked.notice()
            return
        for parked in self.tailing:
            parked.notice()
        leadership = self.leadership
        if leadership is not None:
            assert self._peers is not None
            leadership.log_end_offset = log.log_end_offset
            # With others in sync only their fetches can move the high watermark.
            if len(leadership.maximal_isr) == 1 and leadership.appended(log.log_end_offset, self._peers.now_ms()):
                self._publish(leadership.high_watermark)

    def follower_fetched(
        self,
        replica_id: int,
        broker_epoch: int,
        fetch_offset: int,
        now_ms: int,
        log_start_offset: int = UNKNOWN_OFFSET,
    ) -> None:
        """A follower has everything below `fetch_offset`. Not to be called for a fetch that diverges: what it has is
        not what we wrote. KafkaError when it is no replica of ours."""
        leadership, peers = self.leadership, self._peers
        if leadership is None or peers is None:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{replica_id} is no replica of this partition")
        if leadership.fetched(
            replica_id, broker_epoch, fetch_offset, self.log.log_end_offset, now_ms, log_start_offset
        ):
            self._publish(leadership.high_watermark)
        if replica_id not in leadership.maximal_isr:
            proposal = leadership.propose_expansion(replica_id)
            if proposal is not None:
                peers.propose(self, proposal)
        if self._low_watermark_waiters:
            self._settle_low_watermark()

    def isr_check(self, now_ms: int) -> None:
        """Drop from the ISR who lags for too long."""
        leadership, peers = self.leadership, self._peers
        if leadership is None or peers is None:
            return
        proposal = leadership.propose_shrink(now_ms)
        if proposal is not None:
            peers.propose(self, proposal)
        if leadership.tick(now_ms):
            self._publish(leadership.high_watermark)

    def resign(self) -> bool:
        """Ask the controller for another leader, of those in sync; whether there is one to ask for."""
        leadership, peers = self.leadership, self._peers
        if leadership is None or peers is None:
            return False
        leadership.log_end_offset = self.log.log_end_offset
        proposal = leadership.propose_departure()
        if proposal is not None:
            peers.propose(self, proposal)
        return proposal is not None

    def isr_confirmed(self, proposal: IsrProposal, isr: list[int], leader_epoch: int, partition_epoch: int) -> None:
        if self.leadership is not None and self._peers is not None:
            now_ms = self._peers.now_ms()
            self._settle_replicas(self.leadership.confirmed(proposal, isr, leader_epoch, partition_epoch, now_ms))

    def isr_refused(self, proposal: IsrProposal) -> None:
        if self.leadership is not None and self._peers is not None:
            self._settle_replicas(self.leadership.refused(proposal, self._peers.now_ms()))

    def low_watermark(self) -> int:
        """Below it, no replica that lives has records."""
        if self.leadership is None or self._peers is None:
            return self.log.log_start_offset
        return self.leadership.low_watermark(self.log.log_start_offset, self._peers.is_alive)

    def _settle_replicas(self, is_moved: bool) -> None:
        """After a change of the ISR or of how large it must be."""
        leadership = self.leadership
        assert leadership is not None
        self.has_enough_replicas = leadership.has_enough_replicas
        if is_moved:
            self._publish(leadership.high_watermark)
        if not self.has_enough_replicas:
            # The high watermark stands still until the ISR grows again (KIP-966): better to say so at once.
            self._fail_commits(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
        if self._low_watermark_waiters:
            self._settle_low_watermark()

    def _publish(self, high_watermark: int) -> None:
        """The high watermark moved: consumers may see more, writers have their commit."""
        self.log.high_watermark = high_watermark
        for parked in self.waiting:
            parked.notice()
        commits = self._commits
        while commits and commits[0][0] < high_watermark:
            commits.popleft()[1].settle(ErrorCode.NONE)

    # --- the follower's side

    def append_fetched(
        self, records: Buffer, leader_high_watermark: int, leader_log_start_offset: int, now_ms: int
    ) -> int:
        """Take what the leader sent, and what it says of its offsets; how many bytes were taken."""
        if not self.is_follower:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{self.topic}-{self.index} is no follower any more")
        log = self.log
        taken = append_placed(log, records, now_ms) if records else 0
        before = log.high_watermark
        log.high_watermark = leader_high_watermark
        if leader_log_start_offset > log.log_start_offset:
            log.move_log_start(min(leader_log_start_offset, log.high_watermark))
        if log.high_watermark != before:
            for parked in self.waiting:
                parked.notice()
        return taken

    # --- whoever waits

    def await_commit(self, offset: int, waiter: CommitWaiter) -> None:
        """`waiter.settle` is called when the high watermark passes `offset`, or when it no longer can."""
        commits = self._commits
        entry = (offset, waiter)
        if not commits or commits[-1][0] <= offset:
            commits.append(entry)
            return
        # A retry of what was written before waits among the earlier ones.
        at = len(commits)
        while at and commits[at - 1][0] > offset:
            at -= 1
        commits.insert(at, entry)

    def forget_commit(self, waiter: CommitWaiter) -> None:
        for at, (_, each) in enumerate(self._commits):
            if each is waiter:
                del self._commits[at]
                return

    def _fail_commits(self, code: ErrorCode) -> None:
        commits, self._commits = self._commits, deque()
        for _, waiter in commits:
            waiter.settle(code)

    def await_low_watermark(self, offset: int, waiter: CommitWaiter) -> None:
        """`waiter.settle` is called when every replica's log start has reached `offset`, or when we no longer know."""
        self._low_watermark_waiters.append((offset, waiter))
        self._settle_low_watermark()

    def forget_low_watermark(self, waiter: CommitWaiter) -> None:
        self._low_watermark_waiters = [each for each in self._low_watermark_waiters if each[1] is not waiter]

    def log_start_moved(self) -> None:
        """Followers learn of it by their next answer: let that be now."""
        for parked in tuple(self.tailing):
            parked.complete()
        self._settle_low_watermark()

    def _settle_low_watermark(self) -> None:
        low_watermark = self.low_watermark()
        done = [waiter for offset, waiter in self._low_watermark_waiters if offset <= low_watermark]
        self._low_watermark_waiters = [each for each in self._low_watermark_waiters if each[0] > low_watermark]
        for waiter in done:
            waiter.settle(ErrorCode.NONE)

    def wake(self) -> None:
        """Leadership moved or the partition goes away: every parked request must fail."""
        self._wake_fetches()
        self._fail_commits(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        waiters, self._low_watermark_waiters = self._low_watermark_waiters, []
        for _, waiter in waiters:
            waiter.settle(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def _wake_fetches(self) -> None:
        for parked in (*self.waiting, *self.tailing):
            parked.complete()
