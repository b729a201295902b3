"""One classic consumer group: its state, and what of it is stored.

Theory of operation
===================
A group passes through generations. In each one the members first all JOIN, so that the coordinator knows who is there
and picks a protocol that all understand; then all SYNC, and the one called leader brings everybody's assignment. The
coordinator never looks into assignments.

                 first join                     all joined, or the time is over
      +-------+ ------------> +---------------------+ ----------------------> +---------------------+
      | Empty |               | PreparingRebalance  |                         | CompletingRebalance |
      +-------+ <------------ +---------------------+ <---------------------- +---------------------+
         |       nobody left     ^   joins are parked    a member came, went       |  syncs are parked
         |                       |                       or changed its metadata   |
         |                       |     +--------+                                  |
         |                       +-----| Stable | <--------------------------------+
         |                             +--------+   the leader's assignment is stored
         |   deleted, or all offsets expired
         +-----------------------------------------> Dead

- PreparingRebalance ends when every member has a parked JoinGroup, or after the longest rebalance timeout among them;
  members that did not rejoin are removed then (static ones stay until their session ends, KIP-345). Out of Empty it
  lasts `group.initial.rebalance.delay.ms` whoever has joined, and again as long as others keep arriving, within the
  rebalance timeout.
- Ending it starts the next generation: every parked JoinGroup is answered, the leader's with all members' metadata.
- CompletingRebalance ends when the leader syncs. Members who have not synced within the rebalance timeout are removed.
- A heartbeat is answered REBALANCE_IN_PROGRESS in PreparingRebalance, which is how members learn that they should
  rejoin.

Stored and live
---------------
Stored is `stored`, the group's last record, and nothing else; that the group is there at all is its shard's to store.
There is a record when the group comes about, when a generation's assignment is known, when the group becomes empty, and
when a static member is replaced. `install` (live) and `load` (on reload) take it in, and only `apply` calls them.

Live is all the rest: the state, the generation, who is a member, what members have parked, timers. It starts as the
record tells it and then runs ahead, because a member counts from its JoinGroup on, whereas the log gets it when
the leader has synced: until then there is no assignment, and so nothing that would be worth finding again. What is lost
of it with the broker the members make up for by rejoining. The member table is thus both: `members` is who is here now,
`stored.members` who a reload would find. An assignment is the one thing that goes the other way: decided on it stands
in the record alone, and members have it when that is installed, which makes the group Stable.

So a decision may change what is live at once. Should its record never be appended, the group is ahead of its log by a
join, a departure or a replaced id, as it is in the middle of any rebalance, and the next record catches up with it.
"""

from __future__ import annotations

from enum import Enum

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.classic.member_list import MemberList
from riacho.groups.classic.members import Member
from riacho.groups.classic.records import group_metadata_record, group_tombstone, member_metadata
from riacho.groups.classic.subscription import CONSUMER_PROTOCOL_TYPE, subscribed_topics
from riacho.groups.group import GroupType
from riacho.wire.messages.group_metadata_value import GroupMetadataValue


class GroupState(Enum):
    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


EMPTY = GroupState.EMPTY
PREPARING_REBALANCE = GroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE = GroupState.COMPLETING_REBALANCE
STABLE = GroupState.STABLE
DEAD = GroupState.DEAD

_MAY_FOLLOW: dict[GroupState, frozenset[GroupState]] = {
    EMPTY: frozenset({PREPARING_REBALANCE, DEAD}),
    PREPARING_REBALANCE: frozenset({EMPTY, COMPLETING_REBALANCE, DEAD}),
    COMPLETING_REBALANCE: frozenset({PREPARING_REBALANCE, STABLE, DEAD}),
    STABLE: frozenset({PREPARING_REBALANCE, DEAD}),
    DEAD: frozenset(),
}


