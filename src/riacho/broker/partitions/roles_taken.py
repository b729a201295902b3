"""Roles that partitions took in one go, for the log: one by one while they are few, in sum when they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.metadata.image.topics import Partition

_LOGGED_ONE_BY_ONE_MAX = 20


class RolesTaken:
    def __init__(self) -> None:
        self._few: list[str] = []
        self._leaders = 0
        self._followers = 0

    def taken(self, hosted: HostedPartition, state: Partition) -> None:
        role = "leader" if hosted.is_leader else "follower"
        self._leaders += hosted.is_leader
        self._followers += not hosted.is_leader
        if len(self._few) < _LOGGED_ONE_BY_ONE_MAX:
            log = hosted.log
            self._few.append(
                f"role taken partition={hosted.topic}-{hosted.index} role={role} leader={hosted.leader_id}"
                f" leader_epoch={hosted.leader_epoch} isr={','.join(map(str, state.isr))}"
                f" log_end_offset={log.log_end_offset} high_watermark={log.high_watermark}"
            )

    def log_roles(self, logs: Logs) -> None:
        if not self._few:
            return
        if self._leaders + self._followers > _LOGGED_ONE_BY_ONE_MAX:
            logs.error.info("roles taken leaders=%d followers=%d", self._leaders, self._followers)
        else:
            for line in self._few:
                logs.error.info("%s", line)
        self._few, self._leaders, self._followers = [], 0, 0
