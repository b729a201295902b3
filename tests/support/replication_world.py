"""A leader and a follower in one process: real partitions, logs, sessions and fetch handler; between them, instead of a
socket, the codec."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.fetch.fetch_sessions import FetchSessionCache
from riacho.broker.fetch.fetch_source import FetchSource
from riacho.broker.fetch.replica_selector import Selector
from riacho.broker.handlers import fetch, list_offsets
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.parts.request_contexts import BrokerRequestContext
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.quotas.replication_quota import ReplicationQuota, ReplicationQuotas
from riacho.broker.replication.fetcher_settings import FetcherSettings, FetcherWorld
from riacho.broker.replication.follower_session import Followed
from riacho.broker.replication.replica_fetcher import ReplicaFetcher
from riacho.broker.requests.later import Later
from riacho.metadata.image.topics import Partition
from riacho.partition.leader import IsrProposal
from riacho.partition.validation import TopicRules
from riacho.security.authorizer import Authorizer
from riacho.wire import codec
from riacho.wire.apis import response_class
from support.broker_fakes import FakeBroker, recorded_logs
from support.hosted_replicas import hosted_of, new_replicas
from support.log_files import append, open_log, read_batches
from support.parts import hosting_parts, quorum_parts
from support.registered_brokers import broker_endpoints, metadata_of
from support.request_contexts import request_context
from support.virtual_time import VirtualClock, run_virtual

TOPIC_ID = b"T" * 16
LEADER, FOLLOWER = 1, 2
VERSION = 18


class KnownPeers:
    """Everyone is registered; proposals are remembered."""

    lag_ms_max = 30_000

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self.proposals: list[IsrProposal] = []

    def now_ms(self) -> int:
        return self._now_ms()

    def is_eligible(self, broker_id: int, broker_epoch: int) -> bool:
        return True

    def is_alive(self, broker_id: int) -> bool:
        return True

    def propose(self, hosted: HostedPartition, proposal: IsrProposal) -> None:
        self.proposals.append(proposal)


def state(leader: int, epoch: int, isr: tuple[int, ...] = (LEADER, FOLLOWER), change: int = 0) -> Partition:
    return Partition(
        replicas=(LEADER, FOLLOWER), isr=isr, leader=leader, leader_epoch=epoch, partition_epoch=epoch + change
    )


class CountedTokens:
    """Chance that is none: 1, 2, 3 and so on."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def token(self, size_bytes: int) -> bytes:
        return next(self._numbers).to_bytes(size_bytes, "big")


class FetchingBroker:
    """The parts of a broker that its fetches are served from."""

    def __init__(self, node: Node, clock: VirtualClock) -> None:
        self.clock = clock
        self.metadata = metadata_of()
        self.config = self.metadata.config
        self.authorizer: Authorizer | None = None
        self.metrics = BrokerMetrics()
        self.quotas = Quotas(self.metadata.config, clock)
        self.replicas = new_replicas(node.node_id, self.metadata, clock, node.logs, self.metrics)
        self._node = replace(
            FakeBroker(self.metadata.config).parts, clock=clock, metrics=self.metrics, quotas=self.quotas
        )
        self.sessions = FetchSessionCache(10, 120_000, CountedTokens())
        self.replication_quotas = ReplicationQuotas(node.node_id, self.metadata)
        self.replica_selector: Selector | None = None
        self.endpoints = broker_endpoints("host", "host", "host")
        self.loop: Any = None

    @property
    def fetch_source(self) -> FetchSource:
        return FetchSource(
            replicas=self.replicas,
            sessions=self.sessions,
            replica_selector=self.replica_selector,
            replication_quotas=self.replication_quotas,
            endpoints=self.endpoints,
            metrics=self.metrics,
            clock=self.clock,
            loop=self.loop,
            size_bytes_max=self._node.limits.fetch_size_bytes_max,
        )

    def context(self, version: int) -> BrokerRequestContext:
        return request_context(
            self._node,
            version,
            quorum=quorum_parts(metadata=self.metadata, endpoints=self.endpoints),
            hosting=hosting_parts(replicas=self.replicas, fetch_source=self.fetch_source),
        )


