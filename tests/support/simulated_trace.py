"""What happened in a simulated run: every event goes into a digest, the telling ones are kept to be read."""

from __future__ import annotations

import hashlib
from collections import deque

_MESSAGES_KEPT = 400


class Trace:
    def __init__(self) -> None:
        self.events: list[str] = []
        # Of the network's traffic only the latest: there is a lot of it.
        self.messages: deque[str] = deque(maxlen=_MESSAGES_KEPT)
        self._digest = hashlib.blake2b(digest_size=16)
        self._undigested: list[str] = []

    def event(self, now_us: int, text: str) -> None:
        line = f"{now_us / 1_000_000:12.6f} {text}"
        self.events.append(line)
        self._undigested.append(line)

    def message(self, now_us: int, text: str) -> None:
        line = f"{now_us / 1_000_000:12.6f} {text}"
        self.messages.append(line)
        self._undigested.append(line)

    def digest(self) -> str:
        self._digest.update("\n".join(self._undigested).encode())
        self._undigested.clear()
        return self._digest.hexdigest()

    def text(self, events: int = 400, messages: int = 60) -> str:
        return "\n".join(
            [
                f"--- the last {events} events",
                *self.events[-events:],
                f"--- the last {messages} messages",
                *list(self.messages)[-messages:],
            ]
        )
