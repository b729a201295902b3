"""Requests that would hold the loop for long: a few at a time, and in parts, with everybody else's requests in between.

A request of a megabyte may have a hundred thousand elements. Apache Kafka gives it a thread; here all share one. So a
large request waits for a permit before it is decoded, since elements take many times the memory of their bytes. Where
its elements can be served apart (`request_parts.py`), the loop goes round after each part. The others are bounded by
how many elements they have, besides the bound that the decoder sets on any request. Whoever waits for somebody else
releases its permit meanwhile (`permit.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.broker.requests.permit import Permit
from riacho.broker.requests.request_parts import join, parts, split_of, weight
from riacho.metadata.partitions.topic_creation import PARTITIONS_MAX_PER_REQUEST, partitions_asked_for
from riacho.partition.visibility import is_follower
from riacho.wire.decode_source import REQUEST_ITEMS_MAX
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from riacho.broker.requests.api import Answer, Api, Request
    from riacho.broker.requests.memory_pool import MemoryPool
    from riacho.broker.requests.request_context import RequestContext

# From here on a request waits for a permit. The decoder takes a few milliseconds for less, whatever is in it.
LARGE_SIZE_BYTES_MIN = 64 << 10
# Produce is large as a rule, and bounded by its partitions.
_PRODUCE = 0
SERVED_AT_ONCE = frozenset({_PRODUCE})
# Whose elements are not worth counting.
_SMALL_SIZE_BYTES_MAX = 4 << 10
# Elements that are served before the loop goes round: some milliseconds of work.
_PART_WEIGHT_MAX = 500
# Elements of a request that cannot be served in parts: up to a few tenths of a second.
_WHOLE_WEIGHT_MAX = 50_000
_FETCH_WEIGHT_MAX = 25_000
_PERMITS = 2


class LargeRequests:
    def __init__(self, memory: MemoryPool) -> None:
        self.memory = memory
        self._permits = asyncio.Semaphore(_PERMITS)
        # Those that are served in one go do not wait behind the others: a follower's fetch may be among them.
        self._short_permits = asyncio.Semaphore(1)
        # By those that wait for a permit, have it, or wait for somebody else.
        self.held_bytes = 0

    @property
    def held_bytes_max(self) -> int:
        return self.memory.size_bytes_max // 2

    @asynccontextmanager
    async def permit(self, size_bytes: int, *, is_in_parts: bool) -> AsyncIterator[Permit]:
        """Wait for a permit and hold it. KafkaError where those who wait hold too much already."""
        permit = Permit(self, self._permits if is_in_parts else self._short_permits, is_in_parts)
        try:
            permit.hold(size_bytes)
            await permit.acquire()
            yield permit
        finally:
            permit.end()


def handled(ctx: RequestContext, api: Api, request: Request) -> Outcome[Answer]:
    """What the handler answers, in parts where the request is large."""
    if ctx.size_bytes > _SMALL_SIZE_BYTES_MAX and api.key not in SERVED_AT_ONCE:
        split = split_of(api.key, ctx.version)
        its_weight = weight(request) if ctx.permit is None else ctx.permit.weight
        if split is not None:
            if its_weight > _PART_WEIGHT_MAX and not _is_excessive(ctx, request):
                return Later.of(_in_parts(ctx, api, request, *split))
        elif its_weight > (bound := _whole_weight_max(request)):
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"A request of more than {bound} elements.")
    return api.handle()(ctx, request)


def _is_excessive(ctx: RequestContext, request: Request) -> bool:
    """Parts of what the controller would refuse as a whole are not to slip through."""
    if not isinstance(request, CreateTopicsRequest):
        return False
    return partitions_asked_for(request, ctx.metadata.values) > PARTITIONS_MAX_PER_REQUEST


def _whole_weight_max(request: Request) -> int:
    if not isinstance(request, FetchRequest):
        return _WHOLE_WEIGHT_MAX
    # A follower may have more partitions of one leader than a consumer reads of it.
    replica_id = max(request.replica_id, request.replica_state.replica_id)
    return REQUEST_ITEMS_MAX if is_follower(replica_id) else _FETCH_WEIGHT_MAX


async def _in_parts(
    ctx: RequestContext, api: Api, request: Request, names: tuple[str, ...], answer_name: str
) -> Message:
    assert request is not None
    whole: Message | None = None
    for part in parts(names, request, _PART_WEIGHT_MAX):
        outcome = api.handle()(ctx, part)
        response = await settled(outcome)
        assert isinstance(response, Message), "only produce is without an answer"
        whole = join(answer_name, whole, response)
        if getattr(response, "error_code", ErrorCode.NONE):
            break
        await asyncio.sleep(0)
    assert whole is not None, "a request of many elements has parts"
    return whole
