"""How far moves are: of partitions between brokers, and of replicas between the directories of a broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from riacho.cli.kafka.reassignment_json import partition_name
from riacho.client.log_dirs import Replica, ReplicaPlace
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import Move


def partition_lines(
    targets: Iterable[tuple[TopicPartition, Sequence[int]]],
    under_way: Mapping[TopicPartition, Move],
    current: Mapping[TopicPartition, Sequence[int]],
) -> list[str]:
    """`current` lacks partitions that do not exist."""
    return ["Status of partition reassignment:"] + [
        _partition(partition, list(target), partition in under_way, list(current.get(partition, ())))
        for partition, target in sorted(dict(targets).items())
    ]


def _partition(partition: TopicPartition, target: list[int], is_moving: bool, current: list[int]) -> str:
    name = partition_name(partition)
    if is_moving:
        return f"Reassignment of partition {name} is still in progress."
    if current == target:
        return f"Reassignment of partition {name} is completed."
    return (
        f"There is no active reassignment of partition {name}, but replica set is {_ids(current)} "
        f"rather than {_ids(target)}."
    )


def directory_lines(targets: Mapping[Replica, str], places: Mapping[Replica, ReplicaPlace]) -> list[str]:
    ordered = sorted(targets, key=lambda replica: (replica.broker, replica.topic, replica.partition))
    return [_directory(replica, targets[replica], places[replica]) for replica in ordered]


def is_moving(place: ReplicaPlace) -> bool:
    return place.current is not None and place.future is not None


def _directory(replica: Replica, target: str, place: ReplicaPlace) -> str:
    partition = partition_name((replica.topic, replica.partition))
    if place.current is None:
        return (
            f"Partition {partition} is not found in any live log dir on broker {replica.broker}. "
            "There is likely an offline log directory on the broker."
        )
    if place.future == target:
        return f"Reassignment of replica {replica} is still in progress."
    if place.future is not None:
        return (
            f"Partition {partition} on broker {replica.broker} is being moved to log dir {place.future} "
            f"instead of {target}."
        )
    if place.current == target:
        return f"Reassignment of replica {replica} completed successfully."
    return (
        f"Partition {partition} on broker {replica.broker} is not being moved from log dir {place.current} to {target}."
    )


def move_line(partition: TopicPartition, move: Move) -> str:
    line = f"{partition_name(partition)}: replicas: {_ids(move.replicas)}."
    if move.adding_replicas:
        line += f" adding: {_ids(move.adding_replicas)}."
    if move.removing_replicas:
        line += f" removing: {_ids(move.removing_replicas)}."
    return line


def _ids(brokers: Iterable[int]) -> str:
    return ",".join(map(str, brokers))
