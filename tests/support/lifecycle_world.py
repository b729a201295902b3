"""A broker's lifecycle over real directories on a simulated disk, towards a controller that is the test."""

from __future__ import annotations

from random import Random
from typing import Any

from riacho.broker.config import BrokerConfig, ListenerAddress
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.broker.membership.incarnation import Incarnation
from riacho.broker.membership.shutdown_markers import ShutdownMarkers
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from support.broker_fakes import SetClock, recorded_logs
from support.simulated_files import SimulatedFiles

INCARNATION_ID, DIRECTORY_ID = b"i" * 16, b"d" * 16
PREVIOUS_EPOCH = 5
CLUSTER_ID = "c"


class LifecycleWorld:
    """`channel` gives the controller's answers. The run before this one stopped in order."""

    def __init__(self, channel: Any, **properties: str) -> None:
        self.config = BrokerConfig(properties)
        self.clock = SetClock()
        logs, _, self.lines = recorded_logs()
        self._files = SimulatedFiles(Random(1), "/node1", lambda: self.clock.now_ms() * 1_000_000)
        self._directories().close(clean=True, broker_epoch=PREVIOUS_EPOCH)
        directories = self._directories()
        self.metadata = MetadataCache(self.config, MetadataImage(cluster_id=CLUSTER_ID, end_offset=43))
        listener = ListenerAddress("PLAINTEXT", "127.0.0.1", 9092, "PLAINTEXT")
        incarnation = Incarnation(INCARNATION_ID, (listener,), ShutdownMarkers(directories, None))
        self.lifecycle = BrokerLifecycle(
            self.config, incarnation, directories, self.metadata, channel, self.clock, logs
        )

    def _directories(self) -> LogDirectories:
        return LogDirectories(
            ["/node1/data"],
            node_id=self.config.node_id,
            cluster_id=CLUSTER_ID,
            new_directory_id=lambda: DIRECTORY_ID,
            files=self._files,
        )
