"""What a broker does when a log directory is full: leaderships move to replicas that may have room, and nothing else.

A full disk refuses writes; what is on it is well. So the directory stays in service, other than one that broke
(`broken_directories.py`). A leader whose write was refused for want of room asks the controller for an ISR without
itself (AlterPartition), and the controller elects another of that ISR. It does so only

- while `min.insync.replicas` are left without it, since otherwise nothing would be won for acks=all, and copies that
  count would be given away. So where all replicas are on full disks, leadership comes to rest;
- when the others have all that it has: what was acknowledged with acks=1 must not be cut off.

Until there is room, it does not follow the new leader, nor does a follower whose write was refused. A replica whose log
happens to be level would otherwise be in sync again at once, and be given the leadership back, to no avail. When there
is room it follows, catches up, and is one of those who may lead.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.log.free_space import has_free_space, remove_probe

if TYPE_CHECKING:
    from riacho.base.ports import Clock, Files
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.log.directories import LogDirectories

_ROOM_CHECK_S = 1.0
# A controller that refuses, as Apache Kafka's does, is asked again after this long.
_ASK_AGAIN_MS = 10_000
_NEVER_MS = -_ASK_AGAIN_MS


class FullDirectories:
    def __init__(
        self,
        directories: LogDirectories,
        replicas: Replicas,
        files: Files,
        clock: Clock,
        logs: Logs,
        role_changed: Callable[[HostedPartition], None],
    ) -> None:
        """`role_changed` is called with replicas that may not follow for want of room, and of those that may again."""
        self._directories = directories
        self._replicas = replicas
        self._files = files
        self._clock = clock
        self._logs = logs
        self._role_changed = role_changed
        self._loop = asyncio.get_running_loop()
        # By path: the partitions there that wait for room, and when this broker asked for other leaders of them.
        self._full: dict[str, dict[HostedPartition, int]] = {}
        self._refused: set[tuple[str, int]] = set()
        self._timer: asyncio.TimerHandle | None = None
        for directory in directories.directories:
            remove_probe(directory.path, files)
        directories.on_full.append(self._write_refused)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._directories.on_full.remove(self._write_refused)

    def _write_refused(self, topic: str, index: int) -> None:
        """Whoever found out is in the midst of something."""
        if not self._refused:
            self._loop.call_soon(self._move_leaders)
        self._refused.add((topic, index))

    def _move_leaders(self) -> None:
        refused, self._refused = sorted(self._refused), set()
        for topic, index in refused:
            hosted = self._replicas.by_name.get(topic, {}).get(index)
            if hosted is None:
                continue
            asked_ms = self._asked_in(os.path.dirname(hosted.log.directory))
            if hosted.is_leader:
                self._move_leader(hosted, asked_ms)
            else:
                asked_ms[hosted] = _NEVER_MS
                hosted.is_without_room = True
                self._role_changed(hosted)

    def _asked_in(self, path: str) -> dict[HostedPartition, int]:
        found = self._full.get(path)
        if found is None:
            found = self._full[path] = {}
            self._logs.error.error("log directory is full path=%s", path)
            self._set_timer()
        return found

    def _move_leader(self, hosted: HostedPartition, asked_ms: dict[HostedPartition, int]) -> None:
        now_ms = self._clock.monotonic_ms()
        if hosted in asked_ms and now_ms - asked_ms[hosted] < _ASK_AGAIN_MS:
            return
        if hosted.resign():
            asked_ms[hosted] = now_ms
            hosted.is_without_room = True
            self._logs.error.warning(
                "leadership is given up for want of room partition=%s-%d", hosted.topic, hosted.index
            )

    # Room again

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(_ROOM_CHECK_S, self._look_for_room)

    def _look_for_room(self) -> None:
        self._timer = None
        for path in tuple(self._full):
            is_offline = path in self._directories.offline
            if not is_offline and not has_free_space(path, self._files):
                continue
            if not is_offline:
                self._logs.error.info("log directory has room again path=%s", path)
            for hosted in self._full.pop(path):
                hosted.is_without_room = False
                self._role_changed(hosted)
        if self._full:
            self._set_timer()
