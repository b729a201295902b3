"""Leaders whose connection just broke: for a moment clients are told that their partitions have none.

When a leader's process dies, its clients lose their connections at the same time as its followers, and ask for
metadata long before the controller has elected anybody. Told the dead leader again, they wait for it for seconds; told
that there is none for now, they ask again soon. So a follower that loses its leader says so, until it hears from the
leader again, the metadata change, or a second has passed: a leader that only this broker cannot reach must not stay
unnamed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.metadata.image import MetadataImage

_SUSPECTED_MS = 1_000


class Suspects:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until_ms: dict[int, int] = {}

    def lost(self, broker_id: int) -> None:
        """The connection to this leader ended, and not by our will."""
        self._until_ms[broker_id] = self._clock.monotonic_ms() + _SUSPECTED_MS

    def heard(self, broker_id: int) -> None:
        if self._until_ms:
            self._until_ms.pop(broker_id, None)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        if self._until_ms and new.brokers is not old.brokers:
            for broker_id in list(self._until_ms):
                if new.brokers.get(broker_id) != old.brokers.get(broker_id):
                    del self._until_ms[broker_id]

    def now(self) -> frozenset[int]:
        if not self._until_ms:
            return _NOBODY
        now_ms = self._clock.monotonic_ms()
        self._until_ms = {broker_id: until_ms for broker_id, until_ms in self._until_ms.items() if until_ms > now_ms}
        return frozenset(self._until_ms)


_NOBODY: frozenset[int] = frozenset()
