"""What a broker does when one of its log directories breaks while it runs (KIP-112, KIP-858).

The partitions in it are out of service at once: whoever waits for them is told, and whoever asks gets
KAFKA_STORAGE_ERROR. The next heartbeat, which goes out now, tells the controller, which gives leadership to others. The
other directories go on. Without any, or without the metadata log, the broker can keep none of its promises and stops.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from riacho.broker.node import Broker
    from riacho.log.directories import OfflineDirectory


class BrokenDirectories:
    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        broker.directories.on_offline.append(self._schedule)

    def _schedule(self, offline: OfflineDirectory) -> None:
        """Whoever found out is in the midst of something."""
        self._broker.loop.call_soon(partial(self._take_out, offline))

    def _take_out(self, offline: OfflineDirectory) -> None:
        broker = self._broker
        broker.logs.error.error(
            "log directory is out of service path=%s partitions=%d reason=%s",
            offline.path,
            len(offline.partitions),
            offline.reason,
        )
        for topic, index in offline.partitions:
            hosted = broker.replicas.by_name.get(topic, {}).pop(index, None)
            if hosted is not None:
                broker.replica_fetchers.gone(hosted)
                hosted.go()
        if offline.is_last:
            self._stop(f"no log directory is left; {offline.path}: {offline.reason}")
        elif self._has_metadata(offline.path):
            self._stop(f"{offline.path}, which has the cluster's metadata, broke: {offline.reason}")
        else:
            broker.lifecycle.wake()

    def _has_metadata(self, path: str) -> bool:
        config = self._broker.config
        return os.path.abspath(config.metadata_log_dir or config.log_dirs[0]) == path

    def _stop(self, reason: str) -> None:
        self._broker.break_down(KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, reason))
