"""What a broker does when one of its log directories breaks while it runs (KIP-112, KIP-858).

The partitions in it are out of service at once: requests that wait for them fail, and new ones get
KAFKA_STORAGE_ERROR. The next heartbeat, which goes out now, tells the controller, which gives leadership to others. The
other directories go on. Without any, or without the metadata log, the broker can keep none of its promises and stops.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig
    from riacho.broker.logs import Logs
    from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.log.directories import LogDirectories, OfflineDirectory


class BrokenDirectories:
    def __init__(
        self,
        config: BrokerConfig,
        directories: LogDirectories,
        replicas: Replicas,
        lifecycle: BrokerLifecycle,
        logs: Logs,
        gone: Callable[[HostedPartition], None],
        break_down: Callable[[KafkaError], None],
    ) -> None:
        """`gone` is called with each replica that is out of service, `break_down` with why the broker has to stop."""
        self._metadata_path = os.path.abspath(config.metadata_log_dir or config.log_dirs[0])
        self._replicas = replicas
        self._lifecycle = lifecycle
        self._logs = logs
        self._gone = gone
        self._break_down = break_down
        self._loop = asyncio.get_running_loop()
        directories.on_offline.append(self._schedule)

    def _schedule(self, offline: OfflineDirectory) -> None:
        """Whoever found out is in the midst of something."""
        self._loop.call_soon(partial(self._take_out, offline))

    def _take_out(self, offline: OfflineDirectory) -> None:
        self._logs.error.error(
            "log directory is out of service path=%s partitions=%d reason=%s",
            offline.path,
            len(offline.partitions),
            offline.reason,
        )
        for topic, index in offline.partitions:
            hosted = self._replicas.by_name.get(topic, {}).pop(index, None)
            if hosted is not None:
                self._gone(hosted)
                hosted.go()
        if offline.is_last:
            self._stop(f"no log directory is left; {offline.path}: {offline.reason}")
        elif offline.path == self._metadata_path:
            self._stop(f"{offline.path}, which has the cluster's metadata, broke: {offline.reason}")
        else:
            self._lifecycle.wake()

    def _stop(self, reason: str) -> None:
        self._break_down(KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, reason))