class ClassicGroup:
    group_type = GroupType.CLASSIC

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.state = EMPTY
        self.state_timestamp_ms = -1
        self.generation = 0
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None
        # None: not known, since there is no generation yet or the metadata cannot be read.
        self.topics: frozenset[str] | None = None
        self.member_list = MemberList()
        self.stored: GroupMetadataValue | None = None
        # While the first rebalance out of Empty is being held open: how much longer it may be.
        self.initial_remaining_ms: int | None = None
        self.initial_delay_ms = 0
        self.new_member_added = False

    @property
    def members(self) -> dict[str, Member]:
        return self.member_list.members

    @property
    def listed_protocol_type(self) -> str:
        return self.protocol_type or ""

    @property
    def state_name(self) -> str:
        return self.state.value

    @property
    def is_empty(self) -> bool:
        return self.state is EMPTY

    def tombstones(self) -> list[CoordinatorRecord]:
        return [group_tombstone(self.group_id)]

    @property
    def uses_consumer_protocol(self) -> bool:
        return self.protocol_type == CONSUMER_PROTOCOL_TYPE

    @property
    def can_rebalance(self) -> bool:
        return PREPARING_REBALANCE in _MAY_FOLLOW[self.state]

    def transition(self, state: GroupState, now_ms: int) -> None:
        assert state in _MAY_FOLLOW[self.state], f"group {self.group_id}: {self.state.value} to {state.value}"
        self.state = state
        self.state_timestamp_ms = now_ms

    def accepts_protocols(self, protocol_type: str, protocol_names: list[str]) -> bool:
        if self.state is EMPTY:
            return bool(protocol_type and protocol_names)
        return self.protocol_type == protocol_type and self.member_list.supports_any(protocol_names)

    def is_subscribed_to(self, topic: str) -> bool:
        """A consumer group whose topics are not known counts as subscribed: better to keep an offset too long."""
        return self.uses_consumer_protocol if self.topics is None else topic in self.topics

    def refresh_topics(self) -> None:
        self.topics = self._compute_topics()

    def start_generation(self, now_ms: int) -> None:
        """All who stay have joined: choose the protocol, or become Empty when nobody is left."""
        self.generation += 1
        self.initial_remaining_ms = None
        self.new_member_added = False
        self.member_list.pending_sync.clear()
        self.protocol_name = self.member_list.select_protocol() if self.members else None
        self.topics = self._compute_topics()
        self.transition(COMPLETING_REBALANCE if self.members else EMPTY, now_ms)

    def metadata_record(self, assignments: dict[str, bytes]) -> CoordinatorRecord:
        members = []
        if self.members:
            assert self.protocol_name is not None
            members = member_metadata(self.members.values(), self.protocol_name, assignments)
        value = GroupMetadataValue(
            protocol_type=self.protocol_type or "",
            generation=self.generation,
            protocol=self.protocol_name,
            leader=self.member_list.leader_id,
            current_state_timestamp=self.state_timestamp_ms,
            members=members,
        )
        return group_metadata_record(self.group_id, value)

    def install(self, value: GroupMetadataValue) -> None:
        """Take in a record of this group that has just been appended: for `apply` alone."""
        self.stored = value
        for stored in value.members:
            self.members[stored.member_id].assignment = stored.assignment
        if value.members and self.state is COMPLETING_REBALANCE:
            self.transition(STABLE, value.current_state_timestamp)

    @classmethod
    def load(cls, group_id: str, value: GroupMetadataValue) -> ClassicGroup:
        """The group as its last record tells it, for `apply` alone: a rebalance that was under way is forgotten."""
        group = cls(group_id)
        group.stored = value
        group.generation = value.generation
        group.protocol_type = value.protocol_type or None
        group.protocol_name = value.protocol
        group.state_timestamp_ms = value.current_state_timestamp
        group.state = STABLE if value.members else EMPTY
        for stored in value.members:
            group.member_list.add(
                Member(
                    member_id=stored.member_id,
                    group_instance_id=stored.group_instance_id,
                    client_id=stored.client_id,
                    client_host=stored.client_host,
                    # Version 0 of the record had no rebalance timeout.
                    rebalance_timeout_ms=stored.session_timeout
                    if stored.rebalance_timeout == -1
                    else stored.rebalance_timeout,
                    session_timeout_ms=stored.session_timeout,
                    protocols=((value.protocol or "", bytes(stored.subscription)),),
                    assignment=bytes(stored.assignment),
                )
            )
        if value.leader in group.members:
            group.member_list.leader_id = value.leader
        group.topics = group._compute_topics()
        return group

    def _compute_topics(self) -> frozenset[str] | None:
        if not self.uses_consumer_protocol:
            return None
        if not self.members:
            return frozenset()
        if self.protocol_name is None:
            return None
        return subscribed_topics(member.metadata(self.protocol_name) for member in self.members.values())
