"""The REST proxy as a process."""

from __future__ import annotations

import gc
from collections.abc import Mapping

from riacho.rest_proxy.config import load_proxy_settings
from riacho.web.server import OnReady, run_service


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    """Runs until it is stopped; the exit code. What prevents a start is one sentence on stderr, and 1."""
    from riacho.rest_proxy.service import RestProxy

    # A produce call makes some hundred objects that die with it: to look for cycles after every few calls is in vain.
    gc.set_threshold(50_000, 20, 50)
    return run_service(load_proxy_settings, RestProxy, properties, on_ready)
