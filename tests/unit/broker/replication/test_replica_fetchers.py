"""Which fetcher copies which partition, as leaders come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.quotas.replication_quota import ReplicationQuota
from riacho.broker.replication.fetcher_settings import FetcherWorld
from riacho.broker.replication.replica_fetchers import ReplicaFetchers
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Topic
from riacho.metadata.settings.broker_values import BrokerValues
from support.registered_brokers import registered
from support.replication_world import FOLLOWER, LEADER, TOPIC_ID, DirectPeer, Node, contents, state, until, write
from support.virtual_time import VirtualClock, run_virtual

OTHER = 3


class World:
    """One follower, and two brokers that may lead."""

    def __init__(self, path: Path, settings: dict[str, str] | None = None) -> None:
        self.clock = VirtualClock()
        self.leaders = {node: Node(path, node, self.clock) for node in (LEADER, OTHER)}
        self.own = Node(path, FOLLOWER, self.clock)
        self.connected: list[int] = []
        self.values = BrokerValues(settings or {})
        self.by_name = {"t": self.own.partitions}
        self.image = MetadataImage()
        world = FetcherWorld(
            FOLLOWER, self.clock, self.own.logs.error, lambda: 7, self.connect, ReplicationQuota(11, 1_000)
        )
        self.fetchers = ReplicaFetchers(world, self, self)  # type: ignore[arg-type]

    def all(self) -> list[HostedPartition]:
        return list(self.own.partitions.values())

    def connect(self, leader: int) -> DirectPeer:
        self.connected.append(leader)
        if leader not in self.leaders:
            raise KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, "nobody there")
        return DirectPeer(self.leaders[leader])

    def publish(self, *partitions: Any, brokers: dict[int, Broker] | None = None) -> None:
        """Give every partition its role on every node, as the replicas do, then tell the fetchers."""
        topics = {"t": Topic("t", TOPIC_ID, partitions)} if partitions else {}
        new = MetadataImage(topics=topics, brokers=self.image.brokers if brokers is None else brokers)
        old, self.image = self.image, new
        for index, role in enumerate(partitions):
            for node in (*self.leaders.values(), self.own):
                if index in node.partitions:
                    node.partitions[index].take_role(node.node_id, role)
                else:
                    node.host(index, role)
        if not partitions:
            self.own.partitions.clear()
        self.fetchers.image_changed(old, new)

    def run(self, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def whole() -> None:
            try:
                await main()
            finally:
                await self.fetchers.stop()

        run_virtual(whole(), self.clock)


def _role(leader: int, epoch: int) -> Any:
    made = state(leader, epoch)
    return type(made)(
        replicas=(LEADER, FOLLOWER, OTHER),
        isr=(LEADER, FOLLOWER, OTHER),
        leader=leader,
        leader_epoch=epoch,
        partition_epoch=epoch,
    )


def test_partitions_move_with_their_leaders(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        world.publish(_role(LEADER, 0), _role(OTHER, 0))
        first, second = world.leaders[LEADER].partitions[0], world.leaders[OTHER].partitions[1]
        write(first, b"a")
        write(second, b"b")
        await until(lambda: all(own.log.log_end_offset == 1 for own in world.all()))
        assert set(world.connected) == {LEADER, OTHER}
        # OTHER takes over the first, with what it has: nothing.
        world.publish(_role(OTHER, 1), _role(OTHER, 0))
        taken_over = world.leaders[OTHER].partitions[0]
        write(taken_over, b"c")
        own = world.own.partitions[0]
        await until(lambda: contents(own) == contents(taken_over))
        # The fetcher of a leader that leads nothing any more is gone.
        assert {place[0] for place in world.fetchers._fetchers} == {OTHER}
        assert world.fetchers.followed_count() == 2
        assert world.fetchers.max_lag() <= 1
        # This broker itself leads: it follows nobody.
        world.publish(_role(FOLLOWER, 2), _role(FOLLOWER, 1))
        assert world.fetchers.followed_count() == 0
        await asyncio.sleep(0)

    world.run(main)


def test_a_deleted_topic_is_no_longer_followed(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        world.publish(_role(LEADER, 0))
        await asyncio.sleep(0.1)
        world.publish()
        assert world.fetchers.followed_count() == 0

    world.run(main)


def test_a_change_that_is_not_about_the_leader_changes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        world.publish(_role(LEADER, 0))
        before = dict(world.fetchers._followed)
        await asyncio.sleep(0.1)
        world.publish(_role(LEADER, 0))
        assert world.fetchers._followed == before
        assert world.connected == [LEADER]

    world.run(main)


def test_a_leader_that_registers_anew_is_tried_at_once(tmp_path: Path) -> None:
    world = World(tmp_path)

    async def main() -> None:
        node = world.leaders.pop(LEADER)
        world.own.host(0, _role(LEADER, 0))
        node.host(0, _role(LEADER, 0))
        world.fetchers.start()
        await asyncio.sleep(20)
        world.leaders[LEADER] = node
        write(node.partitions[0], b"a")
        before_ms = world.clock.monotonic_ms()
        world.publish(_role(LEADER, 0), brokers={LEADER: registered(LEADER, epoch=9)})
        await until(lambda: world.own.partitions[0].log.log_end_offset == 1)
        assert world.clock.monotonic_ms() - before_ms < 20

    world.run(main)


def test_several_fetchers_share_the_partitions_of_a_leader(tmp_path: Path) -> None:
    world = World(tmp_path, {"num.replica.fetchers": "2"})

    async def main() -> None:
        world.publish(*(_role(LEADER, 0) for _ in range(6)))
        assert len(world.fetchers._fetchers) == 2
        sizes = sorted(len(each.session.partitions) for each in world.fetchers._fetchers.values())
        assert sizes == [3, 3]
        for hosted in world.leaders[LEADER].partitions.values():
            write(hosted, b"x")
        await until(lambda: all(own.log.log_end_offset == 1 for own in world.all()))
        world.values = BrokerValues({"num.replica.fetchers": "1"})
        world.fetchers._settings_changed(world.values)
        assert len(world.fetchers._fetchers) == 1
        write(world.leaders[LEADER].partitions[3], b"y")
        await until(lambda: world.own.partitions[3].log.log_end_offset == 2)

    world.run(main)


def test_new_topics_are_followed_in_the_order_of_the_image_whatever_their_names_hash_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, followed = World(tmp_path), []
    names = [f"t{number}" for number in range(50)]
    monkeypatch.setattr(world.fetchers, "role_changed", followed.append)
    world.by_name = {name: {0: name} for name in reversed(names)}  # type: ignore[dict-item]
    new = MetadataImage(topics={name: Topic(name, name.encode().ljust(16), ()) for name in names})
    world.fetchers.image_changed(MetadataImage(), new)
    assert followed == names
