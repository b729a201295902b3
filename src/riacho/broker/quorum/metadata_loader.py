"""From the committed log to the image: applies what the quorum agreed on, and takes snapshots of it.

On the active controller the image is there already, made when the records were appended; everywhere else, and after a
change of leader, it is made from the batches of the log. All that is committed at once is applied at once, so that a
node which was away for long does not tell its subscribers thousands of times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.broker.quorum.feature_levels import check_levels
from riacho.metadata.image.features import METADATA_VERSION
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import records_of
from riacho.raft.control_records import kraft_version_record, voters_record

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quorum.raft_driver import RaftDriver

# Applied in one go at most, so that replaying a long log does not hold it all in memory.
_RECORDS_PER_APPLY = 20_000


class MetadataLoader:
    def __init__(
        self, raft: RaftDriver, metadata: MetadataCache, controller: ControllerDriver, clock: Clock, logs: Logs
    ) -> None:
        self._raft = raft
        self._metadata = metadata
        self._controller = controller
        self._clock = clock
        self._logs = logs
        self._last_timestamp_ms = 0

    def committed(self, offset: int) -> None:
        """The quorum's high watermark moved."""
        if offset > self._metadata.image.end_offset:
            made = self._controller.committed_image(offset)
            image = self._replayed(self._metadata.image, offset) if made is None else made
            self._check(image, is_whole=offset >= self._raft.node.leader_high_watermark)
            self._metadata.publish(image)
            if self._metadata.image.end_offset < offset:
                self._metadata.publish(self._metadata.image.apply([], offset))
            self._last_timestamp_ms = self._clock.now_ms()
        self._controller.committed(offset)
        if self._is_snapshot_due():
            self.take_snapshot()

    def snapshot_fetched(self) -> None:
        """The leader's snapshot took the place of our log."""
        image = self._raft.log.load_snapshot(MetadataImage(cluster_id=self._metadata.image.cluster_id))
        # What follows the snapshot may have changed the levels in it.
        self._check(image, is_whole=False)
        self._metadata.publish(image)

    def _check(self, image: MetadataImage, is_whole: bool) -> None:
        """Records of another metadata.version may mean something else. Other levels may have changed by the end of the
        log, so a broker lets the controller judge them when it registers; a controller must never lead with them."""
        levels = image.features
        if not is_whole or not self._metadata.config.is_controller:
            levels = {name: level for name, level in levels.items() if name == METADATA_VERSION}
        check_levels(levels)

    def _replayed(self, image: MetadataImage, end_offset: int) -> MetadataImage:
        records: list[MetadataRecord] = []
        for data, position, header in self._raft.log.batches(image.end_offset, end_offset):
            records += records_of(data, position)
            self._last_timestamp_ms = header.max_timestamp
            if len(records) >= _RECORDS_PER_APPLY:
                image = image.apply(records, header.last_offset + 1)
                records = []
        return image.apply(records, end_offset)

    def _is_snapshot_due(self) -> bool:
        """By bytes since the last, or by time; looked at with each change, since without any there is nothing new."""
        config, log = self._metadata.config, self._raft.log
        interval_ms = config.get("metadata.log.max.snapshot.interval.ms")
        if interval_ms and self._clock.now_ms() - log.last_snapshot_ms >= interval_ms:
            return True
        limit: int = config.get("metadata.log.max.record.bytes.between.snapshots")
        return log.size_bytes_since_snapshot >= limit

    def take_snapshot(self) -> None:
        """One that cannot be written is tried again with the next change: the log still has it all."""
        image = self._metadata.image
        if image.end_offset == 0:
            return
        ruling = self._raft.node.voters_at(image.end_offset)
        controls = (
            [kraft_version_record(ruling.kraft_version), voters_record(ruling.voters)] if ruling.kraft_version else []
        )
        try:
            self._raft.log.write_snapshot(image, controls, self._last_timestamp_ms, self._clock.now_ms())
        except (OSError, KafkaError) as error:
            self._logs.error.error("metadata snapshot failed end_offset=%d error=%s", image.end_offset, error)
            return
        self._raft.snapshot_written()
