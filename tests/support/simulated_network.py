"""The network of a simulated world: hosts with ports, links with delays, and cuts between them.

Every host has one network of the port's shape (`riacho.base.ports.Network`). A link has a direction, so a cut may be of
one direction only. Connecting takes a round trip; it is refused where nobody listens, and waits where a link is cut or
the machine is off, trying again as TCP does with growing pauses.
"""

from __future__ import annotations

import asyncio
import errno
import zlib
from collections.abc import Callable, Iterable
from contextvars import Context, copy_context
from random import Random
from typing import Any

from support.simulated_time import SimulatedLoop
from support.simulated_trace import Trace
from support.simulated_transport import Pipe, SimulatedTransport

Link = tuple[str, str]

_DELAY_US = (40, 900)
# Now and then a packet is lost and comes with its second try.
_LATE_ONE_IN = 200
_LATE_US = (1_000, 60_000)
_SYN_RETRIES_US = (1_000_000, 2_000_000, 4_000_000, 8_000_000)
_FIRST_FREE_PORT = 40_000


class Bound:
    def __init__(self, network: SimulatedNetwork, host: str, port: int) -> None:
        self.port = port
        self.context = copy_context()
        self.factory: Callable[[], Any] | None = None
        self._network = network
        self._host = host
        self._serving: list[asyncio.Future[None]] = []

    def serve(self, factory: Callable[[], Any]) -> None:
        self.factory = factory
        waiting, self._serving = self._serving, []
        for future in waiting:
            _settle(future)

    async def served(self) -> None:
        """Who comes before anyone accepts waits in the backlog."""
        if self.factory is None:
            future = asyncio.get_running_loop().create_future()
            self._serving.append(future)
            await future

    def close(self) -> None:
        if self._network.bound.get((self._host, self.port)) is self:
            del self._network.bound[self._host, self.port]
        waiting, self._serving = self._serving, []
        for future in waiting:
            if not future.done():
                future.set_exception(ConnectionResetError(errno.ECONNRESET, "connection reset by peer"))


