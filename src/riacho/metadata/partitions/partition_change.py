"""One change of one partition: what its replicas, ISR and directories shall be, worked out into one record.

Theory of operation. Whoever wants a change says what it wants (`isr`, `replicas`, `adding`, ...) and asks for the
record. In this order, then:
1. a reassignment whose new replicas are all in sync is completed (KIP-455);
2. the eligible leader replicas are brought up to date (KIP-966): while the ISR is smaller than min.insync.replicas,
   whoever leaves it stays eligible, for nothing can be acknowledged in its absence; a crash ends that. As soon as the
   ISR is large enough again they are forgotten;
3. a leader is elected; one from the ELR starts a new ISR of itself alone; an unclean one does so too, has to recover,
   and ends what was known of the ELR;
4. a new leader epoch is forced where a replica was dropped, so that it is fenced off.
Without ELR the last member of an ISR stays in it though the partition has no leader; with ELR the ISR may become empty,
and whoever crashed of ISR and ELR is kept as last known, until there is a leader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.metadata.image.directories import UNASSIGNED, default_directory, is_online
from riacho.metadata.image.topics import LEADER_UNCHANGED, NO_LEADER, RECOVERING, Partition, Topic
from riacho.metadata.partitions.leadership import Candidates, Elected, Election, LeadershipRules, LogEnd, elect
from riacho.wire.messages.partition_change_record import PartitionChangeRecord

_NOBODY = -1


class PartitionChange:
    __slots__ = (
        "_before",
        "_directories",
        "_partition_id",
        "_rules",
        "_topic",
        "adding",
        "crashed",
        "election",
        "is_deposing",
        "is_outage",
        "isr",
        "joining",
        "leader_recovery_state",
        "leaving",
        "log_ends",
        "removing",
        "replicas",
    )

    def __init__(self, rules: LeadershipRules, topic: Topic, partition_id: int) -> None:
        before = topic.partitions[partition_id]
        self._rules = rules
        self._topic = topic
        self._partition_id = partition_id
        self._before: Partition = before
        self._directories: dict[int, bytes] = {}
        self.isr: Sequence[int] = before.isr
        self.replicas: Sequence[int] = before.replicas
        self.adding: Sequence[int] = before.adding_replicas
        self.removing: Sequence[int] = before.removing_replicas
        self.leader_recovery_state = before.leader_recovery_state
        self.election: Election = rules.election(topic)
        # A broker that must not lead from now on, one that may though the image does not say so yet, and one that
        # came back without having stopped in order.
        self.leaving = _NOBODY
        self.joining = _NOBODY
        self.crashed = _NOBODY
        # Nobody who could have gone on without a broker that crashed is in contact.
        self.is_outage = False
        self.is_deposing = False
        self.log_ends: Mapping[int, LogEnd] = {}

    def place(self, broker_id: int, directory: bytes) -> None:
        self._directories[broker_id] = directory

    def record(self) -> PartitionChangeRecord | None:
        """None when nothing comes of it."""
        before = self._before
        rules = self._rules
        self._complete_reassignment()
        elr: tuple[int, ...] = ()
        last_known: tuple[int, ...] = ()
        # A partition of fewer replicas than are asked for is content with all it has, and so is its leader.
        min_isr = min(rules.min_isr(self._topic), len(self.replicas))
        if rules.is_elr_enabled and len(self.isr) < min_isr:
            elr, last_known = self._eligible()
        elif rules.is_elr_enabled and (self.is_outage or before.leader == NO_LEADER):
            last_known = self._crashed_in_outage()
        # While there is a leader these are only who crashed before.
        waited_for = last_known if before.leader == NO_LEADER else ()
        if self.is_outage or self._has_choice():
            may_stay = self._may_lead(before.leader) and not self.is_deposing
            elected = Elected(before.leader if may_stay else NO_LEADER)
        else:
            candidates = Candidates(before.leader, self.replicas, self.isr, elr, waited_for, self.log_ends)
            elected = elect(self.election, candidates, self._may_lead)
        record = PartitionChangeRecord(partition_id=self._partition_id, topic_id=self._topic.id)
        isr = tuple(self.isr)
        if elected.leader != before.leader:
            record.leader = elected.leader
            if elected.is_unclean:
                isr, elr, last_known = (elected.leader,), (), ()
                if before.leader_recovery_state != RECOVERING:
                    record.leader_recovery_state = RECOVERING
            elif elected.leader in elr:
                isr, elr = (elected.leader,), tuple(replica for replica in elr if replica != elected.leader)
        elif self.replicas is not before.replicas and not set(before.replicas) <= set(self.replicas):
            record.leader = before.leader
        if elr and len(isr) >= min_isr:
            # Elected from the ELR, and enough by itself: from now on it may acknowledge without the others.
            elr, last_known = (), ()
        if rules.is_elr_enabled and elected.leader == NO_LEADER and not isr:
            # Who led last is among them from the start: Kafka knows no other.
            led = {before.leader, *before.last_known_elr, *last_known}
            last_known = tuple(sorted(replica for replica in led if replica in self.replicas))
        if elected.leader != before.leader and elected.leader != NO_LEADER and len(isr) >= min_isr:
            # It goes on without those who crashed; unless it is gone too, and nobody noticed yet.
            last_known = last_known if self.is_outage else ()
        if isr != before.isr and (isr or rules.is_elr_enabled):
            record.isr = list(isr)
        if elr != before.eligible_leader_replicas:
            record.eligible_leader_replicas = list(elr)
        if last_known != before.last_known_elr:
            record.last_known_elr = list(last_known)
        if self.leader_recovery_state != before.leader_recovery_state:
            record.leader_recovery_state = self.leader_recovery_state
        self._describe_assignment(record)
        return None if _is_empty(record) else record

    def _complete_reassignment(self) -> None:
        """New replicas in sync, somebody left in sync; when the factor shrinks all that stay must be."""
        if not self.adding and not self.removing:
            return
        isr = tuple(replica for replica in self.isr if replica not in self.removing)
        replicas = tuple(replica for replica in self.replicas if replica not in self.removing)
        if not isr or not replicas or not set(self.adding) <= set(isr):
            return
        if len(self.adding) < len(self.removing) and not set(replicas) <= set(isr):
            return
        self.isr, self.replicas, self.adding, self.removing = isr, replicas, (), ()

    def _eligible(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(ELR, last known ELR): the first may lead without loss, the second were such before they crashed."""
        before = self._before
        candidates = {*before.eligible_leader_replicas, *before.isr}
        elr = tuple(
            sorted(
                replica
                for replica in candidates
                if replica not in self.isr and replica != self.crashed and replica in self.replicas
            )
        )
        candidates.update(before.last_known_elr)
        last_known = tuple(
            sorted(
                replica
                for replica in candidates
                if replica not in self.isr and replica not in elr and replica in self.replicas
            )
        )
        return elr, last_known

    def _has_choice(self) -> bool:
        """After an outage several may lead: who has the most is found out first (`recovery_election`)."""
        is_leaderless = self._rules.is_elr_enabled and self._before.leader == NO_LEADER
        is_choosing = not self.log_ends and self.election is not Election.UNCLEAN
        return is_leaderless and is_choosing and len(self.isr) > 1

    def _crashed_in_outage(self) -> tuple[int, ...]:
        """The last known ELR beside an ISR that is large enough on record, though nobody of it is known to be there."""
        before = self._before
        known = {*before.last_known_elr, *({self.crashed} if self.is_outage else ())}
        return tuple(sorted(replica for replica in known if replica in self.replicas and replica not in self.isr))

    def _may_lead(self, replica: int) -> bool:
        if replica == self.leaving or replica == self.crashed:
            return False
        broker = self._rules.image.brokers.get(replica)
        if broker is None or (replica != self.joining and not broker.is_active):
            return False
        return is_online(self._directory_of(replica), broker.log_dirs)

    def _directory_of(self, replica: int) -> bytes:
        found = self._directories.get(replica)
        if found is not None:
            return found
        before = self._before
        if replica in before.replicas:
            return before.directory_of(replica) or UNASSIGNED
        broker = self._rules.image.brokers.get(replica)
        return UNASSIGNED if broker is None else default_directory(broker.log_dirs)

    def _describe_assignment(self, record: PartitionChangeRecord) -> None:
        before = self._before
        if self.replicas is not before.replicas and tuple(self.replicas) != before.replicas:
            record.replicas = list(self.replicas)
            record.directories = [self._directory_of(replica) for replica in self.replicas]
        elif self._directories:
            directories = [self._directory_of(replica) for replica in before.replicas]
            if tuple(directories) != before.directories:
                record.directories = directories
        if tuple(self.removing) != before.removing_replicas:
            record.removing_replicas = list(self.removing)
        if tuple(self.adding) != before.adding_replicas:
            record.adding_replicas = list(self.adding)


def _is_empty(record: PartitionChangeRecord) -> bool:
    return (
        record.leader == LEADER_UNCHANGED
        and record.leader_recovery_state == -1
        and record.isr is None
        and record.eligible_leader_replicas is None
        and record.last_known_elr is None
        and record.replicas is None
        and record.removing_replicas is None
        and record.adding_replicas is None
        and record.directories is None
    )
