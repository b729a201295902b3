"""DescribeCluster names no controller that it does not list: a client told of one looks for it until its time is up."""

from __future__ import annotations

from pathlib import Path

import msgspec

from riacho.broker.config import BrokerConfig
from riacho.broker.handlers import describe_cluster
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from riacho.raft.voters import VoterSet
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.register_controller_record import ControllerEndpoint, RegisterControllerRecord
from support.broker_fakes import FakeBroker
from support.idle_raft import idle_raft
from support.metadata_broker import Context, MetadataBroker
from support.metrics_node import CONTROLLER
from support.parts import quorum_parts
from support.request_contexts import request_context


class Controller:
    """One of two voters, asked on its listener for controllers."""

    def __init__(self) -> None:
        self.leader_id = 2
        self.image = MetadataImage(cluster_id="c")
        self.voters = VoterSet.parse("1@a.example:1,2@b.example:2")

    def told(self) -> tuple[int, list[tuple[int, str, int]]]:
        broker = FakeBroker(BrokerConfig(CONTROLLER))
        raft = idle_raft(1, self.leader_id, self.voters, broker.clock, broker.logs)
        quorum = quorum_parts(raft=raft, metadata=MetadataCache(broker.config, self.image))
        context = request_context(broker.parts, 1, quorum=quorum, listener_name="CONTROLLER")
        response = describe_cluster.handle(context, DescribeClusterRequest(endpoint_type=2))
        return response.controller_id, [(each.broker_id, each.host, each.port) for each in response.brokers]


def test_voters_are_listed_until_they_have_registered() -> None:
    controller = Controller()
    assert controller.told() == (2, [(1, "a.example", 1), (2, "b.example", 2)])
    points = [ControllerEndpoint(name=name, host=name.lower(), port=9) for name in ("OTHER", "CONTROLLER")]
    controller.image = controller.image.apply([RegisterControllerRecord(controller_id=2, end_points=points)])
    assert controller.told() == (2, [(1, "a.example", 1), (2, "controller", 9)])


def test_a_leader_whose_address_nobody_knows_is_not_named() -> None:
    controller = Controller()
    controller.voters = VoterSet()
    assert controller.told() == (-1, [])


def test_a_broker_that_waits_to_be_let_in_lists_whom_it_names(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    fenced = msgspec.structs.replace(broker.metadata.image.brokers[1], is_fenced=True)
    broker.metadata.image = msgspec.structs.replace(broker.metadata.image, brokers={1: fenced})
    response = describe_cluster.handle(Context(broker, 2), DescribeClusterRequest())
    assert (response.controller_id, [each.broker_id for each in response.brokers]) == (1, [1])
