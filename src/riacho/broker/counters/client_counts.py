"""Who writes to which topic, and who reads it: bytes by principal, client id and topic, for the console's flow map.

Bounded: clients choose their ids. Where all entries are taken, those that have not moved since the last time that it
was so make room; where all have moved, whoever is new is counted among the others. A producer's fast path holds its
entry, so what it adds costs no look-up; `on_dropped` is called when entries were evicted, so that fast paths are
offered anew and none goes on counting where nobody looks.
"""

from __future__ import annotations

from collections.abc import Callable

PRODUCED, FETCHED = "produce", "fetch"
_ENTRIES_MAX = 5_000
_NAME_MAX = 256


class ClientCounts:
    """`messages` are counted of producers alone: what is sent to a consumer is not taken apart."""

    __slots__ = ("bytes", "client_id", "direction", "messages", "moved_bytes", "principal", "topic")

    def __init__(self, direction: str = "", principal: str = "", client_id: str = "", topic: str = "") -> None:
        self.direction = direction
        self.principal = principal
        self.client_id = client_id
        self.topic = topic
        self.bytes = 0
        self.messages = 0
        # What `bytes` were when room was made last.
        self.moved_bytes = -1


class ClientMetrics:
    def __init__(self, on_dropped: Callable[[], None] = lambda: None, entries_max: int = _ENTRIES_MAX) -> None:
        self._on_dropped = on_dropped
        self.others = ClientCounts()
        self._entries_max = entries_max
        self._entries: dict[tuple[str, str, str, str], ClientCounts] = {}

    def of(self, direction: str, principal: str, client_id: str, topic: str) -> ClientCounts:
        found = self._entries.get((direction, principal, client_id, topic))
        return self._new(direction, principal[:_NAME_MAX], client_id[:_NAME_MAX], topic) if found is None else found

    def all(self) -> list[ClientCounts]:
        return list(self._entries.values())

    def _new(self, direction: str, principal: str, client_id: str, topic: str) -> ClientCounts:
        key = (direction, principal, client_id, topic)
        # A name that was cut may be there.
        found = self._entries.get(key)
        if found is not None:
            return found
        if len(self._entries) >= self._entries_max and not self._make_room():
            return self.others
        made = self._entries[key] = ClientCounts(*key)
        return made

    def _make_room(self) -> bool:
        idle = [key for key, counts in self._entries.items() if counts.bytes == counts.moved_bytes]
        for key in idle:
            del self._entries[key]
        for counts in self._entries.values():
            counts.moved_bytes = counts.bytes
        if idle:
            self._on_dropped()
        return bool(idle)
