"""One node's controller, loader and image over a real log, in a quorum whose other voters are the test.

Nothing is committed before the test says so, and the replicated log comes and goes as it wants.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.controller_driver import ControllerDriver
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.quorum.metadata_loader import MetadataLoader
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import record_batch
from riacho.raft.control_records import build_control_batch, kraft_version_record
from riacho.raft.voter_history import BEFORE_THE_LOG, VotersAt
from riacho.raft.voters import VoterSet
from support.broker_fakes import SetClock, recorded_logs


class NodeOfThree:
    """Its raft node, as the controller and the loader see it."""

    def __init__(self) -> None:
        self.epoch = 0
        self.epoch_start_offset = -1
        self.leader_high_watermark = -1
        self.ruling = VotersAt(BEFORE_THE_LOG, VoterSet(), 0)

    def voters_at(self, end_offset: int) -> VotersAt:
        return self.ruling


class QuorumOfThree:
    """Stands for the raft driver too: this is what the controller and the loader see of it."""

    def __init__(self, path: Path, properties: Mapping[str, str] | None = None) -> None:
        self.clock = SetClock()
        self.log = MetadataLog(str(path), 1 << 20, 1 << 40, self.clock.now_ms())
        self.node = NodeOfThree()
        self.is_leader = False
        self.snapshots_told = 0
        self.logs, _, self.lines = recorded_logs()
        self.metadata = MetadataCache(BrokerConfig(dict(properties or {})), MetadataImage(cluster_id="c"))
        self.images: list[MetadataImage] = []
        self.metadata.subscribe(lambda _, new: self.images.append(new))
        numbers = itertools.count(1)
        me: Any = self
        self.controller = ControllerDriver(
            me, self.metadata, self.clock, self.logs, lambda: next(numbers).to_bytes(16, "big")
        )
        self.loader = MetadataLoader(me, self.metadata, self.controller, self.clock, self.logs)

    # The raft driver

    def append(self, batch: bytearray) -> int:
        return self.log.append(batch, self.node.epoch, self.clock.now_ms())

    def snapshot_written(self) -> None:
        self.snapshots_told += 1

    # What the test does

    def elected(self) -> None:
        """The leader of the next epoch, with its first record appended."""
        self.node.epoch += 1
        self.node.epoch_start_offset = self.log.end_offset
        self.is_leader = True
        self.add_control()
        self.controller.leader_changed()

    def deposed(self) -> None:
        self.is_leader = False
        self.node.epoch += 1
        self.controller.leader_changed()

    def commit(self, offset: int | None = None) -> None:
        self.loader.committed(self.log.end_offset if offset is None else offset)

    def in_office(self) -> None:
        self.elected()
        self.commit()

    def add_control(self) -> None:
        batch = build_control_batch(
            [kraft_version_record(1)], base_offset=0, leader_epoch=self.node.epoch, timestamp_ms=self.clock.now_ms()
        )
        self.append(batch)

    def add(self, records: Iterable[MetadataRecord]) -> None:
        """As fetched from another leader."""
        self.append(record_batch(list(records), 0, self.node.epoch, self.clock.now_ms()))
