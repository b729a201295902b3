"""Who is in a classic group: its members, the leader among them, and those it still waits for.

Members keep the order in which they joined, so the choice of a new leader and of the protocol is always the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from riacho.groups.classic.members import Member, Protocol


class MemberList:
    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self.static_member_ids: dict[str, str] = {}
        self.leader_id: str | None = None
        # Ids handed out with MEMBER_ID_REQUIRED and not yet used (KIP-394).
        self.pending_join: set[str] = set()
        # Members of this generation that have not sent SyncGroup.
        self.pending_sync: set[str] = set()
        self.awaiting_join_count = 0
        self._support: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self.members)

    @property
    def all_joined(self) -> bool:
        return len(self.members) == self.awaiting_join_count and not self.pending_join

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def is_leader(self, member_id: str) -> bool:
        return self.leader_id is not None and self.leader_id == member_id

    def add(self, member: Member) -> None:
        if member.group_instance_id is not None:
            assert member.group_instance_id not in self.static_member_ids
            self.static_member_ids[member.group_instance_id] = member.member_id
        self.members[member.member_id] = member
        self._support.update(name for name, _ in member.protocols)
        self.awaiting_join_count += member.join_request_id is not None
        self.pending_join.discard(member.member_id)
        if self.leader_id is None:
            self.leader_id = member.member_id

    def remove(self, member_id: str) -> Member | None:
        """Forget a member or a pending id. The caller has taken its request ids."""
        member = self.members.pop(member_id, None)
        if member is not None:
            assert not member.is_waiting
            self._withdraw_support(member)
            if member.group_instance_id is not None:
                del self.static_member_ids[member.group_instance_id]
        if self.is_leader(member_id):
            self.leader_id = next(iter(self.members), None)
        self.pending_join.discard(member_id)
        self.pending_sync.discard(member_id)
        return member

    def replace_static(self, old_member_id: str, new_member_id: str) -> Member:
        """Give a static member its new id, at its old place. The caller took the old one's request ids (KIP-345)."""
        member = self.members[old_member_id]
        assert member.group_instance_id is not None
        assert not member.is_waiting
        member.member_id = new_member_id
        self.members = {each.member_id: each for each in self.members.values()}
        self.static_member_ids[member.group_instance_id] = new_member_id
        self.pending_sync.discard(old_member_id)
        if self.leader_id == old_member_id:
            self.leader_id = new_member_id
        return member

    def update(
        self, member: Member, protocols: tuple[Protocol, ...], rebalance_timeout_ms: int, session_timeout_ms: int
    ) -> None:
        self._withdraw_support(member)
        member.protocols = protocols
        self._support.update(name for name, _ in protocols)
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms

    def park_join(self, member: Member, request_id: int) -> None:
        assert member.join_request_id is None
        member.join_request_id = request_id
        self.awaiting_join_count += 1

    def take_join_request_id(self, member: Member) -> int | None:
        request_id = member.join_request_id
        if request_id is not None:
            member.join_request_id = None
            self.awaiting_join_count -= 1
        return request_id

    def take_sync_request_id(self, member: Member) -> int | None:
        request_id, member.sync_request_id = member.sync_request_id, None
        return request_id

    def elect_joined_leader(self) -> bool:
        """Keep the leader if it has rejoined, else take the first member that has; False when none has."""
        if self.leader_id is None:
            return False
        if self.members[self.leader_id].join_request_id is not None:
            return True
        for member in self.members.values():
            if member.join_request_id is not None:
                self.leader_id = member.member_id
                return True
        return False

    def supports_any(self, protocol_names: Iterable[str]) -> bool:
        """Whether one of these protocols is known to every member."""
        return any(self._support[name] == len(self.members) for name in protocol_names)

    def select_protocol(self) -> str:
        """Each member votes for its favourite among those that all support; the most votes win, then the earliest."""
        candidates = {name for name, count in self._support.items() if count == len(self.members)}
        votes: Counter[str] = Counter(member.vote(candidates) for member in self.members.values())
        return votes.most_common(1)[0][0]

    def _withdraw_support(self, member: Member) -> None:
        self._support.subtract(name for name, _ in member.protocols)
        for name, _ in member.protocols:
            if not self._support[name]:
                del self._support[name]
