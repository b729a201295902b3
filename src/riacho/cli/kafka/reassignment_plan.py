"""Which brokers `kafka-reassign-partitions --generate` proposes.

Leaders go round the brokers from a chance beginning; the other replicas of a partition follow at a distance that grows
by one with each round, so that the partitions of one broker have their followers on all the others. With racks, the
round visits the racks in turn, and a rack gets a second replica only when every rack has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riacho.cli.kafka.reassignment_json import BadPlan
from riacho.client.offsets import TopicPartition

Chance = Callable[[int], int]


def propose(
    current: Mapping[TopicPartition, Sequence[int]], racks: Mapping[int, str | None], chance: Chance
) -> dict[TopicPartition, list[int]]:
    """A plan for whole topics; each keeps the replication factor of its first partition. `chance(n)` is below n."""
    proposed = {}
    for topic in sorted({topic for topic, _ in current}):
        partitions = sorted(partition for name, partition in current if name == topic)
        factor = len(current[topic, partitions[0]])
        for partition, replicas in zip(partitions, place(racks, len(partitions), factor, chance), strict=True):
            proposed[topic, partition] = replicas
    return proposed


def place(racks: Mapping[int, str | None], partitions: int, factor: int, chance: Chance) -> list[list[int]]:
    if factor > len(racks):
        raise BadPlan(f"Replication factor: {factor} larger than available brokers: {len(racks)}.")
    by_rack: dict[str, list[int]] = {}
    for broker in sorted(racks):
        # Without racks each broker is one of its own.
        by_rack.setdefault(racks[broker] or f"{broker}", []).append(broker)
    ring = _alternate(by_rack)
    rack_of = {broker: rack for rack, brokers in by_rack.items() for broker in brokers}
    has_racks = any(racks.values())
    begin, shift = chance(len(ring)), chance(len(ring))
    placed = []
    for partition in range(partitions):
        if partition and partition % len(ring) == 0:
            shift += 1
        first = (begin + partition) % len(ring)
        stride = shift * len(by_rack) if has_racks else shift
        placed.append(_replicas(ring, first, stride, factor, rack_of))
    return placed


def _alternate(by_rack: Mapping[str, Sequence[int]]) -> list[int]:
    """One broker of each rack in turn."""
    depth = max(len(brokers) for brokers in by_rack.values())
    return [brokers[i] for i in range(depth) for _, brokers in sorted(by_rack.items()) if i < len(brokers)]


def _replicas(ring: Sequence[int], first: int, stride: int, factor: int, rack_of: Mapping[int, str]) -> list[int]:
    replicas = [ring[first]]
    racks = {rack_of[ring[first]]}
    rack_count, step = len(set(rack_of.values())), 0
    while len(replicas) < factor:
        candidate = ring[(first + 1 + (stride + step) % (len(ring) - 1)) % len(ring)]
        step += 1
        is_spread = rack_of[candidate] not in racks or len(racks) == rack_count
        if is_spread and candidate not in replicas:
            replicas.append(candidate)
            racks.add(rack_of[candidate])
    return replicas
