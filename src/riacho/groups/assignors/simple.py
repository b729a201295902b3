"""The `simple` assignor of share groups (KIP-932): partitions are shared out, not owned.

When there are more members than partitions, several members read one partition; when there are fewer, each reads
several. First balance, then stickiness: every partition gets the same number of readers, give or take the last, no
member reads more than its part, and within that whoever reads a partition goes on reading it.

Members who all subscribe to the same topics share all their partitions out at once. Otherwise it is done topic by topic
among those who subscribe to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from riacho.groups.assignors.assignor import Assignment, GroupSpec

NAME = "simple"


class _Partition(NamedTuple):
    topic_id: bytes
    number: int


_Held = dict[str, set[_Partition]]


class SimpleAssignor:
    name = NAME

    def assign(self, group: GroupSpec, assignable: Mapping[bytes, Collection[int]]) -> Assignment:
        """`assignable` are the partitions whose share state has been set up; others nobody may read yet."""
        held: _Held = {member_id: set() for member_id in sorted(group.members)}
        if group.is_homogeneous:
            topic_ids = next((spec.subscribed_topic_ids for spec in group.members.values()), frozenset())
            _share_out(group, sorted(topic_ids), list(held), assignable, held)
        else:
            for topic_id in sorted({t for spec in group.members.values() for t in spec.subscribed_topic_ids}):
                readers = [m for m in held if topic_id in group.members[m].subscribed_topic_ids]
                _share_out(group, [topic_id], readers, assignable, held)
        return {member_id: _by_topic(partitions) for member_id, partitions in held.items()}


def _share_out(
    group: GroupSpec,
    topic_ids: Sequence[bytes],
    member_ids: Sequence[str],
    assignable: Mapping[bytes, Collection[int]],
    held: _Held,
) -> None:
    partitions = [
        _Partition(topic_id, number) for topic_id in topic_ids for number in sorted(assignable.get(topic_id, ()))
    ]
    if not partitions or not member_ids:
        return
    kept = {member_id: _still_held(group, member_id, partitions) for member_id in member_ids}
    sharing = -(-len(member_ids) // len(partitions))
    quotas = _quotas(kept, sharing * len(partitions))
    readers = _readers(partitions, kept)
    _release_above_quota(kept, quotas, readers)
    _release_above_sharing(kept, sharing, readers)
    _fill(kept, quotas, sharing, readers)
    for member_id, mine in kept.items():
        held[member_id] |= mine


def _still_held(group: GroupSpec, member_id: str, partitions: Sequence[_Partition]) -> set[_Partition]:
    assigned = group.members[member_id].assigned
    return {partition for partition in partitions if partition.number in assigned.get(partition.topic_id, ())}


def _quotas(kept: _Held, total: int) -> dict[str, int]:
    """How many each may have. Where it does not come out even, those who have more now may have one more."""
    least, extra = divmod(total, len(kept))
    ranked = sorted(kept, key=lambda member_id: (-len(kept[member_id]), member_id))
    return {member_id: least + (rank < extra) for rank, member_id in enumerate(ranked)}


def _readers(partitions: Sequence[_Partition], kept: _Held) -> dict[_Partition, set[str]]:
    readers: dict[_Partition, set[str]] = {partition: set() for partition in partitions}
    for member_id, mine in kept.items():
        for partition in mine:
            readers[partition].add(member_id)
    return readers


def _release_above_quota(kept: _Held, quotas: Mapping[str, int], readers: dict[_Partition, set[str]]) -> None:
    for member_id, mine in kept.items():
        surplus = len(mine) - quotas[member_id]
        if surplus > 0:
            # What others read too is missed least.
            for partition in sorted(mine, key=lambda partition: (-len(readers[partition]), partition))[:surplus]:
                mine.remove(partition)
                readers[partition].remove(member_id)


def _release_above_sharing(kept: _Held, sharing: int, readers: dict[_Partition, set[str]]) -> None:
    for partition, members in readers.items():
        surplus = len(members) - sharing
        if surplus > 0:
            for member_id in sorted(members, key=lambda member_id: (-len(kept[member_id]), member_id))[:surplus]:
                kept[member_id].remove(partition)
                members.remove(member_id)


def _fill(kept: _Held, quotas: Mapping[str, int], sharing: int, readers: dict[_Partition, set[str]]) -> None:
    """Needs and room are equal in sum, so a partition that lacks readers always finds a member with room; if that one
    reads it already, it changes with another."""
    room = deque(member_id for member_id, mine in kept.items() if len(mine) < quotas[member_id])
    for partition, members in readers.items():
        for _ in range(len(room)):
            if len(members) >= sharing:
                break
            member_id = room.popleft()
            if member_id not in members:
                kept[member_id].add(partition)
                members.add(member_id)
            if len(kept[member_id]) < quotas[member_id]:
                room.append(member_id)
    for partition, members in readers.items():
        while len(members) < sharing and room:
            member_id = room.popleft()
            changed = _change_with_another(member_id, partition, kept, readers)
            if changed and len(kept[member_id]) < quotas[member_id]:
                room.append(member_id)


def _change_with_another(
    member_id: str, partition: _Partition, kept: _Held, readers: dict[_Partition, set[str]]
) -> bool:
    """`member_id` has room and reads the partition that lacks a reader. What it does not read has all its readers, else
    it would have been given it, so one of them does not read the partition: that one comes here, and it goes there."""
    for other, theirs in readers.items():
        if other in kept[member_id]:
            continue
        # The same one whenever this is computed anew.
        reader = min(theirs - readers[partition], default=None)
        if reader is not None:
            theirs.remove(reader)
            theirs.add(member_id)
            kept[member_id].add(other)
            kept[reader].remove(other)
            kept[reader].add(partition)
            readers[partition].add(reader)
            return True
    return False


def _by_topic(partitions: set[_Partition]) -> dict[bytes, set[int]]:
    topics: dict[bytes, set[int]] = {}
    for topic_id, number in sorted(partitions):
        topics.setdefault(topic_id, set()).add(number)
    return topics
