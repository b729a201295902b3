"""JSON lines with a timestamp and a name: the language of the verifiable tools."""

from __future__ import annotations

import json
import signal
import time
from typing import Any


def emit(name: str, **fields: Any) -> None:
    event = {"timestamp": int(time.time() * 1000), "name": name, **fields}
    print(json.dumps(event, separators=(",", ":"), ensure_ascii=False), flush=True)


class StopRequest:
    """Whether SIGTERM or Ctrl-C came: the tools finish what they have and say so."""

    def __init__(self) -> None:
        self.made = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._take)

    def _take(self, number: int, frame: object) -> None:
        self.made = True


def text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="replace")
