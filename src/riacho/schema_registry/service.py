"""The registry as its endpoints see it: the core, its replicated log, who may do what, ready answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.schema_registry import errors
from riacho.schema_registry.authorization import AccessRules, Caller
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.entities import Content, Version
from riacho.schema_registry.naming import qualify_with_parent
from riacho.schema_registry.operations import Operation
from riacho.schema_registry.precomputing import precomputation
from riacho.schema_registry.ready_answers import ReadyAnswers
from riacho.schema_registry.registry import Registry
from riacho.schemas.parsed import Reference
from riacho.single_writer.errors import (
    LeaderUnreachable,
    LogError,
    LogTimeout,
    NotLeader,
    OutcomeUnknown,
    RecordTooLarge,
    ReplicatedLogError,
)
from riacho.single_writer.record import Append
from riacho.web.call import Call
from riacho.web.kafka_client import unknown_cluster_id

T = TypeVar("T")
_log = logging.getLogger("riacho.schema_registry")
_PRECOMPUTATIONS_MAX = 2
_LEADER_LOOK_S = 0.05


class Writer(Protocol):
    """What the service needs of `leadership.ReplicatedLog`."""

    @property
    def is_leader(self) -> bool: ...

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T: ...

    async def forward(self, call: Call) -> Response: ...

    async def barrier(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How many entries a list has: when nothing is said, and at most."""

    default: int
    maximum: int

    def cut(self, items: Sequence[T], call: Call) -> Sequence[T]:
        """By `offset` and `limit` of the call; a limit that is out of range is not said."""
        offset, asked = call.integer("offset", 0, 31), call.integer("limit", -1, 31)
        limit = asked if 0 < asked <= self.maximum else self.default
        start = max(offset, 0)
        return items[start : start + limit]


@dataclass(slots=True)
class Service:
    registry: Registry
    replicated_log: Writer
    ready: ReadyAnswers
    access: AccessRules | None = None
    cluster_id: Callable[[], Awaitable[str]] = unknown_cluster_id
    group_id: str = "schema-registry"
    software_version: str = ""
    schema_limits: Limits = Limits(1_000, 1_000)
    subject_limits: Limits = Limits(20_000, 20_000)
    version_limits: Limits = Limits(20_000, 20_000)
    context_limits: Limits = Limits(20_000, 20_000)
    # How long a change waits for a leader.
    leader_wait_s: float = 5.0
    _precomputing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_PRECOMPUTATIONS_MAX))

    # Who may do what

    def check(self, call: Call, operation: Access, subject: str | None) -> None:
        """ApiError 40301."""
        if self.access is not None:
            self.access.check(Caller(call.principal, call.roles), operation, subject)

    def may_read(self, call: Call, subject: str) -> bool:
        return self.access is None or self.access.allows(Caller(call.principal, call.roles), Access.READ, subject)

    def readable(self, call: Call, versions: Iterable[Version], name: object) -> list[Version]:
        """Of versions that share an id or a GUID, called `name`, those that the caller may read. ApiError 40301 where
        there is none; it does not tell whose they are."""
        found = [version for version in versions if self.may_read(call, version.subject)]
        if not found:
            raise errors.denied(Access.READ.value.capitalize(), f"Schema: {name}")
        return found

    def check_references(self, call: Call, subject: str, references: Iterable[Reference]) -> None:
        """Whoever refers to a schema can read it through their own (`format=resolved`). ApiError 40301."""
        for each in references:
            self.check(call, Access.READ, qualify_with_parent(each.subject, subject))

    # Changes

    async def change(
        self,
        call: Call,
        operation: Operation,
        decide: Callable[[], Decision[Append, T]],
        answer: Callable[[T], Response],
    ) -> Response:
        """Decided and written here by the leader; brought to the leader by others, whose state then catches up.

        Where nobody leads, as when the first instance has just started or the leader has just ended, the change waits a
        little for somebody to.
        """
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self.leader_wait_s
        while True:
            try:
                return await self._change(call, operation, decide, answer)
            except NotLeader as error:
                if loop.time() >= deadline_s:
                    _log.warning("change not made, no leader reason=%s", error)
                    if isinstance(error, LeaderUnreachable):
                        raise errors.forwarding_failed(operation.not_forwarded) from None
                    raise errors.unknown_leader(operation.leader_unknown) from None
            await asyncio.sleep(_LEADER_LOOK_S)

    async def _change(
        self,
        call: Call,
        operation: Operation,
        decide: Callable[[], Decision[Append, T]],
        answer: Callable[[T], Response],
    ) -> Response:
        """NotLeader where nobody is known to lead."""
        try:
            if self.replicated_log.is_leader:
                with suppress(NotLeader):
                    return answer(await self.replicated_log.change(decide))
            return await self._forward(call, operation)
        except (LogTimeout, OutcomeUnknown) as error:
            _log.warning("change timed out reason=%s", error)
            raise errors.operation_timed_out(operation.timed_out) from None
        except RecordTooLarge:
            raise errors.schema_too_large() from None
        except LogError as error:
            _log.warning("change failed reason=%s", error)
            raise errors.store_error(operation.failed) from None

    async def _forward(self, call: Call, operation: Operation) -> Response:
        try:
            response = await self.replicated_log.forward(call)
        except LogError as error:
            _log.warning("forwarding failed reason=%s", error)
            raise errors.forwarding_failed(operation.not_forwarded) from None
        if response.status_code < 300:
            # Whoever changed something through this instance shall read it here; if that takes too long, they may wait.
            with suppress(ReplicatedLogError):
                await self.replicated_log.barrier()
        return response

    async def precompute(
        self, subject: str, content: Content, *, normalize: bool, against: Sequence[Version] | None = None
    ) -> None:
        """Before a decision about a large schema: see `precomputing.py`."""
        if not content.text.strip():
            return
        work = precomputation(self.registry, subject, content, normalize=normalize, against=against)
        if work is not None:
            async with self._precomputing:
                await asyncio.to_thread(work)
