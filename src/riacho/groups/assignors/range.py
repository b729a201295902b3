"""The range assignor: each topic is cut into as many runs of partitions as it has subscribers, in order of members.

Partitions with the same number of topics that the same members subscribe to land on the same member, which is what
joins of topics need. Static members come first, by instance id, so that a restart does not move them.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.groups.assignors.assignor import Assignment, GroupSpec


class RangeAssignor:
    name = "range"

    def assign(self, group: GroupSpec) -> Assignment:
        members = sorted(group.members, key=lambda member_id: _rank(group, member_id))
        assignment: Assignment = {member_id: {} for member_id in members}
        for topic_id, partition_count in group.partition_counts.items():
            subscribers = [member for member in members if topic_id in group.members[member].subscribed_topic_ids]
            for member_id, partitions in _cut(partition_count, subscribers):
                assignment[member_id][topic_id] = set(partitions)
        return assignment


def _rank(group: GroupSpec, member_id: str) -> tuple[bool, str]:
    instance_id = group.members[member_id].instance_id
    return (True, member_id) if instance_id is None else (False, instance_id)


def _cut(partition_count: int, subscribers: list[str]) -> Iterable[tuple[str, range]]:
    """The first ones get one more when it does not come out even; nobody is named who gets nothing."""
    if not subscribers:
        return
    quota, extra = divmod(partition_count, len(subscribers))
    start = 0
    for position, member_id in enumerate(subscribers):
        end = start + quota + (position < extra)
        if start < end:
            yield member_id, range(start, end)
        start = end
