"""The server as its endpoints see it: what carries statements out, who leads, what is served."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.errors import SERVER_ERROR, not_leading
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.query_supervisor import QuerySupervisor
from riacho.pipelines.sql.server.selects import Selects
from riacho.single_writer.errors import LogError, LogTimeout, NotLeader, OutcomeUnknown, ReplicatedLogError
from riacho.single_writer.record import Append
from riacho.web.call import Call
from riacho.web.errors import ApiError

_log = logging.getLogger("riacho.ksql")
_LEADER_LOOK_S = 0.05
T = TypeVar("T")
# The version of ksqlDB whose API this is: clients look at it.
KSQLDB_VERSION = "8.1.0"


class Writer(Protocol):
    @property
    def is_leader(self) -> bool: ...

    @property
    def leader_url(self) -> str | None: ...

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T: ...

    async def forward(self, call: Call) -> Response: ...

    async def barrier(self) -> None: ...


class NotOpen:
    """In the command topic's place before it opens and after it has closed."""

    is_leader = False
    leader_url = None

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T:
        raise NotLeader("The server is starting or stopping.")

    async def forward(self, call: Call) -> Response:
        raise NotLeader("The server is starting or stopping.")

    async def barrier(self) -> None:
        raise NotLeader("The server is starting or stopping.")


@dataclass(slots=True)
class Service:
    state: CommandState
    executor: Executor
    supervisor: QuerySupervisor
    service_id: str
    find_cluster_id: Callable[[], Awaitable[str]]
    writer: Writer
    selects: Selects
    # How long a statement waits for a leader.
    leader_wait_s: float = 10.0
    _cluster_id: str = ""

    async def cluster_id(self) -> str:
        if not self._cluster_id:
            try:
                self._cluster_id = await self.find_cluster_id()
            except Exception as error:
                _log.warning("cluster id not found reason=%s", error)
        return self._cluster_id

    async def at_leader(self, call: Call, act: Callable[[], Awaitable[Response]]) -> Response:
        """Statements are carried out by the leader: here, or there with the call brought to it."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self.leader_wait_s
        while True:
            try:
                if self.writer.is_leader:
                    with suppress(NotLeader):
                        return await act()
                return await self._forward(call)
            except NotLeader as error:
                if loop.time() >= deadline_s:
                    raise not_leading(f"No server leads at the moment: {error}") from None
            except (LogTimeout, OutcomeUnknown) as error:
                raise ApiError(
                    500, SERVER_ERROR, f"Could not write the statement into the command topic: {error}"
                ) from None
            except LogError as error:
                raise ApiError(500, SERVER_ERROR, str(error)) from None
            await asyncio.sleep(_LEADER_LOOK_S)

    async def _forward(self, call: Call) -> Response:
        response = await self.writer.forward(call)
        if response.status_code < 300:
            # Whoever changed something through this instance shall read it here.
            with suppress(ReplicatedLogError):
                await self.writer.barrier()
        return response
