"""The uniform assignor: all members get as many partitions as any other, give or take one, and keep what they have.

When all subscribe to the same topics a quota settles it: whoever has more than its quota gives the rest back, and what
is free goes to whoever has less. When subscriptions differ, `uneven.py` balances topic by topic.
"""

from __future__ import annotations

from riacho.groups.assignors.assignor import Assignment, GroupSpec, MemberPartitions
from riacho.groups.assignors.uneven import assign_uneven


class UniformAssignor:
    name = "uniform"

    def assign(self, group: GroupSpec) -> Assignment:
        if not group.is_homogeneous:
            return assign_uneven(group)
        return _assign_even(group)


def _assign_even(group: GroupSpec) -> Assignment:
    assignment: Assignment = {member_id: {} for member_id in sorted(group.members)}
    if not assignment or not group.partition_counts:
        return assignment
    free = {(topic, index) for topic, count in group.partition_counts.items() for index in range(count)}
    quota, extra = divmod(len(free), len(assignment))
    wanting: list[tuple[str, int]] = []
    waiting = len(assignment)
    for member_id, partitions in assignment.items():
        # As many as are left over may have one more; those who have one already keep it.
        kept = _keep(group, member_id, partitions, quota + (extra > 0), free)
        takes_extra = extra > 0 and (kept > quota or waiting <= extra)
        extra -= takes_extra
        waiting -= 1
        wanting.append((member_id, quota + takes_extra - kept))
    rest = iter(sorted(free))
    for member_id, missing in wanting:
        for _ in range(missing):
            topic_id, index = next(rest)
            assignment[member_id].setdefault(topic_id, set()).add(index)
    return assignment


def _keep(
    group: GroupSpec, member_id: str, partitions: MemberPartitions, quota: int, free: set[tuple[bytes, int]]
) -> int:
    """Let the member keep what it has, up to its quota; how much that is."""
    kept = 0
    for topic_id, indexes in sorted(group.members[member_id].assigned.items()):
        for index in sorted(indexes):
            if kept < quota and (topic_id, index) in free:
                free.discard((topic_id, index))
                partitions.setdefault(topic_id, set()).add(index)
                kept += 1
    return kept
