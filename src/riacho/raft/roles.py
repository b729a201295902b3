"""The roles of a node and what each of them remembers.

```
unattached --election timeout--> prospective --majority would vote--> candidate --majority voted--> leader
     ^  ^                          |     ^                              |                              |
     |  '------ refused -----------'     '---------- timeout -----------'                              |
     |                                   |                                                             |
     '-- higher epoch, from any role    follower --fetch timeout--> prospective           resigned <---'
                                                                                          (quorum lost, or asked to)
```

A prospective node asks whether it would be voted for and changes no epoch (KIP-996), so that a node which cannot hear
the leader disturbs nobody. Observers are only ever unattached or followers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from riacho.raft.effects import Destination
from riacho.raft.log_view import SnapshotId
from riacho.raft.voters import ReplicaKey, Voter
from riacho.wire.schema import Message


class Role(Enum):
    UNATTACHED = "unattached"
    PROSPECTIVE = "prospective"
    CANDIDATE = "candidate"
    FOLLOWER = "follower"
    LEADER = "leader"
    RESIGNED = "resigned"


@dataclass(slots=True)
class Download:
    """A snapshot that is being fetched."""

    snapshot_id: SnapshotId
    position: int = 0


@dataclass(slots=True)
class Fetching:
    """The one request that is out, and when the next may go. A new one at every change of role makes answers to the
    old one strangers."""

    retry_at_ms: int
    request: Message | None = None
    download: Download | None = None


@dataclass(slots=True)
class Asked:
    """One voter's part in a ballot. `request` is out, or the next goes at `send_at_ms`."""

    voter: Voter
    send_at_ms: int
    request: Message | None = None
    is_granted: bool | None = None
    # Its port refuses connections: in an election no answer will come from it in time.
    is_absent: bool = False


@dataclass(slots=True)
class Ballot:
    asked: dict[int, Asked]
    majority: int
    granted_ids: set[int]

    @property
    def is_won(self) -> bool:
        return len(self.granted_ids) >= self.majority

    @property
    def is_lost(self) -> bool:
        refused = sum(each.is_granted is False for each in self.asked.values())
        return len(self.asked) + 1 - refused < self.majority

    @property
    def is_split(self) -> bool:
        """Those who could still answer are not enough, and one of the others has voted for another."""
        possible = sum(each.is_granted is not False and not each.is_absent for each in self.asked.values())
        return possible + 1 < self.majority and any(each.is_granted is False for each in self.asked.values())


@dataclass(slots=True)
class Observed:
    """The leader of an epoch below one's own, whose log is read meanwhile: see `observing`."""

    leader: Destination
    epoch: int
    fetching: Fetching
    # -1 until the two logs were found to fit.
    leader_high_watermark: int = -1
    update_at_ms: int = 0
    update: Message | None = None


@dataclass(slots=True)
class Unattached:
    # None: an observer, which never stands for election.
    election_deadline_ms: int | None
    fetching: Fetching
    role: Role = Role.UNATTACHED


@dataclass(slots=True)
class Prospective:
    ballot: Ballot
    deadline_ms: int
    role: Role = Role.PROSPECTIVE


@dataclass(slots=True)
class Candidate:
    ballot: Ballot
    deadline_ms: int
    role: Role = Role.CANDIDATE


@dataclass(slots=True)
class Follower:
    leader: Destination
    fetching: Fetching
    fetch_deadline_ms: int
    # When set, by the leader's farewell or by its port that refuses, the election starts then.
    election_at_ms: int | None = None
    # Fetched from this leader, and no reason to think it gone: others that ask before an election get a no (KIP-996).
    has_contact: bool = False
    # The leader's high watermark, to be taken over once what came with it is in the log.
    leader_high_watermark: int = -1
    update_at_ms: int = 0
    update: Message | None = None
    role: Role = Role.FOLLOWER


@dataclass(slots=True)
class Resigned:
    deadline_ms: int
    # Who still has to acknowledge it, by id.
    unacknowledged: dict[int, Asked] = field(default_factory=dict)
    successors: list[ReplicaKey] = field(default_factory=list)
    role: Role = Role.RESIGNED
