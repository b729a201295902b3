"""Replicas that somebody has written down, partition by partition: what cannot be is said before anything is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from riacho.console.clusters.move_plan import MovingPartition
from riacho.console.clusters.picture import Picture
from riacho.web.errors import ApiError

_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class Move(msgspec.Struct, forbid_unknown_fields=True):
    topic: str
    partition: _Index
    # The first leads where it can.
    replicas: Annotated[list[_Index], msgspec.Meta(min_length=1, max_length=100)]


def check_written(moves: Sequence[Move]) -> None:
    """ApiError 422 for what no cluster could do."""
    seen: set[tuple[str, int]] = set()
    for each in moves:
        name = f"{each.topic}-{each.partition}"
        if (each.topic, each.partition) in seen:
            raise ApiError(422, 42206, f"{name} is there twice.")
        seen.add((each.topic, each.partition))
        if len(set(each.replicas)) < len(each.replicas):
            raise ApiError(422, 42206, f"{name} names a broker twice: {', '.join(map(str, each.replicas))}.")


def written_moves(picture: Picture, moves: Sequence[Move]) -> list[MovingPartition]:
    """As they are now. ApiError 404 for topics, 422 for partitions and brokers that are not there, or are away."""
    check_written(moves)
    known = picture.partitions_of(each.topic for each in moves)
    found = []
    for each in moves:
        if each.topic not in picture.topics:
            raise ApiError(404, 40403, f"There is no topic {each.topic}.")
        partition = known.get((each.topic, each.partition))
        if partition is None:
            raise ApiError(422, 42206, f"{each.topic} has no partition {each.partition}.")
        for node in each.replicas:
            broker = picture.brokers.get(node)
            if broker is None:
                raise ApiError(422, 42206, f"{each.topic}-{each.partition}: there is no broker {node}.")
            if broker.is_fenced and node not in partition.replicas:
                raise ApiError(422, 42206, f"Broker {node} is away, and nothing can be moved to it.")
        found.append(MovingPartition(each.topic, each.partition, partition.replicas, partition.size_bytes))
    return found
