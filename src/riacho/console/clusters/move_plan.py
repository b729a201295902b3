"""Where replicas should go when they move: as few of them as it takes, spread over the chosen brokers and their racks.

A replica on a chosen broker stays. Another's place is taken by the broker with the fewest replicas, of a rack that the
partition is not in yet where there is one; it takes the same place in the list, so the preferred leader moves only if
it has to. To spread means more than that: the chosen partitions' replicas, and then their preferred leaders, are made
even over all chosen brokers, as is wanted for a broker that is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from riacho.client.offsets import TopicPartition
from riacho.console.clusters.picture import BrokerFacts


class MovingPartition(NamedTuple):
    """`size_bytes`: of its leader's replica, where that is known."""

    topic: str
    partition: int
    replicas: tuple[int, ...]
    size_bytes: int | None


class TooFewBrokersError(ValueError):
    pass


def plan_moves(
    moving: Sequence[MovingPartition],
    brokers: Mapping[int, BrokerFacts],
    targets: Iterable[int],
    *,
    replication: int | None = None,
    is_spread: bool = False,
) -> dict[TopicPartition, list[int]]:
    """The replicas of each partition afterwards, those that stay as they are too. TooFewBrokersError."""
    plan = _Plan(moving, brokers, sorted(set(targets)))
    # The large ones first: small ones fill up what is uneven then.
    for each in sorted(moving, key=lambda p: -(p.size_bytes or 0)):
        plan.place(each, len(each.replicas) if replication is None else replication)
    if is_spread:
        plan.spread()
    return {(each.topic, each.partition): plan.new[each.topic, each.partition] for each in moving}


class _Plan:
    def __init__(
        self, moving: Sequence[MovingPartition], brokers: Mapping[int, BrokerFacts], targets: Sequence[int]
    ) -> None:
        self._targets = targets
        self._racks = {each: brokers[each].rack for each in targets}
        # What a broker will have to carry: all its replicas, and those that come.
        self._loads = {each: brokers[each].replicas for each in targets}
        self.new: dict[TopicPartition, list[int]] = {}

    def place(self, each: MovingPartition, factor: int) -> None:
        if factor > len(self._targets):
            raise TooFewBrokersError(
                f"{each.topic}-{each.partition} needs {factor} brokers for its replicas, and {len(self._targets)} "
                f"{'is' if len(self._targets) == 1 else 'are'} chosen: choose more, or fewer replicas of each."
            )
        staying = [node for node in each.replicas if node in self._loads][:factor]
        for node in each.replicas:
            if node in self._loads and node not in staying:
                self._loads[node] -= 1
        replicas = [node if node in staying else -1 for node in each.replicas[:factor]]
        # A stayer from behind the new end takes a free place.
        for node in staying:
            if node not in replicas:
                replicas[replicas.index(-1)] = node
        replicas += [-1] * (factor - len(replicas))
        for at, node in enumerate(replicas):
            if node == -1:
                replicas[at] = self._lightest(replicas)
                self._loads[replicas[at]] += 1
        self.new[each.topic, each.partition] = replicas

    def _lightest(self, taken: Sequence[int]) -> int:
        racks = {self._racks.get(node) for node in taken} - {None}
        free = [node for node in self._targets if node not in taken]
        return min(free, key=lambda node: (self._racks[node] in racks, self._loads[node], node))

    def spread(self) -> None:
        counts = dict.fromkeys(self._targets, 0)
        for replicas in self.new.values():
            for node in replicas:
                counts[node] += 1
        # Each pass evens out what the last one made possible; few are needed.
        while any([self._evened(replicas, counts) for replicas in self.new.values()]):
            pass
        self._even_leaders()

    def _evened(self, replicas: list[int], counts: dict[int, int]) -> bool:
        """Whether one of them went from a broker with many to one with few."""
        fullest = max(replicas, key=lambda node: (counts[node], node))
        free = [node for node in self._targets if node not in replicas and self._keeps_racks(replicas, fullest, node)]
        emptiest = min(free, key=lambda node: (counts[node], node), default=None)
        if emptiest is None or counts[fullest] - counts[emptiest] < 2:
            return False
        replicas[replicas.index(fullest)] = emptiest
        counts[fullest] -= 1
        counts[emptiest] += 1
        return True

    def _keeps_racks(self, replicas: Sequence[int], leaving: int, coming: int) -> bool:
        rack = self._racks[coming]
        return rack is None or rack not in {self._racks[node] for node in replicas if node != leaving}

    def _even_leaders(self) -> None:
        leading = dict.fromkeys(self._targets, 0)
        for replicas in self.new.values():
            first = min(replicas, key=lambda node: (leading[node], replicas.index(node)))
            _put_first(replicas, first)
            leading[first] += 1
        # What is left is little, and may take a chain: 1 leads one less for 2, which leads one less for 3.
        while max(leading.values()) - min(leading.values()) > 1:
            chain = self._chain(max(leading, key=leading.__getitem__), min(leading, key=leading.__getitem__))
            if chain is None:
                return
            for partition, node in chain:
                leading[self.new[partition][0]] -= 1
                leading[node] += 1
                _put_first(self.new[partition], node)

    def _chain(self, fullest: int, emptiest: int) -> list[tuple[TopicPartition, int]] | None:
        """Who has to lead what instead, so that one less is led by the fullest and one more by the emptiest."""
        ways: dict[int, list[tuple[TopicPartition, int]]] = {fullest: []}
        waiting = [fullest]
        for leader in waiting:
            for partition, replicas in self.new.items():
                if replicas[0] != leader:
                    continue
                for node in replicas[1:]:
                    if node not in ways:
                        ways[node] = [*ways[leader], (partition, node)]
                        waiting.append(node)
            if emptiest in ways:
                return ways[emptiest]
        return None


def _put_first(replicas: list[int], node: int) -> None:
    replicas.remove(node)
    replicas.insert(0, node)
