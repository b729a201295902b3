"""A broker process that measures its own loop: the longest time, in processor time, that it was not asked what is new.

Run as `probed_broker.py PROBE WORDS...`, which is `riacho WORDS...` with a timer beside it. PROBE is a file of eight
bytes, the longest hold so far in seconds; whoever writes 0 into it begins anew. Processor time, so that a machine that
gives the process no core does not count.
"""

from __future__ import annotations

import asyncio
import mmap
import struct
import sys
import time
from pathlib import Path

_INTERVAL_S = 0.002
_SECONDS = struct.Struct("d")


class Probe:
    """The test's side: reads and resets what the broker's side writes."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(_SECONDS.size))
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), _SECONDS.size)

    def reset(self) -> None:
        _SECONDS.pack_into(self._shared, 0, 0.0)

    def hold_s(self) -> float:
        return float(_SECONDS.unpack_from(self._shared)[0])


def _watch(shared: mmap.mmap) -> None:
    loop = asyncio.get_running_loop()
    last_s = time.thread_time()

    def tick() -> None:
        nonlocal last_s
        now_s = time.thread_time()
        if now_s - last_s > _SECONDS.unpack_from(shared)[0]:
            _SECONDS.pack_into(shared, 0, now_s - last_s)
        last_s = now_s
        loop.call_later(_INTERVAL_S, tick)

    tick()


def main() -> None:
    from riacho.broker import run
    from riacho.broker.node import Node
    from riacho.broker.server import Server
    from riacho.cli.main import main as riacho

    with open(sys.argv[1], "r+b") as file:
        shared = mmap.mmap(file.fileno(), _SECONDS.size)
    start = run.start

    async def watched_start(node: Node) -> Server:
        server = await start(node)
        _watch(shared)
        return server

    run.start = watched_start
    sys.argv[:] = ["riacho", *sys.argv[2:]]
    riacho()


if __name__ == "__main__":
    main()
