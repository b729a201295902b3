"""Which replica a consumer should read from (KIP-392), by `replica.selector.class`. Pure: views in, a choice out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

_PACKAGE = "org.apache.kafka.common.replica."


class ReplicaView(NamedTuple):
    """A replica that holds the offset asked for."""

    node_id: int
    rack: str | None
    log_end_offset: int
    caught_up_ms: int
    is_leader: bool


# Takes the consumer's rack; None leaves the consumer with the leader.
Selector = Callable[[str, Sequence[ReplicaView]], ReplicaView | None]


def same_rack(rack: str, replicas: Sequence[ReplicaView]) -> ReplicaView | None:
    """The leader when it is in the consumer's rack, else the replica there that is furthest."""
    near = [each for each in replicas if rack and each.rack == rack]
    for each in near:
        if each.is_leader:
            return each
    return max(near, key=lambda each: (each.log_end_offset, each.caught_up_ms, -each.node_id), default=None)


def selector_for(class_name: str | None) -> Selector | None:
    """None when consumers always read from the leader."""
    name = (class_name or "").removeprefix(_PACKAGE)
    if name == "RackAwareReplicaSelector":
        return same_rack
    # Another class does not get past the settings' table.
    assert name in ("", "LeaderSelector"), class_name
    return None
