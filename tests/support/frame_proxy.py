"""A network that can be cut where no namespaces are to be had: a proxy in front of every listener of every node.

Nodes advertise the proxy's ports. The proxy moves whole Kafka frames and, while a rule says so, holds them: nothing is
lost or torn, it just does not arrive, as on a cut cable whose TCP connections have not timed out yet. Who connects is
found out from the kernel (the process that owns the other end of the socket), so a cut can be between two nodes and in
one direction only. Rules can also name API keys, to hold, say, the Fetch requests of followers and nothing else.
What differs from a real cut: a new connection is accepted, then silent, where a real one would not come about.

The proxy is a process of its own, so that busy clients in the tests' process cannot slow the network down. It takes
orders as lines of JSON on its standard input and answers each with a line.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from support.cluster_processes import CLIENTS

HOST = "127.0.0.1"
FRAME_SIZE_BYTES_MAX = 100 << 20
# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST = 1
_HEADER_SIZE_BYTES = 16
_INODE_AT = 68


@dataclass(frozen=True, slots=True)
class Rule:
    source: int
    target: int
    api_keys: frozenset[int] | None  # of requests; None also holds answers and connection ends

    def holds(self, source: int, target: int, api_key: int | None) -> bool:
        return (source, target) == (self.source, self.target) and (self.api_keys is None or api_key in self.api_keys)


class ProxyNetwork:
    """A wiring (see `cluster_processes`): starts the proxy and tells it what to do."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            text=True,
        )

    def host(self, node_id: int) -> str:
        return HOST

    def advertise(self, node_id: int, port: int) -> tuple[str, int]:
        return HOST, self._order("listen", node_id, port)

    def prefix(self, node_id: int) -> list[str]:
        return []

    def started(self, node_id: int, pid: int) -> None:
        self._order("started", node_id, pid)

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def cut(self, source: int, target: int, api_keys: frozenset[int] | None = None) -> None:
        """From now on nothing (or no request of these APIs) gets from `source` to `target`."""
        self._order("cut", source, target, None if api_keys is None else sorted(api_keys))

    def heal(self) -> None:
        self._order("heal")

    def _order(self, name: str, *arguments: object) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *arguments]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the proxy ended"
        return int(answer)


class Proxy:
    """Inside the proxy's process: one event loop, rules, and a server for every listener of every node."""

    def __init__(self) -> None:
        self._rules: set[Rule] = set()
        self._pids: dict[int, int] = {}
        self._changed = asyncio.Event()
        self._servers: list[asyncio.Server] = []

    async def obey(self, name: str, *arguments: Any) -> int:
        match name:
            case "listen":
                return await self._listen(*arguments)
            case "started":
                self._pids[arguments[0]] = arguments[1]
            case "cut":
                source, target, api_keys = arguments
                keys = None if api_keys is None else frozenset(api_keys)
                self._change(self._rules | {Rule(source, target, keys)})
            case "heal":
                self._change(set())
        return 0

    def _change(self, rules: set[Rule]) -> None:
        self._rules = rules
        self._changed.set()
        self._changed = asyncio.Event()

    async def _listen(self, node_id: int, port: int) -> int:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await self._carry(node_id, port, reader, writer)
            except (OSError, asyncio.IncompleteReadError):
                pass  # either side went away, which is what this proxy is for
            finally:
                _abort(writer)

        server = await asyncio.start_server(serve, HOST, 0)
        self._servers.append(server)
        found: int = server.sockets[0].getsockname()[1]
        return found

    async def _carry(self, node_id: int, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inode = inode_of(writer.get_extra_info("peername"), writer.get_extra_info("sockname"))
        source = next((node for node, pid in self._pids.items() if owns(pid, inode)), CLIENTS)
        await self._passable(source, node_id, None)
        there, back = await asyncio.open_connection(HOST, port)
        pumps = [
            asyncio.ensure_future(self._pump(source, node_id, reader, back, is_request=True)),
            asyncio.ensure_future(self._pump(node_id, source, there, writer, is_request=False)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            _abort(back)

    async def _pump(
        self,
        source: int,
        target: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        is_request: bool,
    ) -> None:
        while True:
            try:
                size_bytes = await reader.readexactly(4)
            except (asyncio.IncompleteReadError, ConnectionError):
                await self._passable(source, target, None)  # the news of an ended connection is held as well
                raise
            (size,) = struct.unpack(">i", size_bytes)
            if not 0 <= size <= FRAME_SIZE_BYTES_MAX:
                raise OSError("not a Kafka frame")
            frame = await reader.readexactly(size)
            await self._passable(source, target, struct.unpack_from(">h", frame)[0] if is_request else None)
            writer.write(size_bytes + frame)
            await writer.drain()

    async def _passable(self, source: int, target: int, api_key: int | None) -> None:
        while any(rule.holds(source, target, api_key) for rule in self._rules):
            await self._changed.wait()


def _abort(writer: asyncio.StreamWriter) -> None:
    """Close with a reset, as the kernel does for a process that died."""
    with contextlib.suppress(OSError):
        connection = writer.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def inode_of(local: tuple[str, int], remote: tuple[str, int]) -> int:
    """The socket with these two ends; 0 when it is gone by now.

    The kernel is asked for this one (inet_diag). Its table of all connections has thousands of lines beside other
    tests: a proxy that reads it for each new connection ends up doing nothing else. So that is for where there is no
    other way.
    """
    with contextlib.suppress(OSError):
        found = _asked_for(local, remote)
        if found:
            return found
    return looked_up(local[1], remote[1])


def _asked_for(local: tuple[str, int], remote: tuple[str, int]) -> int:
    ends = struct.pack(">HH4s12x4s12x", local[1], remote[1], socket.inet_aton(local[0]), socket.inet_aton(remote[0]))
    # Family, protocol, nothing besides, any state; no interface, no cookie.
    wanted = struct.pack("=BBBxI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFFFFFFF) + ends
    wanted += struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
    header = struct.pack("=IHHII", _HEADER_SIZE_BYTES + len(wanted), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _NETLINK_SOCK_DIAG) as kernel:
        kernel.send(header + wanted)
        answer = kernel.recv(8_192)
    if struct.unpack_from("=H", answer, 4)[0] != _SOCK_DIAG_BY_FAMILY:
        return 0
    found: int = struct.unpack_from("=I", answer, _HEADER_SIZE_BYTES + _INODE_AT)[0]
    return found


def looked_up(port: int, remote_port: int) -> int:
    """A JVM's is listed among the IPv6 ones."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                parts = line.split()
                if [int(end.rpartition(":")[2], 16) for end in parts[1:3]] == [port, remote_port]:
                    return int(parts[9])
    return 0


def owns(pid: int, inode: int) -> bool:
    """Whether this process has the socket open."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                if os.readlink(entry.path) == f"socket:[{inode}]":
                    return True
    return False


async def main() -> None:
    proxy = Proxy()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        print(await proxy.obey(*json.loads(line)), flush=True)


if __name__ == "__main__":
    uvloop.run(main())
