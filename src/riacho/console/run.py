"""The control center as a process."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Mapping

from riacho.console.config import load_console_settings
from riacho.web.server import OnReady, run_service

# Of glibc's malloc.h.
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_MAPPED_SIZE_BYTES_MIN = 128 * 1024
# A look takes some hundred milliseconds of a thread of its own. A page that asks a broker meanwhile goes from thread to
# thread several times, and each time it would wait five milliseconds for the interpreter.
_SWITCH_S = 0.001


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    """Until it is told to stop; the exit code. What prevents a start is one sentence on stderr, and 1."""
    from riacho.console.service import ControlCenter

    _give_back_freed_memory()
    # A look at a large cluster makes some hundred thousand objects, none of them in a cycle.
    gc.set_threshold(50_000, 20, 50)
    sys.setswitchinterval(_SWITCH_S)
    return run_service(load_console_settings, ControlCenter, properties, on_ready)


def _give_back_freed_memory() -> None:
    """A look at a large cluster takes answers of megabytes and drops them. glibc learns from it to keep such sizes in
    its heaps, of which every thread has one, and little of them is free at the end, where it could be given back."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_SIZE_BYTES_MIN)
        mallopt(_M_ARENA_MAX, 1)
