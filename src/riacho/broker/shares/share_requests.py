"""What ShareFetch and ShareAcknowledge have in common: acknowledging, refusing topics, telling where leaders are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from riacho.base.acl import AclOperation
from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.acknowledgements import AcknowledgementBatch, check_batches
from riacho.shares.session import SharedPartition
from riacho.shares.state_records import ShareKey

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext
    from riacho.broker.shares.share_partitions import SharePartitions
    from riacho.metadata.image.image import MetadataImage
    from riacho.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
    from riacho.wire.messages.share_fetch_request import ShareFetchRequest

E_co = TypeVar("E_co", covariant=True)

# What became of a partition's acknowledgements; None: they are stored.
Outcomes = dict[SharedPartition, KafkaError | None]


def check_group_request(ctx: RequestContext, request: ShareFetchRequest | ShareAcknowledgeRequest) -> None:
    """KafkaError that the whole request gets."""
    if not request.group_id or not request.member_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    ctx.check_group(AclOperation.READ, request.group_id)


def topic_refusals(ctx: RequestContext, topic_ids: Iterable[bytes]) -> dict[bytes, KafkaError]:
    """Topics that this client cannot have: unknown ones, and those it may not read."""
    refusals: dict[bytes, KafkaError] = {}
    known = ctx.metadata.image.topics_by_id
    for topic_id in topic_ids:
        if topic_id not in known:
            refusals[topic_id] = KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
        elif not ctx.allows_topic(AclOperation.READ, topic_id):
            refusals[topic_id] = KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    return refusals


def partition_refusal(
    image: MetadataImage, wanted: SharedPartition, topics: Mapping[bytes, KafkaError]
) -> KafkaError | None:
    refusal = topics.get(wanted.topic_id)
    if refusal is not None:
        return refusal
    topic = image.topics_by_id.get(wanted.topic_id)
    if topic is None or not 0 <= wanted.partition < len(topic.partitions):
        return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return None


async def acknowledge_all(
    shares: SharePartitions,
    image: MetadataImage,
    group_id: str,
    member_id: str,
    batches_of: Mapping[SharedPartition, Sequence[AcknowledgementBatch]],
    topics: Mapping[bytes, KafkaError],
    is_renewal: bool,
) -> Outcomes:
    """Each partition stands for itself."""
    may_renew = is_renewal and shares.config_of(group_id).allows_renewal

    async def one(wanted: SharedPartition) -> KafkaError | None:
        try:
            refusal = partition_refusal(image, wanted, topics)
            if refusal is not None:
                return refusal
            check_batches(batches_of[wanted], may_renew=may_renew)
            key = ShareKey(group_id, wanted.topic_id, wanted.partition)
            await shares.acknowledge(key, member_id, batches_of[wanted])
        except KafkaError as error:
            return error
        return None

    outcomes = await asyncio.gather(*(one(wanted) for wanted in batches_of))
    return dict(zip(batches_of, outcomes, strict=True))


class _NewEndpoint(Protocol[E_co]):
    def __call__(self, *, node_id: int, host: str, port: int) -> E_co: ...


def endpoints_of(
    endpoint_of: Callable[[int, str], tuple[str, int]],
    leaders: Iterable[int],
    listener_name: str,
    new_endpoint: _NewEndpoint[E_co],
) -> list[E_co]:
    """Where the new leaders are, as far as this listener's clients can reach them."""
    found = []
    for leader in sorted(set(leaders)):
        try:
            host, port = endpoint_of(leader, listener_name)
        except KafkaError:
            continue
        found.append(new_endpoint(node_id=leader, host=host, port=port))
    return found
