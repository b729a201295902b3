"""Whom the controller asks after an outage, and how long it waits for the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.environment import SystemNetwork
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.quorum.leader_recovery import LeaderRecovery
from riacho.client.peer.peer import Peer
from riacho.metadata.partitions import leader_election
from riacho.metadata.partitions.recovery_election import pending_elections
from riacho.wire.messages.list_offsets_request import ListOffsetsRequest
from riacho.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from support.broker_fakes import SetClock, recorded_logs
from support.metadata_world import MetadataWorld, topic
from support.registered_brokers import broker_endpoints, peer_connector

SESSION_MS = 9_000


class ActiveController:
    """Decides on a world of metadata."""

    is_active = True

    def __init__(self, world: MetadataWorld) -> None:
        self.world = world
        self.image = world.image

    async def decided(self, decide: Any) -> None:
        self.world.submit(decide(self.world.controller))
        self.image = self.world.image


class OfficePeers(NodePeers):
    """Every broker is asked without a connection."""

    def __init__(self, office: Office) -> None:
        super().__init__(broker_endpoints().inter_broker, peer_connector(), "test")
        self._office = office

    def get(self, node_id: int) -> Peer:
        return OfficePeer(self._office, node_id)


class OfficePeer(Peer):
    def __init__(self, office: Office, node_id: int) -> None:
        super().__init__(SystemNetwork(), "h", 1, client_id="test")
        self._office = office
        self._node_id = node_id

    async def send(self, request: Any, *, version: int | None = None, timeout_ms: int | None = None) -> Any:
        return self._office.ask(self._node_id, request)


class Office:
    """An active controller on a world of metadata, and brokers that tell their log ends, or do not."""

    def __init__(self, *, min_isr: int = 1) -> None:
        self.world = MetadataWorld(3)
        self.world.create(topic("a", configs={"min.insync.replicas": str(min_isr)}, assignments={0: [1, 2, 3]}))
        self.world.in_contact = set()
        self.ends: dict[int, tuple[int, int] | ErrorCode] = {}
        self.asked: list[int] = []
        self.pause_ms = 0
        self.clock = SetClock()
        logs, _, self.lines = recorded_logs()
        self.controller: Any = ActiveController(self.world)
        self.recovery = LeaderRecovery(self.controller, OfficePeers(self), self.clock, logs, SESSION_MS)

    def ask(self, node_id: int, request: ListOffsetsRequest) -> ListOffsetsResponse:
        self.asked.append(node_id)
        told = self.ends.get(node_id, ErrorCode.NETWORK_EXCEPTION)
        if isinstance(told, ErrorCode):
            raise KafkaError(told)
        partition = ListOffsetsPartitionResponse(leader_epoch=told[0], offset=told[1])
        return ListOffsetsResponse(
            topics=[ListOffsetsTopicResponse(name=each.name, partitions=[partition]) for each in request.topics]
        )

    def comes_back(self, node_id: int, *, is_whole: bool) -> None:
        self.world.start_broker(node_id, after_clean_stop=is_whole)

    def look(self) -> int:
        """One round; the leader."""
        self.controller.image = self.world.image
        waiting = pending_elections(self.world.controller.rules)
        if waiting:
            self.pause_ms = asyncio.run(self.recovery._round(waiting))
            self.controller.image = self.world.image
        return self.world.partition().leader


@pytest.fixture
def office() -> Office:
    return Office()


def fence_all(office: Office) -> None:
    office.world.fence(1, 2, 3)


def test_the_fullest_of_the_whole_leads_as_soon_as_all_are_there(office: Office) -> None:
    fence_all(office)
    office.ends = {1: (0, 60), 2: (0, 100), 3: (0, 90)}
    for node_id in (1, 3, 2):
        assert office.look() == -1
        assert office.asked == []
        office.comes_back(node_id, is_whole=True)
    assert office.look() == 2
    assert office.world.partition().isr == (2,), "who has less joins when it has caught up"
    assert any("leader after an outage partition=a-0 leader=2" in line for line in office.lines)


def test_one_that_does_not_come_back_is_waited_for_as_long_as_a_session(office: Office) -> None:
    fence_all(office)
    office.ends = {1: (0, 60), 3: (0, 90)}
    office.comes_back(1, is_whole=True)
    assert office.look() == -1
    office.comes_back(3, is_whole=True)
    office.clock.at_ms += SESSION_MS - 1
    assert office.look() == -1
    office.clock.at_ms += 1
    assert office.look() == 3


def test_one_that_is_there_and_does_not_answer_is_waited_for_too(office: Office) -> None:
    fence_all(office)
    office.ends = {1: (0, 60), 3: (0, 90)}
    for node_id in (1, 2, 3):
        office.comes_back(node_id, is_whole=True)
    assert office.look() == -1
    office.clock.at_ms += SESSION_MS
    assert office.look() == 3


def test_all_who_crashed_are_waited_for_without_an_end(office: Office) -> None:
    fence_all(office)
    office.ends = {1: (0, 60), 2: (0, 100), 3: ErrorCode.UNSUPPORTED_VERSION}
    for node_id in (1, 2):
        office.comes_back(node_id, is_whole=False)
    office.clock.at_ms += 10 * SESSION_MS
    assert office.look() == -1
    office.comes_back(3, is_whole=False)
    for _ in range(3):
        office.clock.at_ms += 10 * SESSION_MS
        assert office.look() == -1
    office.ends[3] = (0, 50)
    assert office.look() == 2


def test_brokers_that_tell_the_current_epoch_are_compared_by_their_ends(office: Office) -> None:
    """Apache Kafka's do: a damaged log there must not beat a whole one here."""
    fence_all(office)
    for node_id in (1, 2, 3):
        office.comes_back(node_id, is_whole=False)
    current = office.world.partition().leader_epoch
    office.ends = {1: (current, 60), 2: (0, 100), 3: (current, 90)}
    assert office.look() == 2


