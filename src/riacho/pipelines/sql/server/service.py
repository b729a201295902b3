"""The server as its endpoints see it: what carries statements out, who leads, what is served."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.errors import NOT_CAUGHT_UP, SERVER_ERROR, not_leading
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.members import Members
from riacho.pipelines.sql.server.query_supervisor import QuerySupervisor
from riacho.pipelines.sql.server.requests import texts
from riacho.pipelines.sql.server.selects import Selects
from riacho.pipelines.sql.server.session import Session
from riacho.single_writer.errors import LogError, LogTimeout, NotLeader, OutcomeUnknown, ReplicatedLogError
from riacho.single_writer.record import Append
from riacho.web.call import Call
from riacho.web.errors import ApiError

_log = logging.getLogger("riacho.ksql")
_LEADER_LOOK_S = 0.05
_KAFKA_LOOK_S = 1.0
_KAFKA_TIMEOUT_S = 5.0
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
    members: Members
    denied_properties: Collection[str] = ()
    is_headless: bool = False
    # How long a statement waits for a leader (one that died is missed after 10 s), and for commands that its client has
    # seen.
    leader_wait_s: float = 20.0
    sequence_wait_s: float = 5.0
    _cluster_id: str = ""
    _asked_at_s: float = float("-inf")
    _is_reached: bool = False
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def cluster_id(self) -> str:
        """Empty where brokers have not answered yet."""
        if not self._cluster_id:
            await self.is_kafka_reached()
        return self._cluster_id

    async def is_kafka_reached(self) -> bool:
        """Whether brokers answer, as of a moment ago: however often it is asked, they are asked now and then."""
        async with self._asking:
            now_s = asyncio.get_running_loop().time()
            if now_s - self._asked_at_s >= _KAFKA_LOOK_S:
                try:
                    async with asyncio.timeout(_KAFKA_TIMEOUT_S):
                        self._cluster_id = await self.find_cluster_id() or self._cluster_id
                    self._is_reached = True
                except Exception as error:
                    self._is_reached = False
                    _log.warning("no broker answers reason=%s", error)
                self._asked_at_s = asyncio.get_running_loop().time()
            return self._is_reached

    @property
    def is_open(self) -> bool:
        """Whether the command topic has been read, and is."""
        return not isinstance(self.writer, NotOpen)

    def session(self, properties: Mapping[str, Any], variables: Mapping[str, str]) -> Session:
        """KsqlError where a property may not be set."""
        return Session.of(texts(properties), variables, self.denied_properties)

    def refuse_headless(self) -> None:
        """KsqlError where a file has the statements."""
        if self.is_headless:
            raise KsqlError("The server runs the statements of its file (ksql.queries.file), and takes no others.")

    async def until_sequence(self, number: int | None) -> None:
        """Until the state has the command with that number, which the client got in an answer; ApiError."""
        if number is None or number < 0:
            return
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self.sequence_wait_s
        while self.state.sequence <= number:
            if loop.time() >= deadline_s:
                raise ApiError(
                    503,
                    NOT_CAUGHT_UP,
                    f"Timed out while waiting for a previous command to execute. command sequence number: {number}",
                )
            await asyncio.sleep(_LEADER_LOOK_S)

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
