from __future__ import annotations

import pytest

from riacho.broker.fetch.replica_selector import ReplicaView, same_rack, selector_for

LEADER = ReplicaView(1, "a", 10, 0, True)


def test_the_leader_of_the_rack_comes_first_then_the_furthest_replica_there() -> None:
    replicas = [
        LEADER,
        ReplicaView(2, "b", 8, 5, False),
        ReplicaView(3, "b", 9, 1, False),
        ReplicaView(4, "a", 9, 0, False),
    ]
    assert same_rack("a", replicas) == LEADER
    chosen = same_rack("b", replicas)
    assert chosen is not None
    assert chosen.node_id == 3
    assert same_rack("c", replicas) is None
    assert same_rack("", [ReplicaView(5, "", 9, 0, False)]) is None


def test_among_equals_the_one_caught_up_last() -> None:
    chosen = same_rack("b", [ReplicaView(2, "b", 9, 5, False), ReplicaView(3, "b", 9, 7, False)])
    assert chosen is not None
    assert chosen.node_id == 3


@pytest.mark.parametrize("name", [None, "", "LeaderSelector", "org.apache.kafka.common.replica.LeaderSelector"])
def test_without_a_selector_consumers_stay_with_the_leader(name: str | None) -> None:
    assert selector_for(name) is None


def test_names() -> None:
    assert selector_for("RackAwareReplicaSelector") is same_rack
    assert selector_for("org.apache.kafka.common.replica.RackAwareReplicaSelector") is same_rack
