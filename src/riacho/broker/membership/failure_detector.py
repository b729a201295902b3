"""Which brokers are gone, sooner than their sessions tell: the active controller's own look at them.

A session of nine seconds is right for a broker that is silent: it may be slow, or cut off. One whose process has died
is another thing: its heartbeat connection ends, and its port refuses connections. Both together are proof enough, and
fencing is never unsafe, so such a broker is fenced at once and its partitions have new leaders within milliseconds. A
port that answers, or does not answer at all, leaves the matter to the session.

A controller that becomes active has no heartbeat connections yet: it looks at every broker that does not report soon.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.client.tasks import Tasks

if TYPE_CHECKING:
    from riacho.base.ports import Clock, Network
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.metadata.image.brokers import Broker

# A broker finds the new controller within this time, if it lives.
_FIRST_CONTACT_MS = 100
# So long a new controller waits for all to report before it fences the first: were nobody in contact, the partitions
# that a dead broker led would have to be taken for ones that nobody is left of.
_FIRST_REPORTS_MS = 500
_REPORTS_CHECK_MS = 10
_PROBE_TIMEOUT_MS = 1_000
_SESSION_CHECK_MS = 100
_REFUSALS = 2
# Between looks: soon at first, then for as long as a live broker may take to report.
_PROBE_PAUSES_MS = (10, 10, 20, 20, 40, 100, 200, 400, 400, 400, 400)
_UNKNOWN_OFFSET = -1


class FailureDetector:
    def __init__(self, node_id: int, controller: ControllerDriver, network: Network, clock: Clock, logs: Logs) -> None:
        self._node_id = node_id
        self._controller = controller
        self._network = network
        self._clock = clock
        self._logs = logs
        self._tasks: Tasks[None] = Tasks()
        self._is_closed = False
        self._watched: dict[int, object] = {}
        # The brokers on record and those in contact when the absent last left.
        self._released_to: tuple[object, set[int]] = (None, set())
        # Found gone since this controller became active; until when the others may take to report.
        self._refused: set[int] = set()
        self._reports_due_s = 0.0

    # What happens

    def activated(self) -> None:
        self._watched.clear()
        self._released_to = (None, set())
        self._refused.clear()
        self._reports_due_s = asyncio.get_running_loop().time() + _FIRST_REPORTS_MS / 1000
        if not self._is_closed:
            self._tasks.start(self._look_around())

    def heartbeat(self, broker_id: int, connection: object) -> None:
        """A heartbeat came by this connection."""
        self._watched[broker_id] = connection

    def is_connected(self, broker_id: int) -> bool:
        return broker_id in self._watched

    def in_contact(self) -> set[int]:
        """Brokers that are surely there: they sent a heartbeat lately, and are connected, save this node's own."""
        in_contact = self._controller.heartbeats.in_contact(self._clock.monotonic_ms())
        return {id for id in in_contact if id in self._watched or id == self._node_id}

    def connection_lost(self, connection: object) -> None:
        for broker_id, watched in list(self._watched.items()):
            if watched is connection:
                del self._watched[broker_id]
                if self._controller.is_active and not self._is_closed:
                    self._tasks.start(self._probe(broker_id))

    # Looking

    async def run(self) -> None:
        """Fence brokers whose sessions ended, while this node is the active controller."""
        controller = self._controller
        while True:
            await asyncio.sleep(_SESSION_CHECK_MS / 1000)
            if controller.is_active:
                expired = controller.heartbeats.expired(self._clock.monotonic_ms())
                if expired:
                    await self._fence(expired, "its session ended")
                await self._release()

    async def _release(self) -> None:
        """Somebody new is in contact: the partitions that it leads need not wait for those who are not there."""
        in_contact, image = self.in_contact(), self._controller.image
        if in_contact <= self._released_to[1] and image.brokers is self._released_to[0]:
            return
        self._released_to = (image.brokers, in_contact)
        try:
            await self._controller.decided(lambda controller: controller.release_absent(in_contact))
        except KafkaError as error:
            self._logs.error.warning("the absent stay in sync error=%s", error)
            self._released_to = (None, set())

    async def _look_around(self) -> None:
        await asyncio.sleep(_FIRST_CONTACT_MS / 1000)
        controller = self._controller
        if not controller.is_active:
            return
        silent = [
            broker.id
            for broker in controller.image.brokers.values()
            if not broker.is_fenced and broker.id != self._node_id and broker.id not in self._watched
        ]
        await asyncio.gather(*(self._probe(broker_id) for broker_id in silent))

    async def _probe(self, broker_id: int) -> None:
        """Fence this run of the broker when its ports refuse connections, twice in a row.

        A process that is being torn down loses its connections before its listening sockets: the first look may find
        them still open. So it is looked at again, until it reports or its session is the better judge.
        """
        first = self._controller.image.brokers.get(broker_id)
        refusals = 0
        for pause_ms in _PROBE_PAUSES_MS:
            if first is None or not self._is_still(first):
                return
            is_refused = await self._is_refused([(endpoint.host, endpoint.port) for endpoint in first.endpoints])
            refusals = refusals + 1 if is_refused else 0
            if refusals == _REFUSALS:
                self._refused.add(broker_id)
                await self._reports()
                if self._is_still(first):
                    await self._fence([broker_id], "its port refuses connections")
                return
            await asyncio.sleep(pause_ms / 1000)

    async def _reports(self) -> None:
        """Until every other broker on record as up is in contact or found gone, where this controller is new."""
        while asyncio.get_running_loop().time() < self._reports_due_s:
            known = self.in_contact() | self._refused
            brokers = self._controller.image.brokers.values()
            if all(broker.is_fenced or broker.id in known for broker in brokers):
                return
            await asyncio.sleep(_REPORTS_CHECK_MS / 1000)

    def _is_still(self, known: Broker) -> bool:
        """Whether this run of the broker is still on record as up, silent, and ours to fence."""
        controller = self._controller
        current = controller.image.brokers.get(known.id)
        return (
            controller.is_active
            and known.id not in self._watched
            and current is not None
            and current.epoch == known.epoch
            and not current.is_fenced
        )

    async def _is_refused(self, addresses: list[tuple[str, int]]) -> bool:
        for host, port in addresses:
            try:
                async with asyncio.timeout(_PROBE_TIMEOUT_MS / 1000):
                    transport, _ = await self._network.connect(host, port, asyncio.Protocol)
            except ConnectionRefusedError:
                continue
            except (OSError, TimeoutError):
                return False
            transport.abort()
            return False
        return bool(addresses)

    async def _fence(self, broker_ids: list[int], reason: str) -> None:
        heartbeats = self._controller.heartbeats
        for broker_id in broker_ids:
            self._logs.error.warning("broker is fenced broker_id=%d reason=%s", broker_id, reason)
            heartbeats.remove(broker_id)
        try:
            in_contact = self.in_contact()
            await self._controller.decided(lambda controller: controller.fence_brokers(broker_ids, in_contact))
        except KafkaError as error:
            self._logs.error.warning("fencing failed brokers=%s error=%s", broker_ids, error)
            # Still on record as up, on a full disk say: without a session nobody would ever look at it again.
            for broker_id in broker_ids:
                if not heartbeats.has_contact(broker_id):
                    heartbeats.touch(broker_id, _UNKNOWN_OFFSET, self._clock.monotonic_ms())

    def close(self) -> None:
        """The node stops, and its connections end after this."""
        self._is_closed = True
        self._tasks.cancel()
