"""A small Kafka client in a simulated world: it knows the cluster by its metadata and asks again when told to."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.peer.peer import Peer
from riacho.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from support.simulated_world import World

_BACKOFF_S = (0.02, 0.15)
REQUEST_TIMEOUT_MS = 5_000

# Errors that end by themselves or with fresher metadata, beyond those that Kafka calls retriable.
_PASSING = frozenset({ErrorCode.UNKNOWN_TOPIC_ID})


class SimulatedClient:
    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.rng = Random(f"{world.seed}/{name}")
        self.topic_ids: dict[str, bytes] = {}
        # (topic, partition) to (leader, its epoch).
        self.leaders: dict[tuple[str, int], tuple[int, int]] = {}
        self._brokers: dict[int, tuple[str, int]] = {}
        self._network = world.network.host(world.client_host())
        self._peers: dict[tuple[str, int], Peer] = {}

    def peer(self, address: tuple[str, int]) -> Peer:
        if address not in self._peers:
            self._peers[address] = Peer(
                self._network,
                *address,
                client_id=self.name,
                connect_timeout_ms=3_000,
                request_timeout_ms=REQUEST_TIMEOUT_MS,
            )
        return self._peers[address]

    def close(self) -> None:
        for peer in self._peers.values():
            peer.close()

    def any(self) -> Peer:
        known = list(self._brokers.values()) or self.world.bootstrap
        # Now and then from the start, should all that are known be gone.
        return self.peer(self.rng.choice(known if self.rng.random() < 0.8 else self.world.bootstrap))

    async def ask_any(self, request: Message, **options: Any) -> Any:
        """Until somebody answers."""
        while True:
            try:
                return await self.any().send(request, **options)
            except KafkaError as error:
                self.check_passing(error.code)
                await self.back_off()

    async def leader(self, topic: str, partition: int) -> tuple[Peer, int]:
        """The leader and its epoch, as far as is known."""
        while True:
            leader, epoch = self.leaders.get((topic, partition), (-1, -1))
            if leader in self._brokers:
                return self.peer(self._brokers[leader]), epoch
            await self.refresh(topic)
            if self.leaders.get((topic, partition), (-1, -1))[0] not in self._brokers:
                await self.back_off()

    def broker(self, node_id: int) -> Peer | None:
        """None when nothing is known of it."""
        address = self._brokers.get(node_id)
        return None if address is None else self.peer(address)

    def forget_leader(self, topic: str, partition: int) -> None:
        _, epoch = self.leaders.get((topic, partition), (-1, -1))
        self.leaders[topic, partition] = -1, epoch

    async def refresh(self, topic: str) -> None:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        response = await self.ask_any(request)
        self._brokers = {broker.node_id: (broker.host, broker.port) for broker in response.brokers}
        for found in response.topics:
            if not found.error_code:
                self.topic_ids[topic] = found.topic_id
            for partition in found.partitions:
                key = (topic, partition.partition_index)
                # A broker that lags behind must not take us back to an older leader.
                if partition.leader_epoch >= self.leaders.get(key, (-1, -1))[1]:
                    self.leaders[key] = partition.leader_id, partition.leader_epoch

    async def create_topic(
        self, name: str, partitions: int = 1, replication_factor: int = 1, configs: dict[str, str] | None = None
    ) -> None:
        topic = CreatableTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=replication_factor,
            configs=[CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()],
        )
        while True:
            response = await self.ask_any(CreateTopicsRequest(topics=[topic], timeout_ms=3_000))
            code = ErrorCode(response.topics[0].error_code)
            if code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                return
            if code is not ErrorCode.INVALID_REPLICATION_FACTOR:
                # That one passes when the other brokers have come.
                self.check_passing(code)
            await self.back_off()

    def check_passing(self, code: ErrorCode) -> None:
        assert code.retriable or code in _PASSING, f"{self.name} was told {code.name}"

    async def back_off(self) -> None:
        await asyncio.sleep(self.rng.uniform(*_BACKOFF_S))
