"""The active controller: decide, append, apply, and reply once the quorum has it.

Theory of operation. The node that leads the metadata quorum decides. It becomes active when the first record of its
epoch is committed, since then everything before is committed too and its image is whole. It decides on an image at the
end of its log, ahead of what is committed, so requests need not wait for each other; a reply leaves when all that was
appended up to its decision is committed. Losing the leadership drops the image ahead and refuses all who wait with
NOT_CONTROLLER: what they asked for may still be committed by the next leader, so they must look before they ask again.

`submit` gives the reply itself when nothing has to be waited for (a quorum of one), else a promise of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.metadata_cache import MetadataCache, values_under
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.metadata.controller import Controller
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import record_batch
from riacho.metadata.members.heartbeats import BrokerHeartbeats

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.raft_driver import RaftDriver
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.settings.broker_values import BrokerValues

T = TypeVar("T")
Decide = Callable[[Controller], Decision[MetadataRecord, T]]


class ControllerDriver:
    def __init__(
        self, raft: RaftDriver, metadata: MetadataCache, clock: Clock, logs: Logs, new_uuid: Callable[[], bytes]
    ) -> None:
        self.is_active = False
        self.heartbeats = BrokerHeartbeats(metadata.config.get("broker.session.timeout.ms"))
        self.on_activated: list[Callable[[], None]] = []
        self._raft = raft
        self._metadata = metadata
        self._clock = clock
        self._logs = logs
        self._new_uuid = new_uuid
        # Ahead of what is committed, while active: the image at the end of the log, and those on the way to it.
        self._image = metadata.image
        self._ahead: deque[tuple[int, MetadataImage]] = deque()
        self._values: BrokerValues | None = None
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @property
    def image(self) -> MetadataImage:
        """What the next decision is made on."""
        return self._image if self.is_active else self._metadata.image

    # Deciding

    def submit(self, decide: Decide[T]) -> Outcome[T]:
        """Decide and make it durable: the reply, or a promise of it where other voters must have it first."""
        if not self.is_active:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, "this node is not the active controller")
        if self._image.end_offset != self._raft.log.end_offset:
            # The quorum put a record of its own into the log; a broker's epoch is the offset of its registration.
            self._image = self._image.apply([], self._raft.log.end_offset)
        decision = decide(Controller(self._image, self.values, self._new_uuid))
        self._append(decision.records)
        if not self.is_active:
            # The log broke within the append.
            raise _lost()
        if not self._ahead:
            return decision.reply
        return Later.of(self._when_committed(self._image.end_offset, decision.reply))

    async def decided(self, decide: Decide[T]) -> T:
        """`submit`, for those who can wait."""
        return await settled(self.submit(decide))

    def propose(self, decide: Decide[T]) -> None:
        """Decide and append, with nobody waiting for the commit."""
        if self.is_active:
            self._append(decide(Controller(self._image, self.values, self._new_uuid)).records)

    def _append(self, records: list[MetadataRecord]) -> None:
        if not records:
            return
        batch = record_batch(records, 0, self._raft.node.epoch, self._clock.now_ms())
        before = self._image
        # Known before the append returns: alone, the commit comes within it.
        end_offset = self._raft.log.end_offset + len(records)
        self._image = before.apply(records, end_offset)
        if self._image.configs is not before.configs:
            self._values = None
        self._ahead.append((end_offset, self._image))
        try:
            self._raft.append(batch)
        except KafkaError as error:
            if not self.is_active:
                # The log is broken for good: another node will decide.
                raise _lost() from error
            self._ahead.pop()
            self._image = before
            self._values = None
            raise

    async def _when_committed(self, end_offset: int, reply: T) -> T:
        if self.is_active and (not self._ahead or self._ahead[0][0] > end_offset):
            return reply
        if not self.is_active:
            raise _lost()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((end_offset, future))
        await future
        return reply

    @property
    def values(self) -> BrokerValues:
        if self._values is None:
            self._values = values_under(self._image, self._metadata.config)
        return self._values

    # What the quorum tells

    def committed_image(self, offset: int) -> MetadataImage | None:
        """The image at `offset` if this controller made it; whoever asks publishes it."""
        found = None
        while self._ahead and self._ahead[0][0] <= offset:
            found = self._ahead.popleft()[1]
        return found

    def committed(self, offset: int) -> None:
        while self._waiting and self._waiting[0][0] <= offset:
            _settle(self._waiting.popleft()[1], None)
        if not self.is_active and self._raft.is_leader and offset > self._raft.node.epoch_start_offset:
            self._activate()

    def _activate(self) -> None:
        self.is_active = True
        self._image = self._metadata.image
        self._values = None
        self.heartbeats.activate(self._image, self._clock.monotonic_ms())
        self._logs.error.info("controller active epoch=%d end_offset=%d", self._raft.node.epoch, self._image.end_offset)
        for act in self.on_activated:
            act()

    def leader_changed(self) -> None:
        if self.is_active and not self._raft.is_leader:
            self.is_active = False
            self._ahead.clear()
            waiting, self._waiting = self._waiting, deque()
            for _, future in waiting:
                _settle(future, _lost())
            self._logs.error.info("controller no longer active epoch=%d", self._raft.node.epoch)


def _lost() -> KafkaError:
    return KafkaError(ErrorCode.NOT_CONTROLLER, "this node is no longer the active controller")


def _settle(future: asyncio.Future[None], error: KafkaError | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
