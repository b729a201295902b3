"""A node is ready when the next one may be stopped, as far as it goes."""

from __future__ import annotations

import msgspec.structs
import pytest

from riacho.broker.metrics.exposed_parts import ExposedQuorum
from riacho.broker.metrics.readiness import trouble_of
from riacho.metadata.image.topics import Partition, Topic
from support import metrics_node

READY = 2


def quorum(*partitions: Partition) -> ExposedQuorum:
    """Brokers 1 and 2 in service, 3 fenced."""
    found = metrics_node.quorum(metrics_node.BROKER)
    topics = {"t": Topic("t", b"\1" * 16, partitions)}
    found.metadata.image = msgspec.structs.replace(found.metadata.image, topics=topics)
    return found


def test_ready_when_in_service_and_every_copy_is_in_sync() -> None:
    assert trouble_of(quorum(), READY) is None
    assert (
        trouble_of(quorum(Partition((1, READY), (1, READY), 1, 0, 0), Partition((1, 3), (1,), 1, 0, 0)), READY) is None
    )


def test_a_copy_that_is_behind_is_told() -> None:
    behind = Partition((1, READY), (1,), 1, 0, 0)
    assert trouble_of(quorum(behind, behind), READY) == "2 replicas of this broker are not in sync"
    assert trouble_of(quorum(behind), 1) is None


def test_a_copy_that_a_reassignment_brings_is_not_waited_for() -> None:
    assert trouble_of(quorum(Partition((1, READY), (1,), 1, 0, 0, adding_replicas=(READY,))), READY) is None


@pytest.mark.parametrize("broker_id", [3, 4])
def test_a_broker_that_is_fenced_or_not_on_record_is_not_ready(broker_id: int) -> None:
    assert trouble_of(quorum(), broker_id) == "the controller has not let this broker in"


def test_a_node_without_a_quorum_is_not_ready_whatever_its_roles() -> None:
    found = metrics_node.quorum(metrics_node.BROKER, leader_id=-1)
    for broker_id in (READY, None):
        assert trouble_of(found, broker_id) == "the metadata quorum has no leader that this node knows of"


def test_a_controller_alone_is_ready_with_its_quorum() -> None:
    assert trouble_of(metrics_node.quorum(metrics_node.CONTROLLER), None) is None
