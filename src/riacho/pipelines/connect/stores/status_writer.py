"""What the leader writes down besides decisions: states to the status topic, offsets to where they belong.

Everything is in memory at once and on its way to Kafka by one task. What comes faster than it can be written replaces
what waits under the same key. A write that fails is logged and tried again after a while, as long as this worker leads:
which `confirm` says before each one, as a leader may have been deposed while it stood still (`lease.py`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from riacho.pipelines.connect.decisions.jobs import Report
from riacho.pipelines.connect.protocol import Progress
from riacho.pipelines.connect.records import offset_of
from riacho.pipelines.connect.stores.sink_offsets import SinkOffsets
from riacho.pipelines.connect.stores.source_offsets import Pair, SourceOffsets
from riacho.pipelines.connect.stores.statuses import Change, Statuses
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreRefused, StoreTopics
from riacho.single_writer.errors import LogError, NotLeader, ReplicatedLogError

_log = logging.getLogger("riacho.connect")
_AGAIN_S = 1.0
K = TypeVar("K")
V = TypeVar("V")
Confirm = Callable[[], Awaitable[None]]


class StatusWriter:
    def __init__(
        self,
        store: StoreTopics,
        statuses: Statuses,
        source_offsets: SourceOffsets,
        sink_offsets: SinkOffsets,
        *,
        status_topic: str,
        offsets_topic: str,
        is_tracking_topics: bool = True,
        confirm: Confirm | None = None,
    ) -> None:
        self.statuses = statuses
        self.worker_id = ""
        self._store = store
        self._source_offsets = source_offsets
        self._sink_offsets = sink_offsets
        self._status_topic = status_topic
        self._offsets_topic = offsets_topic
        self._is_tracking_topics = is_tracking_topics
        self._confirm = confirm
        # connector -> (type, version)
        self._known: dict[str, tuple[str, str]] = {}
        # What waits to be written: by key, and of sink connectors by name.
        self._statuses: dict[bytes, bytes | None] = {}
        self._positions: dict[bytes, bytes | None] = {}
        self._committed: dict[str, list[Pair]] = {}
        self._term = 0
        self._writing: asyncio.Task[None] | None = None
        self._again: asyncio.TimerHandle | None = None

    async def own(self) -> None:
        """This worker writes now: it has seen what others wrote. StoreError."""
        await self._store.catch_up()
        self._store.own(True)

    def disown(self) -> None:
        self._term += 1
        self._forget_all()
        if self._again is not None:
            self._again.cancel()
        self._store.own(False)

    def know(self, name: str, kind: str, version: str) -> None:
        self._known[name] = (kind, version)

    def report(self, report: Report) -> None:
        version = self._known.get(report.name, ("", None))[1]
        self._change(self.statuses.reported(report, self.worker_id, version))
        _log.info("connector is %s name=%s generation=%d", report.state.value, report.name, report.generation)

    def forget(self, name: str) -> None:
        self._change(self.statuses.forgotten(name))
        self._committed.pop(name, None)
        self._known.pop(name, None)

    def reset_topics(self, name: str) -> None:
        self._change(self.statuses.topics_reset(name))

    def progressed(self, event: Progress) -> None:
        if self._is_tracking_topics:
            self._change(self.statuses.topics_used(event.name, event.topics, _epoch_ms()))
        if event.offsets:
            pairs = [{"partition": dict(each.partition), "offset": each.offset} for each in event.offsets]
            self._progressed_to(event.name, pairs)
            self._write()

    async def flush(self) -> None:
        """What was said until now is written, or has failed to be."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])

    def _progressed_to(self, name: str, pairs: list[Pair]) -> None:
        if self._known.get(name, ("",))[0] == "sink":
            self._committed[name] = [pair for pair in pairs if pair["offset"] is not None]
            return
        for key, value in self._source_offsets.changes(name, pairs):
            self._source_offsets.apply(key, value)
            self._positions[key] = value

    def _change(self, changes: list[Change]) -> None:
        for key, value in changes:
            self.statuses.apply(key, value)
            self._statuses[key] = value
        if changes:
            self._write()

    def _write(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all(), name="connect-keeping")

    async def _write_all(self) -> None:
        """Ends when nothing waits, or something failed: then it begins again after a while."""
        term = self._term
        is_well = True
        while is_well and (self._statuses or self._positions or self._committed):
            if self._confirm is not None and not await self._leads(self._confirm):
                is_well = False
                break
            statuses, self._statuses = self._statuses, {}
            if not await self._is_done(self._store.put(self._status_topic, list(statuses.items()))):
                is_well, self._statuses = False, self._kept(term, statuses, self._statuses)
            positions, self._positions = self._positions, {}
            if not await self._is_done(self._store.put(self._offsets_topic, list(positions.items()))):
                is_well, self._positions = False, self._kept(term, positions, self._positions)
            committed, self._committed = self._committed, {}
            for name, pairs in committed.items():
                if not await self._is_done(self._sink_offsets.alter(name, pairs)):
                    is_well, self._committed = False, self._kept(term, {name: pairs}, self._committed)
        if not is_well and term == self._term:
            self._again = asyncio.get_running_loop().call_later(_AGAIN_S, self._write)

    async def _leads(self, confirm: Confirm) -> bool:
        try:
            await confirm()
        except NotLeader:
            _log.warning("status and offsets are left to the worker that leads now")
            self._forget_all()
            return False
        except ReplicatedLogError as error:
            _log.warning("status or offsets were not written reason=%s", error)
            return False
        return True

    def _forget_all(self) -> None:
        for waiting in (self._statuses, self._positions, self._committed):
            waiting.clear()

    def _kept(self, term: int, failed: dict[K, V], newer: dict[K, V]) -> dict[K, V]:
        """What is to be tried again. What a term that is over left is the next leader's affair."""
        return {**failed, **newer} if term == self._term else newer

    async def _is_done(self, writing: Awaitable[None]) -> bool:
        try:
            await writing
        except StoreRefused as error:
            _log.warning("offsets were refused reason=%s", error)
        except (StoreError, LogError) as error:
            _log.warning("status or offsets were not written reason=%s", error)
            return False
        return True

    async def let_go_of_offsets(self, name: str) -> None:
        """Somebody is about to move them by hand: what still waits to be written must not come after that."""
        await self.flush()
        self._committed.pop(name, None)
        for key in [key for key in self._positions if (offset_of(key) or ("",))[0] == name]:
            del self._positions[key]

    async def put_source_offsets(self, changes: list[Change]) -> None:
        """By hand; StoreError."""
        await self._store.put(self._offsets_topic, changes)


def _epoch_ms() -> int:
    return time.time_ns() // 1_000_000
