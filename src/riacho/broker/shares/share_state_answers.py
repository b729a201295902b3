"""What the five APIs of the share coordinator have in common: one outcome for each share-partition that is asked for.

Brokers ask, so CLUSTER_ACTION on the cluster is needed. A request without a group id is answered with nothing, as
Kafka does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from riacho.base.acl import AclOperation
from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.state_records import ShareKey

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T_co = TypeVar("T_co", covariant=True)


class _Asked(Protocol):
    @property
    def partition(self) -> int: ...


P = TypeVar("P", bound=_Asked)
P_co = TypeVar("P_co", bound=_Asked, covariant=True)


class _AskedTopic(Protocol[P_co]):
    @property
    def topic_id(self) -> bytes: ...

    @property
    def partitions(self) -> Sequence[P_co]: ...


class _Request(Protocol[P_co]):
    @property
    def group_id(self) -> str: ...

    @property
    def topics(self) -> Sequence[_AskedTopic[P_co]]: ...


class _NewResult(Protocol[R_co]):
    def __call__(self, *, partition: int, error_code: int, error_message: str | None) -> R_co: ...


class _NewTopic(Protocol[R, T_co]):
    def __call__(self, *, topic_id: bytes, partitions: list[R]) -> T_co: ...


# What an API does with one share-partition: its result, or KafkaError.
Act: TypeAlias = Callable[[ShareKey, P], Awaitable[R]]


async def answer_each(
    ctx: RequestContext,
    request: _Request[P],
    act: Act[P, R],
    new_result: _NewResult[R],
    new_topic: _NewTopic[R, T_co],
) -> list[T_co]:
    """The `results` of the response."""
    refusal = _refusal(ctx)
    if not request.group_id:
        return []
    topics = []
    for topic in request.topics:
        keys = [ShareKey(request.group_id, topic.topic_id, asked.partition) for asked in topic.partitions]
        results = await asyncio.gather(
            *(_result(refusal, act, key, asked, new_result) for key, asked in zip(keys, topic.partitions, strict=True))
        )
        topics.append(new_topic(topic_id=topic.topic_id, partitions=results))
    return topics


def _refusal(ctx: RequestContext) -> KafkaError | None:
    try:
        check_shares_enabled(ctx)
        ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    except KafkaError as error:
        return error
    return None


def check_shares_enabled(ctx: RequestContext) -> None:
    """Share groups come with share.version 1."""
    if ctx.metadata.image.features.get("share.version", 0) < 1:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)


async def _result(refusal: KafkaError | None, act: Act[P, R], key: ShareKey, asked: P, new_result: _NewResult[R]) -> R:
    try:
        if refusal is not None:
            raise refusal
        return await act(key, asked)
    except KafkaError as error:
        return new_result(partition=key.partition, error_code=error.code, error_message=error.detail or None)
