"""Which brokers hold a new partition.

Striped over racks, then over the brokers of a rack: replica r of partition p goes to rack (start + p + r), each rack
handing out its brokers in turn, so leaders and followers spread evenly and replicas of a partition sit in different
racks while there are enough. Fenced brokers come last in their rack, and never first in a partition. Brokers that are
shutting down or whose log directories are all cordoned take no new replicas.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.brokers import Broker


def place(brokers: Sequence[Broker], partition_count: int, replication_factor: int, start: int) -> list[list[int]]:
    """Replicas of each new partition, the preferred leader first."""
    usable = [broker for broker in brokers if _is_usable(broker)]
    problem = None
    if all(broker.is_fenced for broker in usable):
        problem = "All brokers are currently fenced, or have all their log directories cordoned."
    elif replication_factor > len(usable):
        problem = (
            f"The target replication factor of {replication_factor} cannot be reached because only {len(usable)} "
            "broker(s) are registered or some brokers have all their log directories cordoned."
        )
    if problem is not None:
        problem = f"Unable to replicate the partition {replication_factor} time(s): {problem}"
        raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, problem)
    racks = [_Rack(members) for _, members in sorted(_by_rack(usable).items())]
    return [_place_one(racks, replication_factor, start + index) for index in range(partition_count)]


def _is_usable(broker: Broker) -> bool:
    """Not on its way out, and with a log directory that takes new replicas (KIP-1066)."""
    if broker.in_controlled_shutdown and not broker.is_fenced:
        return False
    return not broker.log_dirs or not set(broker.log_dirs) <= set(broker.cordoned_log_dirs)


class _Rack:
    def __init__(self, members: Sequence[Broker]) -> None:
        self.active = sorted(broker.id for broker in members if not broker.is_fenced)
        self.fenced = sorted(broker.id for broker in members if broker.is_fenced)

    def ordered(self, turn: int) -> list[int]:
        return _rotated(self.active, turn) + _rotated(self.fenced, turn)


def _by_rack(brokers: Sequence[Broker]) -> dict[str, list[Broker]]:
    racks: dict[str, list[Broker]] = {}
    for broker in brokers:
        racks.setdefault(broker.rack or "", []).append(broker)
    return racks


def _rotated(ids: list[int], turn: int) -> list[int]:
    shift = turn % len(ids) if ids else 0
    return ids[shift:] + ids[:shift]


def _place_one(racks: list[_Rack], replication_factor: int, turn: int) -> list[int]:
    first = turn % len(racks)
    # A rack's brokers take their turns once all racks had theirs, so that leaders walk over every broker.
    columns = [rack.ordered(turn // len(racks)) for rack in racks[first:] + racks[:first]]
    depth = max(len(column) for column in columns)
    taken = [column[row] for row in range(depth) for column in columns if row < len(column)]
    active = {broker_id for rack in racks for broker_id in rack.active}
    leader = next(broker_id for broker_id in taken if broker_id in active)
    taken.remove(leader)
    return [leader, *taken[: replication_factor - 1]]


def check_manual(replicas: Sequence[int], expected: int | None, brokers: dict[int, Broker]) -> None:
    """A manual assignment names registered brokers, each once, as many as the partitions before it."""
    problem = _manual_problem(replicas, expected, brokers)
    if problem is not None:
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem)


def _manual_problem(replicas: Sequence[int], expected: int | None, brokers: dict[int, Broker]) -> str | None:
    if not replicas:
        return "The manual partition assignment includes an empty replica list."
    for position, replica in enumerate(sorted(replicas)):
        if position and sorted(replicas)[position - 1] == replica:
            return f"The manual partition assignment includes the broker {replica} more than once."
        if replica not in brokers:
            return f"The manual partition assignment includes broker {replica}, but no such broker is registered."
    if expected is not None and len(replicas) != expected:
        return (
            f"The manual partition assignment includes a partition with {len(replicas)} replica(s), but this is not "
            f"consistent with previous partitions, which have {expected} replica(s)."
        )
    return None
