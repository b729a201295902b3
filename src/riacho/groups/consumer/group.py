"""One consumer group (KIP-848): its epochs, its members, and what each is meant to have.

Theory of operation
===================
The coordinator computes assignments itself; members only report by heartbeats what they subscribe to and what they
hold, and get what to hold. There is no moment when all must stop. Three numbers chase each other:

    group epoch         grows when the group changes: a member, a subscription, a topic
    assignment epoch    the group epoch for which the target assignment was last computed
    member epoch        the assignment epoch up to which a member has followed

      +-------+   a member joins    +-----------+   target computed    +-------------+   all followed   +--------+
      | Empty | ------------------> | Assigning | -------------------> | Reconciling | ---------------> | Stable |
      +-------+                     +-----------+                      +-------------+                  +--------+
          ^                               ^  the group epoch is ahead          |  some member is not         |
          |  the last member left         +------------------------------------+----- the group changes -----+

How one member follows its target is in `current_assignment.py`: it first lets go of what is no longer its own, and
gets what is new only when nobody holds it any more. So a partition has one holder at a time, always: `owners`.

Everything here is stored: written by `apply` alone, live and on reload (`replay.py`). What is not is in `live`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from riacho.base.coordination import CoordinatorRecord
from riacho.base.errors import ErrorCode
from riacho.groups.classic.subscription import CONSUMER_PROTOCOL_TYPE
from riacho.groups.consumer import records
from riacho.groups.consumer.member import ConsumerMember
from riacho.groups.group import GroupType

EMPTY = "Empty"
ASSIGNING = "Assigning"
RECONCILING = "Reconciling"
STABLE = "Stable"

TargetPartitions = Mapping[bytes, frozenset[int]]
NO_PARTITIONS: TargetPartitions = {}
# A group starts here, with an assignment of nothing to nobody.
_INITIAL_EPOCH = 1


class ResolvedRegex(NamedTuple):
    """The topics that a pattern matches; found in metadata of that version, at that time."""

    topics: frozenset[str]
    version: int
    timestamp_ms: int


class LiveConsumerGroup:
    """What a consumer group knows and does not store: it dies with the process, and a loaded group starts without.

    Nothing here is true of the group; it only says when to look again. So a group without it is slower, never wrong.
    """

    __slots__ = ("metadata_deadline_ms", "rebalance_epochs")

    def __init__(self) -> None:
        # Until when the metadata hash need not be looked at again.
        self.metadata_deadline_ms = 0
        # The epoch in which each member was asked to let go of partitions: its rebalance timer is for that one alone.
        self.rebalance_epochs: dict[str, int] = {}

    def has_metadata_expired(self, now_ms: int) -> bool:
        return now_ms >= self.metadata_deadline_ms

    def watch_metadata_until(self, deadline_ms: int) -> None:
        self.metadata_deadline_ms = deadline_ms


class ConsumerGroup:
    group_type = GroupType.CONSUMER
    listed_protocol_type = CONSUMER_PROTOCOL_TYPE

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.group_epoch = _INITIAL_EPOCH
        self.metadata_hash = 0
        self.assignment_epoch = _INITIAL_EPOCH
        self.assignment_timestamp_ms = 0
        self.members: dict[str, ConsumerMember] = {}
        self.static_member_ids: dict[str, str] = {}
        self.target: dict[str, TargetPartitions] = {}
        # Who holds a partition now, also while giving it back.
        self.owners: dict[bytes, dict[int, str]] = {}
        self.resolved_regexes: dict[str, ResolvedRegex] = {}
        # How many members use each.
        self.regexes: Counter[str] = Counter()
        self.server_assignors: Counter[str] = Counter()
        self.classic_protocols: Counter[str] = Counter()
        self.classic_member_count = 0
        # How many members name a topic, and how many resolved patterns match it.
        self.topic_subscribers: Counter[str] = Counter()
        self.has_partition_metadata_record = False
        self.live = LiveConsumerGroup()

    # Looking at it

    @property
    def is_empty(self) -> bool:
        return not self.members

    @property
    def state_name(self) -> str:
        if not self.members:
            return EMPTY
        if self.group_epoch > self.assignment_epoch:
            return ASSIGNING
        if all(member.is_reconciled_to(self.assignment_epoch) for member in self.members.values()):
            return STABLE
        return RECONCILING

    def is_subscribed_to(self, topic: str) -> bool:
        return topic in self.topic_subscribers

    def static_member(self, instance_id: str | None) -> ConsumerMember | None:
        member_id = None if instance_id is None else self.static_member_ids.get(instance_id)
        return None if member_id is None else self.members.get(member_id)

    def target_of(self, member: ConsumerMember) -> TargetPartitions:
        """A static member that is about to take another's place finds its target there."""
        holder = self.static_member(member.instance_id)
        return self.target.get(member.member_id if holder is None else holder.member_id, NO_PARTITIONS)

    def owner_of(self, topic_id: bytes, partition: int) -> str | None:
        return self.owners.get(topic_id, {}).get(partition)

    def topic_names_of(self, member: ConsumerMember) -> frozenset[str]:
        """What it subscribes to by name and by pattern; a pattern not yet resolved matches nothing."""
        resolved = self.resolved_regexes.get(member.regex)
        return member.subscribed_topic_names if resolved is None else member.subscribed_topic_names | resolved.topics

    def txn_commit_error(self, member_id: str, member_epoch: int) -> ErrorCode:
        """Within a transaction; ILLEGAL_GENERATION is the only word that producers know for a stale epoch."""
        if member_epoch < 0 and not self.members:
            return ErrorCode.NONE
        member = self.members.get(member_id)
        if member is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        return ErrorCode.NONE if member_epoch == member.member_epoch else ErrorCode.ILLEGAL_GENERATION

    def supports_classic_protocols(self, protocol_type: str, names: set[str]) -> bool:
        if protocol_type != CONSUMER_PROTOCOL_TYPE:
            return False
        return any(self.classic_protocols[name] == self.classic_member_count for name in names)

    def tombstones(self) -> list[CoordinatorRecord]:
        return self.tombstones_of(list(self.members))

    def tombstones_of(self, member_ids: list[str]) -> list[CoordinatorRecord]:
        """The order matters: a member goes only after its assignments, the group only after its members."""
        group_id = self.group_id
        return [
            *(records.current_assignment_tombstone(group_id, member_id) for member_id in member_ids),
            *(records.target_member_tombstone(group_id, member_id) for member_id in member_ids),
            records.target_metadata_tombstone(group_id),
            *(records.member_tombstone(group_id, member_id) for member_id in member_ids),
            *(records.regular_expression_tombstone(group_id, regex) for regex in self.resolved_regexes),
            records.partition_metadata_tombstone(group_id),
            records.group_epoch_tombstone(group_id),
        ]

    # Changing it: for `apply` alone

    def put_member(self, member: ConsumerMember) -> None:
        old = self.members.get(member.member_id)
        if old is not None:
            self._uncount(old)
        self.members[member.member_id] = member
        self._count(member)

    def remove_member(self, member_id: str) -> None:
        member = self.members.pop(member_id, None)
        if member is not None:
            self._uncount(member)
            self.live.rebalance_epochs.pop(member_id, None)

    def put_regex(self, regex: str, resolved: ResolvedRegex | None) -> None:
        old = self.resolved_regexes.pop(regex, None)
        if old is not None:
            _subtract(self.topic_subscribers, old.topics)
        if resolved is not None:
            self.resolved_regexes[regex] = resolved
            self.topic_subscribers.update(resolved.topics)

    def _count(self, member: ConsumerMember) -> None:
        self.topic_subscribers.update(member.subscribed_topic_names)
        if member.regex:
            self.regexes[member.regex] += 1
        if member.server_assignor is not None:
            self.server_assignors[member.server_assignor] += 1
        if member.classic is not None:
            self.classic_member_count += 1
            self.classic_protocols.update({name for name, _ in member.classic.protocols})
        if member.instance_id is not None:
            self.static_member_ids[member.instance_id] = member.member_id
        for partitions in (member.assigned, member.pending_revocation):
            for topic_id, epochs in partitions.items():
                self.owners.setdefault(topic_id, {}).update(dict.fromkeys(epochs, member.member_id))

    def _uncount(self, member: ConsumerMember) -> None:
        _subtract(self.topic_subscribers, member.subscribed_topic_names)
        if member.regex:
            _subtract(self.regexes, (member.regex,))
        if member.server_assignor is not None:
            _subtract(self.server_assignors, (member.server_assignor,))
        if member.classic is not None:
            self.classic_member_count -= 1
            _subtract(self.classic_protocols, {name for name, _ in member.classic.protocols})
        if member.instance_id is not None and self.static_member_ids.get(member.instance_id) == member.member_id:
            del self.static_member_ids[member.instance_id]
        for partitions in (member.assigned, member.pending_revocation):
            for topic_id, epochs in partitions.items():
                self._release(topic_id, epochs, member.member_id)

    def _release(self, topic_id: bytes, epochs: Mapping[int, int], member_id: str) -> None:
        owners = self.owners.get(topic_id, {})
        for index in epochs:
            # A static member's successor may have it already.
            if owners.get(index) == member_id:
                del owners[index]
        if not owners:
            self.owners.pop(topic_id, None)


def _subtract(counter: Counter[str], names: frozenset[str] | set[str] | tuple[str, ...]) -> None:
    for name in names:
        counter[name] -= 1
        if not counter[name]:
            del counter[name]
