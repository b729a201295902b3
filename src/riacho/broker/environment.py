"""The real world behind the ports: the machine's clock, its random bytes, its sockets, its disk and its threads."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from riacho.base.ports import Clock, Files, Network, Rng
from riacho.log.real_files import RealFiles

_BACKLOG = 4096


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


class SystemRng:
    def token(self, size_bytes: int) -> bytes:
        return os.urandom(size_bytes)


class BoundSocket:
    """A port that is ours; from here on clients wait in its backlog until somebody serves it."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.port: int = sock.getsockname()[1]

    def close(self) -> None:
        self.socket.close()


class SystemNetwork:
    """TCP, on the running event loop."""

    def bind(
        self, host: str, port: int, *, send_buffer_size_bytes: int = -1, receive_buffer_size_bytes: int = -1
    ) -> BoundSocket:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6 and not host:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            sock.bind(address)
            # Set once, inherited by every connection.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if send_buffer_size_bytes > 0:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_size_bytes)
            if receive_buffer_size_bytes > 0:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_size_bytes)
            sock.setblocking(False)
            sock.listen(_BACKLOG)
        except OSError:
            sock.close()
            raise
        return BoundSocket(sock)

    async def serve(self, bound: BoundSocket, protocol_factory: Callable[[], Any]) -> asyncio.Server:
        loop = asyncio.get_running_loop()
        return await loop.create_server(protocol_factory, sock=bound.socket, backlog=_BACKLOG)

    async def connect(
        self, host: str, port: int, protocol_factory: Callable[[], Any], *, tls: Any = None
    ) -> tuple[Any, Any]:
        """A name may have several addresses. Loops tell their failures as one vague error, so they are tried here:
        only when every one refuses is the port known to have nobody behind it."""
        loop = asyncio.get_running_loop()
        failures: list[OSError] = []
        for address in await _addresses(loop, host, port):
            try:
                if tls is not None:
                    return await loop.create_connection(protocol_factory, address, port, ssl=tls, server_hostname=host)
                return await loop.create_connection(protocol_factory, address, port)
            except OSError as error:
                failures.append(error)
        raise next((error for error in failures if not isinstance(error, ConnectionRefusedError)), failures[0])


async def _addresses(loop: asyncio.AbstractEventLoop, host: str, port: int) -> list[str]:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except OSError:
            continue
        return [host]
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _thread(name: str) -> Executor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)


@dataclass(frozen=True, slots=True)
class Environment:
    clock: Clock
    rng: Rng
    network: Network = field(default_factory=SystemNetwork)
    # One worker under a name, for work that would hold up the loop.
    executor: Callable[[str], Executor] = _thread
    files: Files = field(default_factory=RealFiles)


def real_environment() -> Environment:
    return Environment(clock=SystemClock(), rng=SystemRng())
