"""Uniform assignment when members subscribe to different topics.

Nobody can be given what it does not subscribe to, so equal shares are not always possible. The way there:

1. Everyone keeps what it has and still subscribes to.
2. What is free is given out, topic by topic, each partition to the subscriber that has least. Topics with the most
   partitions for each subscriber come first, for they leave the least choice later.
3. Partitions move, topic by topic, from the subscriber that has most to the one that has least, until within every
   topic they differ by one at most. Evening out one topic may upset another, so this is repeated, but not for ever.
"""

from __future__ import annotations

import heapq

from riacho.groups.assignors.assignor import Assignment, GroupSpec

_ROUNDS_MAX = 16


def assign_uneven(group: GroupSpec) -> Assignment:
    balance = _Balance(group)
    balance.give_out()
    balance.even_out()
    return balance.assignment


class _Balance:
    def __init__(self, group: GroupSpec) -> None:
        self._counts = group.partition_counts
        self.assignment: Assignment = {member_id: {} for member_id in sorted(group.members)}
        self._load = dict.fromkeys(self.assignment, 0)
        self._subscribers: dict[bytes, list[str]] = {}
        self._owners: dict[bytes, dict[int, str]] = {topic_id: {} for topic_id in self._counts}
        for member_id in self.assignment:
            spec = group.members[member_id]
            for topic_id in spec.subscribed_topic_ids:
                self._subscribers.setdefault(topic_id, []).append(member_id)
            for topic_id, indexes in spec.assigned.items():
                if topic_id in spec.subscribed_topic_ids:
                    for index in indexes:
                        self._keep(topic_id, index, member_id)
        self._topics = sorted((topic_id for topic_id in self._counts if topic_id in self._subscribers), key=self._rank)

    def give_out(self) -> None:
        for topic_id in self._topics:
            owners = self._owners[topic_id]
            least = [(self._load[member_id], member_id) for member_id in self._subscribers[topic_id]]
            heapq.heapify(least)
            for index in range(self._counts[topic_id]):
                if index not in owners:
                    load, member_id = least[0]
                    self._give(topic_id, index, member_id)
                    heapq.heapreplace(least, (load + 1, member_id))

    def even_out(self) -> None:
        shared = [topic_id for topic_id in self._topics if len(self._subscribers[topic_id]) > 1]
        for _ in range(_ROUNDS_MAX):
            # Every topic is tried in every round: a list, not any(), which would stop at the first that moved.
            if not any([self._even_out(topic_id) for topic_id in shared]):
                return

    def _even_out(self, topic_id: bytes) -> bool:
        """Move partitions of this topic while that makes its subscribers more equal; whether any moved."""
        held: dict[str, list[int]] = {}
        for index, member_id in sorted(self._owners[topic_id].items()):
            held.setdefault(member_id, []).append(index)
        subscribers = self._subscribers[topic_id]
        most = [(-self._load[member_id], member_id) for member_id in subscribers if member_id in held]
        least = [(self._load[member_id], member_id) for member_id in subscribers]
        heapq.heapify(most)
        heapq.heapify(least)
        has_moved = False
        while most:
            giver_load, giver = most[0]
            if -giver_load != self._load[giver] or not held[giver]:
                heapq.heappop(most)
                continue
            load, taker = least[0]
            if load != self._load[taker]:
                heapq.heappop(least)
                continue
            if -giver_load - load <= 1:
                break
            self._take(topic_id, held[giver].pop(), giver, taker)
            has_moved = True
            # Entries are never changed in place: a new one goes in, and the old one is seen to be stale.
            for member_id in (giver, taker):
                heapq.heappush(least, (self._load[member_id], member_id))
                if held.get(member_id):
                    heapq.heappush(most, (-self._load[member_id], member_id))
        return has_moved

    def _rank(self, topic_id: bytes) -> tuple[float, int, bytes]:
        subscribers = len(self._subscribers[topic_id])
        return -self._counts[topic_id] / subscribers, subscribers, topic_id

    def _keep(self, topic_id: bytes, index: int, member_id: str) -> None:
        if index < self._counts.get(topic_id, 0) and index not in self._owners[topic_id]:
            self._give(topic_id, index, member_id)

    def _give(self, topic_id: bytes, index: int, member_id: str) -> None:
        self.assignment[member_id].setdefault(topic_id, set()).add(index)
        self._owners[topic_id][index] = member_id
        self._load[member_id] += 1

    def _take(self, topic_id: bytes, index: int, giver: str, taker: str) -> None:
        partitions = self.assignment[giver][topic_id]
        partitions.discard(index)
        if not partitions:
            del self.assignment[giver][topic_id]
        self._load[giver] -= 1
        self._give(topic_id, index, taker)
