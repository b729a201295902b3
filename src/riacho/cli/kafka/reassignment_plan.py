"""Which brokers `kafka-reassign-partitions --generate` proposes: those the controller would give to a new topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riacho.base.ids import ZERO_UUID
from riacho.cli.kafka.reassignment_json import BadPlan
from riacho.client.offsets import TopicPartition
from riacho.metadata.image.brokers import Broker
from riacho.metadata.partitions.placement import place

Chance = Callable[[int], int]


def propose(
    current: Mapping[TopicPartition, Sequence[int]], racks: Mapping[int, str | None], chance: Chance
) -> dict[TopicPartition, list[int]]:
    """A plan for whole topics; each keeps the replication factor of its first partition. `chance(n)` is below n."""
    brokers = [_broker(broker, rack) for broker, rack in sorted(racks.items())]
    proposed: dict[TopicPartition, list[int]] = {}
    for topic in sorted({topic for topic, _ in current}):
        partitions = sorted(partition for name, partition in current if name == topic)
        factor = len(current[topic, partitions[0]])
        if factor > len(brokers):
            raise BadPlan(
                f"The target replication factor of {factor} cannot be reached because only {len(brokers)} broker(s) "
                "are registered or some brokers have all their log directories cordoned."
            )
        placed = place(brokers, len(partitions), factor, chance(len(brokers)))
        proposed |= {(topic, partition): replicas for partition, replicas in zip(partitions, placed, strict=True)}
    return proposed


def _broker(broker: int, rack: str | None) -> Broker:
    """Only what placing looks at: the tool knows no more of a broker."""
    return Broker(
        id=broker,
        epoch=0,
        incarnation_id=ZERO_UUID,
        endpoints=(),
        features={},
        rack=rack,
        is_fenced=False,
        in_controlled_shutdown=False,
        log_dirs=(),
    )
