"""Whether this worker may still act as the leader: taken for granted for a moment, then asked of the group anew.

Decisions are safe by themselves (`leadership`): whoever was deposed in its sleep cannot write them. States and offsets
go to topics that anybody may write, and a runner can be started by anybody. So what a leader does there is confirmed
first. The moment is shorter than what is left of a session after a confirmation.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from riacho.base.decision import Decision
from riacho.pipelines.connect.decisions.writer import NotOpen, Writer

LEASE_S = 3.0


class Lease:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.writer: Writer = NotOpen()
        self._clock = clock
        self._until_s = float("-inf")

    async def confirm(self) -> None:
        """NotLeader where another one leads; another ReplicatedLogError where nobody can tell."""
        now_s = self._clock()
        if now_s < self._until_s and self.writer.is_leader:
            return
        # Counted from before the question: the answer may have been on its way for long.
        await self.writer.change(lambda: Decision(None))
        self._until_s = now_s + LEASE_S

    def end(self) -> None:
        self._until_s = float("-inf")