class Node:
    """One broker's side: its partitions and what the fetch handler needs of a broker."""

    def __init__(self, path: Path, node_id: int, clock: VirtualClock) -> None:
        self.path = path / f"node-{node_id}"
        self.node_id = node_id
        self.clock = clock
        self.peers = KnownPeers(clock.monotonic_ms)
        self.logs, _, self.lines = recorded_logs()
        self.broker = FetchingBroker(self, clock)
        self.partitions = hosted_of(self.broker.replicas, "t", TOPIC_ID)

    def host(self, index: int, role: Partition, **log: Any) -> HostedPartition:
        self.path.mkdir(exist_ok=True)
        made = open_log(self.path / f"t-{index}", **log)
        hosted = HostedPartition("t", TOPIC_ID, index, made, TopicRules(), self.peers)
        hosted.take_role(self.node_id, role)
        self.partitions[index] = hosted
        return hosted


class DirectPeer:
    """A connection to a node without a socket: requests and answers go through the codec, as bytes."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.sent: list[Any] = []
        self.is_closed = False
        self.is_refusing = False
        # Changes an answer on its way, to play a broken leader.
        self.meddle: Callable[[Any], Any] | None = None
        self._lost: asyncio.Future[None] | None = None

    async def send(self, request: Any, *, version: int | None = None, timeout_ms: int | None = None) -> Any:
        if self.is_refusing or self.is_closed:
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, "no connection")
        key = request.API_KEY
        chosen = VERSION if key == 1 else 9
        asked = _through(type(request), request, chosen)
        self.sent.append(asked)
        # A round trip is at least one turn of the loop.
        await asyncio.sleep(0)
        self.node.broker.loop = asyncio.get_running_loop()
        ctx = self.node.broker.context(chosen)
        answer = (fetch if key == 1 else list_offsets).handle(ctx, asked)
        if isinstance(answer, Later):
            answer = await self._settled(answer)
        answer = _through(response_class(key), answer, chosen)
        return answer if self.meddle is None else self.meddle(answer)

    async def _settled(self, deferred: Later) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._lost = future
        deferred.then(lambda answer: None if future.done() else future.set_result(answer))
        try:
            return await future
        finally:
            deferred.abandon()

    def close(self) -> None:
        self.is_closed = True
        if self._lost is not None and not self._lost.done():
            self._lost.set_exception(KafkaError(ErrorCode.NETWORK_EXCEPTION, "closed"))


def _through(cls: Any, message: Any, version: int) -> Any:
    out, splices = bytearray(), []  # type: ignore[var-annotated]
    codec.encoder(cls, version)(message, out, splices)
    whole, at = bytearray(), 0
    for position, piece in splices:
        whole += out[at:position] + piece.read()
        at = position
    whole += out[at:]
    return codec.decoder(cls, version)(bytes(whole), 0)[0]


class World:
    """`leader` leads what `follower` follows."""

    def __init__(self, path: Path, **settings: int) -> None:
        self.clock = VirtualClock()
        self.leader = Node(path, LEADER, self.clock)
        self.follower = Node(path, FOLLOWER, self.clock)
        self.peers: list[DirectPeer] = []
        self.is_refusing = False
        self.quota = ReplicationQuota(11, 1_000)
        world = FetcherWorld(
            FOLLOWER, self.clock, self.follower.logs.error, lambda: 7, lambda leader: self.connect(), self.quota
        )
        self.fetcher = ReplicaFetcher(LEADER, world, FetcherSettings(**settings))

    def run(self, main: Coroutine[Any, Any, None]) -> None:
        async def whole() -> None:
            try:
                await main
            finally:
                await self.fetcher.stop()

        run_virtual(whole(), self.clock)

    def follow(self, index: int = 0, epoch: int = 0, **log: Any) -> tuple[HostedPartition, HostedPartition]:
        """Host the partition on both sides and follow it; the leader's and the follower's."""
        leading = self.leader.host(index, state(LEADER, epoch), **log)
        following = self.follower.host(index, state(LEADER, epoch), **log)
        self.fetcher.add(Followed(following))
        return leading, following

    @property
    def peer(self) -> DirectPeer:
        return self.peers[-1]

    def connect(self) -> DirectPeer:
        self.peers.append(DirectPeer(self.leader))
        self.peers[-1].is_refusing = self.is_refusing
        return self.peers[-1]


def write(hosted: HostedPartition, *values: bytes) -> int:
    """Append as the leader; the last offset."""
    appended = append(hosted.log, *values, epoch=hosted.leader_epoch)
    hosted.advance()
    return appended.last_offset


def contents(hosted: HostedPartition) -> list[bytes]:
    """Every batch, byte for byte."""
    return [batch for _, batch in read_batches(hosted.log)]


async def until(is_so: Callable[[], bool], turns: int = 2_000) -> None:
    """Turn the loop until it is so; bounded, so that a hang is a failure."""
    for _ in range(turns):
        if is_so():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never came to be")
