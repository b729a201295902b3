"""A broker as a process: starts it on a uvloop, tells the world where it is, and stops it on SIGTERM or SIGINT."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import resource
import signal
from collections.abc import Callable

import uvloop

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import real_environment
from riacho.broker.logs import Logs
from riacho.broker.node import Node, open_node
from riacho.broker.server import start

# Of glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_SIZE_BYTES_MAX = 16 << 20
_MAPPED_SIZE_BYTES_MIN = 8 << 20


def run_broker(config: BrokerConfig, logs: Logs, on_ready: Callable[[Node], None] | None = None) -> None:
    """Run until stopped. Raises OSError or ConfigError when it cannot start."""
    _raise_open_files_limit()
    _tune_collector()
    _keep_freed_memory()
    profile_path = os.environ.get("RIACHO_PROFILE")
    if profile_path:
        _run_profiled(config, logs, on_ready, profile_path)
    else:
        uvloop.run(_main(config, logs, on_ready))


async def _main(config: BrokerConfig, logs: Logs, on_ready: Callable[[Node], None] | None) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    node = open_node(config, real_environment(), logs)
    breakdown = node.parts.breakdown
    starting = asyncio.ensure_future(start(node))
    # A node may wait for others for long; if its own part breaks meanwhile, nobody will come.
    ends = [asyncio.ensure_future(stopping.wait()), asyncio.ensure_future(breakdown.wait())]
    await asyncio.wait([starting, *ends], return_when=asyncio.FIRST_COMPLETED)
    if starting.done():
        server = starting.result()
        # What is alive now stays alive: the collector need not look at it again.
        gc.freeze()
        if on_ready is not None:
            on_ready(node)
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        await server.stop()
    else:
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
    for each in ends:
        each.cancel()
    if breakdown.error is not None:
        raise breakdown.error


def _tune_collector() -> None:
    """Requests make short-lived objects without cycles; the default threshold would scan for nothing, thousands of
    times a second."""
    gc.set_threshold(50_000, 20, 50)


def _keep_freed_memory() -> None:
    """Frames of a megabyte come and go: taking their pages from the system anew costs more than what is done with them.

    Once it has seen one, glibc gives back what is free above two megabytes at the heap's end; here it keeps some.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_SIZE_BYTES_MIN)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_SIZE_BYTES_MAX)


def _raise_open_files_limit() -> None:
    """Every connection and every segment in use is a descriptor: take what the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _run_profiled(config: BrokerConfig, logs: Logs, on_ready: Callable[[Node], None] | None, profile_path: str) -> None:
    import cProfile

    profile = cProfile.Profile()
    try:
        profile.runcall(uvloop.run, _main(config, logs, on_ready))
    finally:
        profile.dump_stats(profile_path)
