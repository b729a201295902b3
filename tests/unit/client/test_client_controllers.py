"""Bootstrapped from controllers (KIP-919): they tell of each other, and the active one is asked."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client import cluster as module
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_resources
from riacho.client.quorum import describe_quorum
from riacho.client.settings import ClientSettings
from riacho.metadata.image.config_resource import ResourceType
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest
from riacho.wire.messages.describe_quorum_response import DescribeQuorumResponse, PartitionData, TopicData
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from riacho.wire.schema import Message

SETTINGS = ClientSettings((("first", 1),), is_to_controllers=True)


class FakeConnection:
    asked: list[tuple[str, Message]] = []
    leader_id = 2

    def __init__(self, host: str, port: int, settings: ClientSettings) -> None:
        self.host, self.port, self.address = host, port, f"{host}:{port}"

    def version_for(self, key: int) -> int:
        return 2

    def send(self, request: Message, version: int | None = None) -> Message:
        self.asked.append((self.host, request))
        if isinstance(request, DescribeClusterRequest):
            assert request.endpoint_type == 2
            nodes = [DescribeClusterBroker(broker_id=i, host=h, port=i) for i, h in ((1, "first"), (2, "second"))]
            return DescribeClusterResponse(brokers=nodes, controller_id=self.leader_id)
        if isinstance(request, DescribeQuorumRequest):
            code = 0 if self.host == "second" else ErrorCode.NOT_CONTROLLER
            partition = PartitionData(leader_id=2, leader_epoch=3, high_watermark=4, error_code=code)
            return DescribeQuorumResponse(topics=[TopicData(partitions=[partition])])
        return IncrementalAlterConfigsResponse()

    def close(self) -> None: ...


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setattr(module, "Connection", FakeConnection)
    monkeypatch.setattr(FakeConnection, "asked", [])
    return Cluster(SETTINGS, clock=lambda: 0.0, sleep=lambda seconds: None)


def test_the_active_controller_is_asked(cluster: Cluster) -> None:
    assert describe_quorum(cluster).leader_epoch == 3
    assert [host for host, _ in FakeConnection.asked] == ["first", "second"]


def test_an_old_leader_is_asked_no_more(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeConnection, "leader_id", 1)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        monkeypatch.setattr(FakeConnection, "leader_id", 2)

    moving = Cluster(SETTINGS, clock=lambda: 0.0, sleep=sleep)
    assert describe_quorum(moving).leader_id == 2
    assert len(waits) == 1


def test_configs_of_any_node_go_to_the_active_controller(cluster: Cluster) -> None:
    alter_resources(cluster, ResourceType.BROKER, {"7": {"k": "v"}, "8": {"k": None}})
    hosts = [host for host, request in FakeConnection.asked if not isinstance(request, DescribeClusterRequest)]
    assert hosts == ["second", "second"]


def test_there_are_no_topics_to_be_had(cluster: Cluster) -> None:
    assert cluster.live_brokers() == {1: ("first", 1), 2: ("second", 2)}
    with pytest.raises(KafkaError, match="--bootstrap-server"):
        cluster.metadata(["t"])
    with pytest.raises(KafkaError, match="no live controller 9"):
        cluster.broker(9)
