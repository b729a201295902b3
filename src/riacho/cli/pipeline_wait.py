"""`riacho pipeline wait`: until a pipeline has caught up, with how far it is.

Figures are those of the last micro-batch, so one that left nothing behind says nothing of what came after it: only when
no other has followed for a while has the pipeline seen its end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from riacho.cli.connect_client import ConnectClient
from riacho.cli.progress import Progress, progress
from riacho.cli.views.pipeline_view import worst_state

# Batches follow each other within a second where there is something to read.
SETTLED_S = 3.0
_POLL_S = 0.5
_ENDED = ("FAILED", "PAUSED", "STOPPED")


def wait_until_read(client: ConnectClient, name: str, timeout_s: float | None) -> int:
    """How many rows it has read since it started. ClickException when it does not run, or not in time."""
    began_s = time.monotonic()
    caught_up = CaughtUp()
    with progress(f"{name} reads", None) as bar:
        while True:
            found = client.pipeline(name)
            if worst_state(found) in _ENDED:
                raise click.ClickException(f"{name} is {worst_state(found)}; it reads nothing.")
            _show(bar, found)
            if caught_up.is_so(found, time.monotonic()):
                return int(found["rows"])
            if timeout_s is not None and time.monotonic() - began_s > timeout_s:
                raise click.ClickException(f"{name} has not caught up after {timeout_s:g} s: {_left(found)}.")
            time.sleep(_POLL_S)


class CaughtUp:
    """Since when the last batch has been one that left nothing."""

    def __init__(self) -> None:
        self._batch_id: int | None = None
        self._since_s = 0.0

    def is_so(self, found: Mapping[str, Any], now_s: float) -> bool:
        if found["batch_id"] is None or found["lag"]:
            self._batch_id = None
            return False
        if found["batch_id"] != self._batch_id:
            self._batch_id, self._since_s = found["batch_id"], now_s
        return now_s - self._since_s >= SETTLED_S


def _show(bar: Progress, found: Mapping[str, Any]) -> None:
    lag = found["lag"]
    bar.reach(found["rows"], None if lag is None else found["rows"] + lag)


def _left(found: Mapping[str, Any]) -> str:
    if found["lag"] is None:
        return "its first batch is not done" if found["batch_id"] is None else "more came all the time"
    return f"{found['lag']} records to go" if found["lag"] else "more came all the time"
