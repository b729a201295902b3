"""The parts of a broker that the metadata handlers see: real metadata on disk, a clock that is told the time.

A quorum of one, so every request is decided, stored and answered within the call.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from riacho.base.ids import random_uuid
from riacho.broker.config import BrokerConfig, ListenerAddress
from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
from riacho.broker.environment import Environment
from riacho.broker.handlers.table import CONTROLLER_BY_KEY
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.broker.membership.failure_detector import FailureDetector
from riacho.broker.membership.incarnation import Incarnation
from riacho.broker.membership.shutdown_markers import ShutdownMarkers, read_boot_id
from riacho.broker.membership.suspects import Suspects
from riacho.broker.partitions.auto_topics import AutoTopics
from riacho.broker.quorum.controller_channel import ControllerChannel
from riacho.broker.quorum.quorum import Quorum
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.client.client_security import ClientSecurity
from riacho.log.directories import LogDirectories
from riacho.security.authorizer import Authorizer
from support.broker_fakes import FakeBroker, recorded_logs
from support.parts import hosting_parts, quorum_parts
from support.registered_brokers import peer_connector
from support.request_contexts import request_context

CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA"
T = TypeVar("T")


class ToldClock:
    def __init__(self, now_ms: int = 1_000_000) -> None:
        self.now = now_ms

    def now_ms(self) -> int:
        return self.now

    def monotonic_ms(self) -> int:
        return self.now


class CountingRng:
    def __init__(self, first: int) -> None:
        self._numbers = itertools.count(first)

    def token(self, size_bytes: int) -> bytes:
        return b"\x42" + (next(self._numbers) % (1 << (8 * (size_bytes - 1)))).to_bytes(size_bytes - 1, "big")


ADVERTISED = ListenerAddress("PLAINTEXT", "localhost", 9092, "PLAINTEXT")


class MetadataBroker:
    """Opens the metadata of a directory; `close` and another one make a restart, `crash` and another one a crash."""

    def __init__(self, path: Path, properties: Mapping[str, str] | None = None, clock: ToldClock | None = None) -> None:
        self.config = BrokerConfig({"log.dirs": str(path), **(properties or {})})
        self.clock = clock or ToldClock()
        self.node_id = self.config.node_id
        self.logs, _, self.errors = recorded_logs()
        self.rng = CountingRng(path.stat().st_mtime_ns if path.exists() else 1)
        self.suspects = Suspects(self.clock)
        self.authorizer: Authorizer | None = None
        self.quotas = Quotas(self.config, self.clock)
        self.directories = LogDirectories(
            self.config.log_dirs,
            node_id=self.node_id,
            cluster_id=CLUSTER_ID,
            new_directory_id=partial(random_uuid, self.rng),
        )
        environment = Environment(self.clock, self.rng)
        self.node = replace(
            FakeBroker(self.config).parts,
            environment=environment,
            clock=self.clock,
            logs=self.logs,
            quotas=self.quotas,
        )
        self.quorum = Quorum(
            self.config, environment, self.logs, self.directories, [], ClientSecurity(), self.node.breakdown.happen
        )
        self.metadata, self.raft, self.controller = self.quorum.metadata, self.quorum.raft, self.quorum.controller
        self.endpoints = BrokerEndpoints(self.config, [ADVERTISED], self.metadata)
        self.metadata.subscribe(self.quotas.image_changed)
        self.quotas.set_limits(self.metadata.image)
        self.controller_channel = ControllerChannel(
            self.controller, self.raft, peer_connector(), CONTROLLER_BY_KEY, self._own_context
        )
        self.failure_detector = FailureDetector(
            self.node_id, self.controller, environment.network, self.clock, self.logs
        )
        markers = ShutdownMarkers(self.directories, read_boot_id(self.config.get("riacho.boot.id.file")))
        self.lifecycle = BrokerLifecycle(
            self.config,
            Incarnation(random_uuid(self.rng), (ADVERTISED,), markers),
            self.directories,
            self.metadata,
            self.controller_channel,
            self.clock,
            self.logs,
        )
        self.auto_topics = AutoTopics(self.metadata, self.controller_channel)
        self.producer_ids = ProducerIdBlocks(self.node_id, self.lifecycle, self.controller_channel)
        self.quorum.start(None)
        run(self._join())

    async def _join(self) -> None:
        await self.lifecycle.register()
        self.lifecycle.serve()
        await self.lifecycle.beat()

    def _own_context(self) -> Any:
        context = Context(self, 0)
        context.is_own = True
        return context

    def close(self) -> None:
        run(self.quorum.close())
        self.directories.close(clean=True, broker_epoch=self.lifecycle.epoch)

    def crash(self) -> None:
        """Gone without a word; the locks go with the process."""
        self.directories.close(clean=False)


def Context(broker: MetadataBroker, version: int) -> Any:
    """What dispatch hands to a handler."""
    return request_context(
        replace(broker.node, authorizer=broker.authorizer),
        version,
        quorum=quorum_parts(
            directories=broker.directories,
            quorum=broker.quorum,
            metadata=broker.metadata,
            raft=broker.raft,
            controller=broker.controller,
            failure_detector=broker.failure_detector,
            suspects=broker.suspects,
            endpoints=broker.endpoints,
        ),
        hosting=hosting_parts(auto_topics=broker.auto_topics, producer_ids=broker.producer_ids),
    )


def run(outcome: Outcome[T] | Coroutine[Any, Any, T]) -> T:
    """What a handler gives, whether at once or later."""
    return asyncio.run(settled(Later.of(outcome) if asyncio.iscoroutine(outcome) else outcome))
