"""Counts the hops of three paths through brokers, in a simulated cluster of three (`recorder.py` says what a hop is).

    PYTHONPATH=src:tests python tools/hops/broker_paths.py [--list]

Each path is walked many times, at different moments; what belongs to it was seen in three quarters of the walks, so
what brokers happen to do meanwhile (heartbeats, fetches of metadata) is left out. What the client does is not counted.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from recorder import Call, Recorder, show

from riacho.client.peer.peer import Peer
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.metadata_request import MetadataRequest
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.records import Record, build_batch
from support.simulated_client import SimulatedClient
from support.simulated_time import CURRENT, WALL_START_MS
from support.simulated_world import World

WALK_COUNT = 16
SHARE_OF_WALKS = 0.75
_REPLICATED, _ALONE = "replicated", "alone"
_QUIET_S = 0.37
_PARKED_S = 0.05


def is_node() -> bool:
    life = CURRENT.get()
    return life is not None and life.name.startswith("node")


class Path:
    """Walks of one path, and what most of them have in common."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.walk_count = 0
        self._seen: Counter[Call] = Counter()

    def add(self, calls: Iterable[Call]) -> None:
        self.walk_count += 1
        self._seen.update(calls)

    def calls(self) -> list[Call]:
        return [call for call, count in self._seen.items() if count >= SHARE_OF_WALKS * self.walk_count]


class Walker:
    def __init__(self, world: World) -> None:
        self.world = world
        self.recorder = Recorder(is_node)
        self.setup = SimulatedClient(world, "setup")
        self._sequence = 0
        self._producer_id = -1
        self._client_count = 0

    async def prepare(self) -> None:
        await self.world.start_all()
        await self.setup.create_topic(_REPLICATED, 1, 3)
        await self.setup.create_topic(_ALONE, 1, 1)
        await self.world.whole()
        answer = await self.setup.ask_any(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0))
        self._producer_id = answer.producer_id

    async def connect(self, topic: str) -> tuple[SimulatedClient, Peer]:
        """A client that has spoken with the topic's leader before."""
        self._client_count += 1
        client = SimulatedClient(self.world, f"client {self._client_count}")
        peer, _ = await client.leader(topic, 0)
        await peer.send(MetadataRequest(topics=[], allow_auto_topic_creation=False))
        await asyncio.sleep(_QUIET_S)
        return client, peer

    async def watch(self, path: Path, work: Callable[[], Awaitable[Any]]) -> None:
        self.recorder.start()
        await work()
        path.add(self.recorder.stop())
        await asyncio.sleep(_QUIET_S)

    async def produce(self, client: SimulatedClient, peer: Peer, topic: str, acks: int = -1) -> None:
        batch = build_batch(
            [Record(offset_delta=0, timestamp_delta=0, key=None, value=b"value")],
            base_timestamp=WALL_START_MS + self.world.loop.now_us // 1_000,
            producer_id=self._producer_id if topic == _REPLICATED else -1,
            producer_epoch=0 if topic == _REPLICATED else -1,
            base_sequence=self._sequence if topic == _REPLICATED else -1,
        )
        self._sequence += topic == _REPLICATED
        part = PartitionProduceData(index=0, records=batch)
        data = TopicProduceData(name=topic, topic_id=client.topic_ids[topic], partition_data=[part])
        answer = await peer.send(ProduceRequest(acks=acks, timeout_ms=1_500, topic_data=[data]), version=12)
        assert answer.responses[0].partition_responses[0].error_code == 0, answer

    async def fetch(self, peer: Peer, offset: int) -> int:
        """How many bytes came."""
        part = FetchPartition(partition=0, fetch_offset=offset, current_leader_epoch=-1, partition_max_bytes=1 << 20)
        request = FetchRequest(
            max_wait_ms=2_000, min_bytes=1, max_bytes=1 << 20, topics=[FetchTopic(topic=_ALONE, partitions=[part])]
        )
        answer = await peer.send(request, version=12)
        return len(answer.responses[0].partitions[0].records or b"")

    async def walk_produce(self) -> tuple[Path, Path]:
        first, later = Path("first"), Path("later")
        for _ in range(WALK_COUNT):
            client, peer = await self.connect(_REPLICATED)
            await self.watch(first, lambda: self.produce(client, peer, _REPLICATED))  # noqa: B023
            await self.produce(client, peer, _REPLICATED)
            await asyncio.sleep(_QUIET_S)
            await self.watch(later, lambda: self.produce(client, peer, _REPLICATED))  # noqa: B023
            client.close()
        return first, later

    async def walk_fetch(self) -> list[Call]:
        """It is parked, a produce request wakes it (without what that one does by itself), it reads and answers."""
        parked, woken, produced, read = (Path(name) for name in ("parked", "woken", "produced", "read"))
        producing, producer = await self.connect(_ALONE)

        async def produce() -> None:
            await self.produce(producing, producer, _ALONE, acks=1)
            await asyncio.sleep(_PARKED_S)

        for offset in range(0, 2 * WALK_COUNT, 2):
            client, peer = await self.connect(_ALONE)
            fetched: list[asyncio.Task[int]] = []

            async def park() -> None:
                fetched.append(asyncio.create_task(self.fetch(peer, offset)))  # noqa: B023
                await asyncio.sleep(_PARKED_S)

            await self.watch(parked, park)
            await self.watch(woken, produce)
            assert fetched[0].done()
            assert fetched[0].result()
            await self.watch(read, lambda: self.fetch(peer, offset))  # noqa: B023
            await self.watch(produced, produce)
            client.close()
        own = [call for call in woken.calls() if call not in set(produced.calls())]
        return list(dict.fromkeys([*parked.calls(), *own, *read.calls()]))

    async def walk_failover(self) -> Path:
        """The leader's process is killed, and it is not the controller; until another one leads."""
        path = Path("failover")
        while path.walk_count < WALK_COUNT // 2:
            controller = next(node for node in self.world.up if node.raft.node.is_leader)
            leader = controller.metadata.image.topics[_REPLICATED].partitions[0].leader
            if leader == controller.id:
                await self._move_leader(leader)
                continue
            others = [node for node in self.world.up if node.id != leader]

            async def kill() -> None:
                self.world.nodes[leader].crash()  # noqa: B023
                while not all(self._leads(node, leader) for node in others):  # noqa: B023
                    await asyncio.sleep(0.001)
                await asyncio.sleep(0.01)

            await self.watch(path, kill)
            await self.world.nodes[leader].start()
            await self.world.whole()
        return path

    def _leads(self, node: Any, before: int) -> bool:
        return node.metadata.image.topics[_REPLICATED].partitions[0].leader not in (-1, before)

    async def _move_leader(self, leader: int) -> None:
        """By a stop, which hands everything over."""
        await self.world.nodes[leader].stop()
        await asyncio.sleep(2)
        await self.world.nodes[leader].start()
        await self.world.whole()


def main() -> None:
    is_listed = "--list" in sys.argv

    async def walk(walker: Walker) -> None:
        await walker.prepare()
        first, later = await walker.walk_produce()
        show("produce, acks=all, three replicas: first of a connection", first.calls(), is_listed=is_listed)
        show("produce, acks=all, three replicas: by the fast path", later.calls(), is_listed=is_listed)
        show("fetch with long poll", await walker.walk_fetch(), is_listed=is_listed)
        failover = await walker.walk_failover()
        show("leader killed to new leader", failover.calls(), is_listed=is_listed)

    with World(1, brokers=3, properties={"min.insync.replicas": "2"}) as world:
        world.run(walk(Walker(world)), limit_s=3_600)


if __name__ == "__main__":
    main()
