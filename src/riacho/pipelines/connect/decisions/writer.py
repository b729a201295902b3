"""What Connect needs of `leadership.ReplicatedLog`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.single_writer.errors import NotLeader
from riacho.single_writer.record import Append
from riacho.web.call import Call

T = TypeVar("T")


class Writer(Protocol):
    @property
    def is_leader(self) -> bool: ...

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T: ...

    async def forward(self, call: Call) -> Response: ...

    async def barrier(self) -> None: ...


class NotOpen:
    """In the replicated log's place before it opens and after it has closed."""

    is_leader = False

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T:
        raise NotLeader("The worker is starting or stopping.")

    async def forward(self, call: Call) -> Response:
        raise NotLeader("The worker is starting or stopping.")

    async def barrier(self) -> None:
        raise NotLeader("The worker is starting or stopping.")
