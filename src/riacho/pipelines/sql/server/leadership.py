"""Who leads is looked at: queries run where the leader is, and what a file says is carried out there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

_log = logging.getLogger("riacho.ksql")
_LOOK_S = 0.1


class HasLeader(Protocol):
    @property
    def is_leader(self) -> bool: ...


@dataclass(slots=True)
class Leadership:
    """`task` is what a leader does beside its queries, as long as it leads: nobody who leads no longer waits for it."""

    log: HasLeader
    lead: Callable[[], None]
    rest: Callable[[], None]
    task: Callable[[], Coroutine[Any, Any, None]] | None = None

    async def watch(self) -> None:
        """Until it is cancelled."""
        is_leading = False
        under_way: asyncio.Task[None] | None = None
        try:
            while True:
                if self.log.is_leader is not is_leading:
                    is_leading = self.log.is_leader
                    _log.info("leadership changed is_leader=%s", is_leading)
                    if under_way is not None:
                        under_way.cancel()
                        under_way = None
                    if not is_leading:
                        self.rest()
                    else:
                        self.lead()
                        under_way = self._begun()
                await asyncio.sleep(_LOOK_S)
        finally:
            if under_way is not None:
                under_way.cancel()

    def _begun(self) -> asyncio.Task[None] | None:
        return None if self.task is None else asyncio.create_task(self.task(), name="ksql-leaders-task")
