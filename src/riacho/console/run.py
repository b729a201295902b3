"""The control center as a process."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping

from riacho.base.config import ConfigError
from riacho.console.config import load_console_settings
from riacho.web.server import OnReady, serve


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    """Until it is told to stop; the exit code. What prevents a start is one sentence on stderr, and 1."""
    from riacho.console.service import ControlCenter

    try:
        settings = load_console_settings(properties)
        console = ControlCenter(settings)
    except ConfigError as error:
        print(f"Error: {str(error).rstrip('.')}.", file=sys.stderr)
        return 1
    # A look at a large cluster makes some hundred thousand objects, none of them in a cycle.
    gc.set_threshold(50_000, 20, 50)
    return serve(console.app, settings, on_ready)