class SimulatedNetwork:
    def __init__(self, loop: SimulatedLoop, rng: Random, trace: Trace) -> None:
        self.loop = loop
        self.rng = rng
        self.trace = trace
        # What the network does is nobody's in particular.
        self.context = Context()
        self.bound: dict[tuple[str, int], Bound] = {}
        self.message_count = 0
        self._cut: set[Link] = set()
        self._off: set[str] = set()
        self._delays: dict[Link, tuple[int, int]] = {}
        self._stalled: dict[Pipe, asyncio.TimerHandle] = {}
        self._transports: dict[SimulatedTransport, None] = {}
        self._next_port = _FIRST_FREE_PORT

    def host(self, name: str) -> HostNetwork:
        return HostNetwork(self, name)

    # --- what goes wrong

    def cut(self, links: Iterable[Link]) -> None:
        self._cut.update(links)

    def heal(self, links: Iterable[Link] | None = None) -> None:
        """These links, or all; slow ones are as fast as others again."""
        if links is None:
            self._cut.clear()
            self._delays.clear()
        else:
            self._cut.difference_update(links)
        self._resume()

    def slow_down(self, links: Iterable[Link], delay_us: tuple[int, int]) -> None:
        for link in links:
            self._delays[link] = delay_us

    def reset_connections(self, host: str) -> int:
        """Both ends of every connection of this host find it broken."""
        broken = [transport for transport in self._transports if host in transport.outgoing.link]
        for transport in broken:
            transport.lose(ConnectionResetError(errno.ECONNRESET, "connection reset by peer"))
        return len(broken)

    def crash(self, host: str, *, silently: bool) -> None:
        """The process ends; silently, when the whole machine does."""
        for bound in [bound for (name, _), bound in self.bound.items() if name == host]:
            bound.close()
        if silently:
            self._off.add(host)
        for transport in [transport for transport in self._transports if transport.own[0] == host]:
            transport.die(silently=silently)

    def boot(self, host: str) -> None:
        self._off.discard(host)
        self._resume()

    # --- what links do

    def is_cut(self, link: Link) -> bool:
        return link in self._cut or link[0] in self._off or link[1] in self._off

    def delay_us(self, link: Link, size_bytes: int) -> int:
        low, high = self._delays.get(link, _DELAY_US)
        if link[0] == link[1]:
            low, high = 10, 60
        elif self.chance(_LATE_ONE_IN):
            high += self.rng.randrange(*_LATE_US)
        # A gigabit: 125 bytes in a microsecond.
        return low + int(self.rng.random() * (high - low)) + size_bytes // 125

    def chance(self, one_in: int) -> bool:
        return self.rng.random() * one_in < 1

    def stall(self, pipe: Pipe) -> None:
        if pipe not in self._stalled:
            self._stalled[pipe] = self.loop.at_us(pipe.give_up_us(), self._give_up, pipe, context=self.context)

    def _give_up(self, pipe: Pipe) -> None:
        if pipe in self._stalled:
            pipe.give_up()

    def _resume(self) -> None:
        for pipe, timer in list(self._stalled.items()):
            if not self.is_cut(pipe.link):
                timer.cancel()
                del self._stalled[pipe]
                pipe.healed()

    def delivered(self, link: Link, data: bytes) -> None:
        self.message_count += 1
        self.trace.message(self.loop.now_us, f"{link[0]} > {link[1]} {len(data)} {zlib.crc32(data):08x}")

    def forget(self, transport: SimulatedTransport) -> None:
        self._transports.pop(transport, None)

    # --- connecting

    async def connect(self, host: str, remote: tuple[str, int], factory: Callable[[], Any]) -> tuple[Any, Any]:
        there, back = (host, remote[0]), (remote[0], host)
        for pause_us in (*_SYN_RETRIES_US, None):
            await self._sleep_us(self.delay_us(there, 0))
            if not self.is_cut(there) and not self.is_cut(back):
                break
            if pause_us is None:
                raise TimeoutError(errno.ETIMEDOUT, "connection timed out")
            await self._sleep_us(pause_us)
        bound = self.bound.get(remote)
        if bound is None:
            await self._sleep_us(self.delay_us(back, 0))
            raise ConnectionRefusedError(errno.ECONNREFUSED, "connection refused")
        await bound.served()
        self._next_port += 1
        ours, theirs = self._pair((host, self._next_port), remote, bound)
        self.loop.call_soon(self._accept, theirs, bound, context=bound.context)
        try:
            await self._sleep_us(self.delay_us(back, 0))
        except asyncio.CancelledError:
            ours.abort()
            raise
        if ours.is_closing():
            raise ConnectionResetError(errno.ECONNRESET, "connection reset by peer")
        protocol = factory()
        ours.open(protocol)
        return ours, protocol

    def _pair(
        self, own: tuple[str, int], remote: tuple[str, int], bound: Bound
    ) -> tuple[SimulatedTransport, SimulatedTransport]:
        ours = SimulatedTransport(self, own, remote, copy_context())
        theirs = SimulatedTransport(self, remote, own, bound.context)
        ours.outgoing = theirs.incoming = Pipe(self, ours, theirs)
        ours.incoming = theirs.outgoing = Pipe(self, theirs, ours)
        for transport in (ours, theirs):
            self._transports[transport] = None
        return ours, theirs

    def _accept(self, transport: SimulatedTransport, bound: Bound) -> None:
        assert bound.factory is not None
        transport.open(bound.factory())

    async def _sleep_us(self, duration_us: int) -> None:
        future = self.loop.create_future()
        self.loop.at_us(self.loop.now_us + duration_us, _settle, future)
        await future


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Serving:
    def __init__(self, bound: Bound) -> None:
        self._bound = bound

    def close(self) -> None:
        self._bound.close()


class HostNetwork:
    """The network as one host has it."""

    def __init__(self, network: SimulatedNetwork, host: str) -> None:
        self.network = network
        self.name = host

    def bind(
        self, host: str, port: int, *, send_buffer_size_bytes: int = -1, receive_buffer_size_bytes: int = -1
    ) -> Bound:
        chosen = port
        while (not port and (self.name, chosen) in self.network.bound) or chosen == 0:
            chosen = max(chosen, _FIRST_FREE_PORT - 1) + 1
        if (self.name, chosen) in self.network.bound:
            raise OSError(errno.EADDRINUSE, "Address already in use")
        bound = self.network.bound[self.name, chosen] = Bound(self.network, self.name, chosen)
        return bound

    async def serve(self, bound: Bound, protocol_factory: Callable[[], Any]) -> Serving:
        bound.serve(protocol_factory)
        return Serving(bound)

    async def connect(self, host: str, port: int, protocol_factory: Callable[[], Any]) -> tuple[Any, Any]:
        own = host in ("", "localhost", "127.0.0.1", "::1")
        return await self.network.connect(self.name, (self.name if own else host, port), protocol_factory)
