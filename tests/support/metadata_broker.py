"""The parts of a broker that the metadata handlers see: real metadata on disk, a clock that is told the time.

A quorum of one, so every request is decided, stored and answered within the call.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from riacho.broker.config import BrokerConfig
from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
from riacho.broker.environment import SystemNetwork
from riacho.broker.handlers.table import CONTROLLER_BY_KEY
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.broker.membership.failure_detector import FailureDetector
from riacho.broker.membership.suspects import Suspects
from riacho.broker.node import Broker
from riacho.broker.partitions.auto_topics import AutoTopics
from riacho.broker.quorum.controller_channel import ControllerChannel
from riacho.broker.quorum.quorum import Quorum
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.broker.requests.request_context import RequestContext
from riacho.log.directories import LogDirectories
from riacho.log.real_files import REAL_FILES
from riacho.security.authorizer import Authorizer
from support.broker_fakes import recorded_logs

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


class BoundListener:
    name, host, port, is_for_controllers = "PLAINTEXT", "localhost", 9092, False


class MetadataBroker:
    """Opens the metadata of a directory; `close` and another one make a restart, `crash` and another one a crash."""

    def __init__(self, path: Path, properties: Mapping[str, str] | None = None, clock: ToldClock | None = None) -> None:
        self.config = BrokerConfig({"log.dirs": str(path), **(properties or {})})
        self.clock = clock or ToldClock()
        self.node_id = self.config.node_id
        self.logs, _, self.errors = recorded_logs()
        self.rng = CountingRng(path.stat().st_mtime_ns if path.exists() else 1)
        self.network = SystemNetwork()
        self.files = REAL_FILES
        self.listeners = [BoundListener()]
        self.suspects = Suspects(self.clock)
        self.authorizer: Authorizer | None = None
        self.quotas = Quotas(self.config, self.clock)
        self.directories = LogDirectories(
            self.config.log_dirs, node_id=self.node_id, cluster_id=CLUSTER_ID, new_directory_id=self.new_uuid
        )
        self.quorum = Quorum(self, [])  # type: ignore[arg-type]
        self.metadata, self.raft, self.controller = self.quorum.metadata, self.quorum.raft, self.quorum.controller
        self.metadata.subscribe(self.quotas.image_changed)
        self.quotas.set_limits(self.metadata.image)
        self.controller_channel = ControllerChannel(self, CONTROLLER_BY_KEY)  # type: ignore[arg-type]
        self.failure_detector = FailureDetector(self)  # type: ignore[arg-type]
        self.lifecycle = BrokerLifecycle(self)  # type: ignore[arg-type]
        self.auto_topics = AutoTopics(self.metadata, self.controller_channel)
        self.producer_ids = ProducerIdBlocks(self)  # type: ignore[arg-type]
        self.quorum.start(None)
        run(self._join())

    async def _join(self) -> None:
        await self.lifecycle.register()
        self.lifecycle.serve()
        await self.lifecycle.beat()

    def client_listeners(self) -> list[BoundListener]:
        return self.listeners

    def new_uuid(self) -> bytes:
        return self.rng.token(16)

    def some_live_broker(self) -> int:
        return self.node_id

    def endpoint_of(self, node_id: int, listener_name: str) -> tuple[str, int]:
        return "localhost", 9092

    def close(self) -> None:
        run(self.quorum.close())
        self.directories.close(clean=True, broker_epoch=self.lifecycle.epoch)

    def crash(self) -> None:
        """Gone without a word; the locks go with the process."""
        self.directories.close(clean=False)


class Context(RequestContext):
    """What dispatch hands to a handler."""

    def __init__(self, broker: MetadataBroker, version: int) -> None:
        super().__init__(cast(Broker, broker), "PLAINTEXT", "127.0.0.1")
        self.version = version


def run(outcome: Outcome[T] | Coroutine[Any, Any, T]) -> T:
    """What a handler gives, whether at once or later."""
    return asyncio.run(settled(Later.of(outcome) if asyncio.iscoroutine(outcome) else outcome))
