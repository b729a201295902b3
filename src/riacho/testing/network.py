"""The brokers' ways to each other, which a test can cut and heal.

Every connection between brokers is made through here. A cut closes those that stand between the two sides, and a new
one finds nobody: it waits, as on a network that loses everything, until it is given up or the cut is healed. Clients
are not brokers: they still reach everyone, a broker that was cut off from its cluster too.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from typing import Any

from riacho.broker.environment import BoundSocket, SystemNetwork

_LOOK_S = 0.02
Way = tuple[int, int]


class Cables:
    """Which broker is at which port, who cannot reach whom, and what stands. Used from several threads."""

    def __init__(self) -> None:
        self._node_at: dict[int, int] = {}
        self._cut: set[Way] = set()
        self._standing: dict[Way, list[tuple[asyncio.AbstractEventLoop, asyncio.Transport]]] = {}
        self._lock = threading.Lock()

    def connect_ports(self, node_id: int, ports: Iterable[int]) -> None:
        with self._lock:
            self._node_at.update(dict.fromkeys(ports, node_id))

    def node_at(self, port: int) -> int | None:
        return self._node_at.get(port)

    def is_cut(self, one: int, other: int) -> bool:
        return (one, other) in self._cut

    def cut(self, groups: Iterable[Iterable[int]]) -> None:
        """Nobody reaches anybody of another group."""
        sides = [set(group) for group in groups]
        ways = {(a, b) for here in sides for there in sides if here is not there for a in here for b in there}
        with self._lock:
            self._cut |= ways
            broken = [pair for way in ways for pair in self._standing.pop(way, [])]
        for loop, transport in broken:
            _on_loop(loop, transport.abort)

    def heal(self) -> None:
        with self._lock:
            self._cut.clear()

    def remember(self, way: Way, transport: asyncio.Transport) -> None:
        """A transport that came up while its way was being cut is closed at once."""
        with self._lock:
            if way not in self._cut:
                standing = [pair for pair in self._standing.get(way, []) if not pair[1].is_closing()]
                self._standing[way] = [*standing, (asyncio.get_running_loop(), transport)]
                return
        transport.abort()


class BrokerNetwork(SystemNetwork):
    """The network as one broker sees it."""

    def __init__(self, node_id: int, cables: Cables) -> None:
        self._node_id = node_id
        self._cables = cables

    def bind(
        self, host: str, port: int, *, send_buffer_size_bytes: int = -1, receive_buffer_size_bytes: int = -1
    ) -> BoundSocket:
        bound = super().bind(
            host,
            port,
            send_buffer_size_bytes=send_buffer_size_bytes,
            receive_buffer_size_bytes=receive_buffer_size_bytes,
        )
        self._cables.connect_ports(self._node_id, [bound.port])
        return bound

    async def connect(
        self, host: str, port: int, protocol_factory: Callable[[], Any], *, tls: Any = None
    ) -> tuple[Any, Any]:
        other = self._cables.node_at(port)
        while other is not None and self._cables.is_cut(self._node_id, other):
            await asyncio.sleep(_LOOK_S)
        transport, protocol = await super().connect(host, port, protocol_factory, tls=tls)
        if other is not None:
            self._cables.remember((self._node_id, other), transport)
        return transport, protocol


def _on_loop(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(act)
    except RuntimeError:
        # Its broker is gone, and the connection with it.
        return
