"""The control center as a process."""

from __future__ import annotations

import gc
from collections.abc import Mapping

from riacho.console.config import load_console_settings
from riacho.web.server import OnReady, run_service


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    """Until it is told to stop; the exit code. What prevents a start is one sentence on stderr, and 1."""
    from riacho.console.service import ControlCenter

    # A look at a large cluster makes some hundred thousand objects, none of them in a cycle.
    gc.set_threshold(50_000, 20, 50)
    return run_service(load_console_settings, ControlCenter, properties, on_ready)
