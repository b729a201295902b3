"""What an assignor is given and what it gives: the coordinator computes assignments itself (KIP-848).

An assignor is a pure function of who subscribes to what, what each is meant to have now, and how many partitions there
are. The same input always gives the same output, on whatever broker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

# Of one member: partitions by topic id. Of a group: that, by member id.
MemberPartitions = dict[bytes, set[int]]
Assignment = dict[str, MemberPartitions]


class MemberSpec(NamedTuple):
    """`assigned` is the member's part of the target assignment before this one; it must not be changed."""

    subscribed_topic_ids: frozenset[bytes]
    assigned: Mapping[bytes, frozenset[int] | set[int]]
    instance_id: str | None = None
    rack_id: str | None = None


class GroupSpec(NamedTuple):
    members: Mapping[str, MemberSpec]
    # Of every topic that somebody subscribes to.
    partition_counts: Mapping[bytes, int]

    @property
    def is_homogeneous(self) -> bool:
        """Whether all members subscribe to the same topics."""
        return len({spec.subscribed_topic_ids for spec in self.members.values()}) <= 1


class Assignor(Protocol):
    name: str

    def assign(self, group: GroupSpec) -> Assignment:
        """Every partition that somebody subscribes to goes to exactly one member (to one at least, in share groups)."""
        ...
