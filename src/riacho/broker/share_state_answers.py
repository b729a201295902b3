"""What the five APIs of the share coordinator have in common: one outcome for each share-partition that is asked for.

Brokers ask, so CLUSTER_ACTION on the cluster is needed. A request without a group id is answered with nothing, as
Kafka does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from riacho.base.acl import AclOperation
from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.state_records import ShareKey

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext

# What an API does with one share-partition: the fields of its result, or KafkaError.
Act = Callable[[ShareKey, Any], Awaitable[dict[str, Any]]]


async def answer_each(ctx: RequestContext, request: Any, act: Act, new_result: Any, new_topic: Any) -> list[Any]:
    """The `results` of the response."""
    refusal = _refusal(ctx)
    if not request.group_id:
        return []
    topics = []
    for topic in request.topics:
        keys = [ShareKey(request.group_id, topic.topic_id, asked.partition) for asked in topic.partitions]
        outcomes = await asyncio.gather(
            *(_outcome(refusal, act, key, asked) for key, asked in zip(keys, topic.partitions, strict=True))
        )
        partitions = [new_result(partition=key.partition, **fields) for key, fields in zip(keys, outcomes, strict=True)]
        topics.append(new_topic(topic_id=topic.topic_id, partitions=partitions))
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
    if ctx.broker.metadata.image.features.get("share.version", 0) < 1:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)


async def _outcome(refusal: KafkaError | None, act: Act, key: ShareKey, asked: Any) -> dict[str, Any]:
    try:
        if refusal is not None:
            raise refusal
        return await act(key, asked)
    except KafkaError as error:
        return {"error_code": error.code, "error_message": error.detail or None}