def test_an_answer_counts_for_the_run_that_gave_it(office: Office) -> None:
    fence_all(office)
    office.ends = {1: (0, 60), 2: (0, 100), 3: (0, 90)}
    for node_id in (1, 2, 3):
        office.comes_back(node_id, is_whole=False)

    async def restarted_meanwhile(decide: Any) -> None:
        office.world.start_broker(2, after_clean_stop=False)
        office.world.submit(decide(office.world.controller))

    office.controller.decided = restarted_meanwhile
    assert office.look() == -1
    del office.controller.decided
    assert office.look() == 2


def test_partitions_that_wait_are_in_nobodys_way(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader_election, "ELECTIONS_MAX_PER_ROUND", 1)
    office.world.create(topic("b", configs={"min.insync.replicas": "1"}, assignments={0: [1, 3]}))
    fence_all(office)
    office.ends = {1: (0, 60), 3: (0, 90)}
    office.comes_back(1, is_whole=True)
    assert office.look() == -1
    assert office.pause_ms == SESSION_MS, "nothing is to be done until then, if nobody comes"
    office.clock.at_ms += 1_000
    office.comes_back(3, is_whole=True)
    assert office.look() == -1, "the third has it as well"
    assert office.world.partition("b").leader == 3
    office.look()
    assert office.pause_ms == SESSION_MS - 1_000


@pytest.mark.parametrize("again", [(1, 3), (3,), (2,)])
def test_who_starts_again_while_it_is_asked_is_asked_again(office: Office, again: tuple[int, ...]) -> None:
    """What is left of the answers may be that of the one that lost something."""
    fence_all(office)
    office.ends = {1: (0, 100), 2: (0, 60), 3: (0, 100)}
    for node_id in (1, 2, 3):
        office.comes_back(node_id, is_whole=True)

    async def restarted_meanwhile(decide: Any) -> None:
        for node_id in again:
            office.world.start_broker(node_id, after_clean_stop=True)
        office.world.submit(decide(office.world.controller))

    office.controller.decided = restarted_meanwhile
    assert office.look() == -1
    del office.controller.decided
    assert office.look() in (1, 3)
    assert set(office.world.partition().isr) == {1, 3}


def test_who_comes_while_the_others_are_asked_is_asked_too(office: Office) -> None:
    fence_all(office)
    office.ends = {1: (0, 60), 2: (0, 60), 3: (0, 100)}
    for node_id in (1, 2):
        office.comes_back(node_id, is_whole=True)
    assert office.look() == -1
    office.clock.at_ms += SESSION_MS

    async def third_comes_meanwhile(decide: Any) -> None:
        office.comes_back(3, is_whole=True)
        office.world.submit(decide(office.world.controller))

    office.controller.decided = third_comes_meanwhile
    assert office.look() == -1
    del office.controller.decided
    assert office.look() == 3
