"""Requests that would hold the loop for long: a few at a time, and in parts, with everybody else's requests in between.

A request of a megabyte may have a hundred thousand elements. Apache Kafka gives it a thread; here all share one. So a
large request waits for its turn before it is decoded, since elements take many times the memory of their bytes. Where
its elements can be served apart (`request_parts.py`), the loop goes round after each part. The others are bounded by
how many elements they have, besides the bound that the decoder sets on any request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.deferred import settled
from riacho.broker.request_parts import join, parts, split_of, weight

if TYPE_CHECKING:
    from riacho.broker.api import Api
    from riacho.broker.node import Broker
    from riacho.broker.request_context import RequestContext

# From here on a request waits for its turn. The decoder takes a few milliseconds for less, whatever is in it.
LARGE_SIZE_BYTES_MIN = 64 << 10
# Produce and fetches are large as a rule, and bounded by their partitions.
_PRODUCE, _FETCH, _SHARE_FETCH = 0, 1, 78
SERVED_AT_ONCE = frozenset({_PRODUCE, _FETCH, _SHARE_FETCH})
# Whose elements are not worth counting.
_SMALL_SIZE_BYTES_MAX = 4 << 10
# Elements that are served before the loop goes round: some milliseconds of work.
_PART_WEIGHT_MAX = 500
# Elements of a request that cannot be served in parts: up to a few tenths of a second.
_WHOLE_WEIGHT_MAX = 50_000
_TURNS = 2


class LargeRequests:
    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._turns = asyncio.Semaphore(_TURNS)

    @asynccontextmanager
    async def turn(self, size_bytes: int) -> AsyncIterator[None]:
        """Wait for a turn and have it. KafkaError where those who wait hold too much already."""
        broker = self._broker
        if broker.held_bytes + size_bytes > broker.limits.held_size_bytes_max:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "requests that wait hold too much memory")
        broker.held_bytes += size_bytes
        try:
            async with self._turns:
                yield
        finally:
            broker.held_bytes -= size_bytes


def handled(ctx: RequestContext, api: Api, request: Any) -> Any:
    """What the handler gives: a response, a Deferred or a coroutine of one. In parts where the request is large."""
    if ctx.size_bytes > _SMALL_SIZE_BYTES_MAX:
        split = split_of(api.key, ctx.version)
        if split is not None:
            if weight(request) > _PART_WEIGHT_MAX:
                return _in_parts(ctx, api, request, *split)
        elif api.key != _PRODUCE and weight(request) > _WHOLE_WEIGHT_MAX:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"A request of more than {_WHOLE_WEIGHT_MAX} elements.")
    return api.handle()(ctx, request)


async def _in_parts(ctx: RequestContext, api: Api, request: Any, names: tuple[str, ...], answer_name: str) -> Any:
    whole: Any = None
    for part in parts(names, request, _PART_WEIGHT_MAX):
        outcome = api.handle()(ctx, part)
        response = await outcome if type(outcome) is CoroutineType else await settled(outcome)
        whole = join(answer_name, whole, response)
        if getattr(response, "error_code", ErrorCode.NONE):
            break
        await asyncio.sleep(0)
    return whole
