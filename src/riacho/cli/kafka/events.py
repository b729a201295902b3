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
    """Whether one of these signals came, SIGTERM or Ctrl-C by default: the tools finish what they have and say so.

    A KeyboardInterrupt that is raised while Python finalises an object is lost, and with it the signal; this is not.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self.made = False
        for number in signals or (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._take)

    def _take(self, number: int, frame: object) -> None:
        self.made = True


def text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="replace")
