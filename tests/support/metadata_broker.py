"""The parts of a broker that the metadata handlers see: real metadata on disk, a clock that is told the time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

from riacho.broker.config import BrokerConfig
from riacho.broker.controller_driver import ClusterMetadata
from riacho.broker.metadata_log import MetadataLog

CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA"


class ToldClock:
    def __init__(self, now_ms: int = 1_000_000) -> None:
        self.now = now_ms

    def now_ms(self) -> int:
        return self.now

    def monotonic_ms(self) -> int:
        return self.now


class MetadataBroker:
    """Opens the metadata of a directory; `close` and another one make a restart, another alone a crash."""

    def __init__(self, path: Path, properties: Mapping[str, str] | None = None, clock: ToldClock | None = None) -> None:
        self.config = BrokerConfig(properties)
        self.clock = clock or ToldClock()
        self.node_id = self.config.node_id
        self.errors: list[str] = []
        numbers = itertools.count(path.stat().st_mtime_ns if path.exists() else 1)
        log = MetadataLog(str(path), self.node_id, 1 << 30, 1 << 40, self.clock.now_ms())
        self.metadata = ClusterMetadata(
            self.config,
            self.clock,
            log,
            lambda: b"\x42" + next(numbers).to_bytes(15, "big"),
            CLUSTER_ID,
            self.errors.append,
        )
        self.metadata.start([("PLAINTEXT", "localhost", 9092)], (b"d" * 16,))

    def endpoint_of(self, node_id: int, listener_name: str) -> tuple[str, int]:
        return "localhost", 9092


class Context:
    """What dispatch hands to a handler."""

    def __init__(self, broker: MetadataBroker, version: int) -> None:
        self.broker = broker
        self.version = version
        self.listener_name = "PLAINTEXT"
        self.client_software_name = ""
        self.client_software_version = ""
