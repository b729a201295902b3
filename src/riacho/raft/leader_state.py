"""What a leader remembers of its epoch: how far each replica got, who waits for data, which change of voters is under
way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from riacho.base.ids import ZERO_UUID
from riacho.raft.roles import Role
from riacho.raft.voters import ReplicaKey, Voter, VoterSet
from riacho.wire.schema import Message

NEVER = -1


@dataclass(slots=True)
class Progress:
    """One replica as its fetches show it. A fetch at an offset says that all before it is on the replica's disk."""

    end_offset: int = -1
    fetched_at_ms: int = NEVER
    caught_up_at_ms: int = NEVER
    # The leader's log end at the fetch before: a replica that has reached it was caught up then.
    _leader_end_before: int = -1

    def fetched(self, offset: int, leader_end_offset: int, now_ms: int) -> None:
        if offset >= leader_end_offset:
            self.caught_up_at_ms = now_ms
        elif 0 < self._leader_end_before <= offset:
            self.caught_up_at_ms = max(self.caught_up_at_ms, self.fetched_at_ms)
        self.end_offset = offset
        self._leader_end_before = leader_end_offset
        self.fetched_at_ms = now_ms


UNKNOWN: Final = Progress()


class ParkedFetch(NamedTuple):
    request_id: int
    replica: ReplicaKey
    offset: int
    # The high watermark that the asker knows of (KIP-1166).
    high_watermark: int
    size_bytes_max: int
    deadline_ms: int


@dataclass(slots=True)
class Change:
    """An uncommitted change of voters, or of kraft.version; at most one at a time (KIP-853)."""

    offset: int
    deadline_ms: int
    # None: answered already, or nobody asked.
    request_id: int | None
    request: Message | None


@dataclass(slots=True)
class Leader:
    epoch_start_offset: int
    # How much of its own log is on disk.
    own_end_offset: int
    since_ms: int
    replicas: dict[ReplicaKey, Progress] = field(default_factory=dict)
    # Which of the replicas with an id fetched last: a static voter may come back with another directory.
    latest_by_id: dict[int, Progress] = field(default_factory=dict)
    parked: dict[int, ParkedFetch] = field(default_factory=dict)
    # When each voter was last notified of this epoch, by id.
    notified_at_ms: dict[int, int] = field(default_factory=dict)
    change: Change | None = None
    # What static voters sent about themselves: needed to write them into the log when kraft.version rises.
    volatile: dict[int, Voter] = field(default_factory=dict)
    role: Role = Role.LEADER

    def replica(self, key: ReplicaKey) -> Progress:
        """The progress of a replica that fetches now."""
        progress = self.replicas.setdefault(key, Progress())
        self.latest_by_id[key.node_id] = progress
        return progress

    def forget(self, key: ReplicaKey) -> None:
        progress = self.replicas.pop(key)
        if self.latest_by_id[key.node_id] is progress:
            del self.latest_by_id[key.node_id]

    def progress_of(self, voter: Voter) -> Progress:
        if voter.directory_id == ZERO_UUID:
            return self.latest_by_id.get(voter.node_id, UNKNOWN)
        return self.replicas.get(voter.key, UNKNOWN)

    def commit_offset(self, voters: VoterSet, own: ReplicaKey) -> int:
        """Up to where a majority has the log; -1 when it is not known."""
        ends = [self.own_end_offset if voter.fits(own) else self.progress_of(voter).end_offset for voter in voters]
        return sorted(ends, reverse=True)[voters.majority - 1] if ends else -1

    def majority_last_contact_ms(self, voters: VoterSet, own: ReplicaKey, now_ms: int) -> int:
        """When a majority, itself included, was last in contact."""
        contacts = [
            now_ms if voter.fits(own) else max(self.since_ms, self.progress_of(voter).fetched_at_ms) for voter in voters
        ]
        return sorted(contacts, reverse=True)[voters.majority - 1] if contacts else now_ms
