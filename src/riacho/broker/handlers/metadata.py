"""Metadata, v0-13: brokers, and topics with who leads them.

v0: no topics means all; v1: null does. v4: the client says whether unknown topics may be created. v8-10: cluster
authorized operations (KIP-430; later in DescribeCluster), v8: those of topics. v10, v12: topic ids (KIP-516), in
requests from v12.

A topic that the request brings into being is answered when the controller has made it and this broker knows it. Kafka
answers UNKNOWN_TOPIC_OR_PARTITION first and lets the client ask again.

A client that has been here for a while asks because something changed: a leader died, say, and the client noticed as
soon as we will. The answer then waits until that leader is known to be dead or alive (`suspects.py`), since librdkafka,
given the old leader or none at all, does not ask again for a second.

The controller in the answer is some live broker: it brings admin requests where they belong (KIP-590).

The answer for a topic is made once and kept until the topic or a broker changes, so a cluster with 10,000 partitions
is not spelled out anew for each client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import ZERO_UUID
from riacho.broker.access import authorized_operations
from riacho.broker.requests.later import Later, Outcome
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topic_names import INTERNAL_TOPICS, name_problem
from riacho.metadata.image.topics import Partition, Topic
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.quorum.metadata_cache import MetadataCache

# How long news of a lost connection may take to reach us after it reached a client.
_NEWS_S = 0.01
# A connection younger than this asks for the first time because its client has just started.
_NEW_CONNECTION_MS = 100
# How long an answer may wait for the verdict on a leader that is not heard of.
_VERDICT_S = 0.5


def handle(ctx: BrokerRequestContext, request: MetadataRequest) -> Outcome[MetadataResponse]:
    missing = _missing(ctx, request) if request.topics else None
    if missing:
        return Later.of(_after_creation(ctx, request, missing))
    if len(ctx.metadata.image.brokers) > 1:
        asks_again, ctx.has_asked_for_metadata = ctx.has_asked_for_metadata, True
        is_new = not asks_again and ctx.node.clock.monotonic_ms() - ctx.opened_ms < _NEW_CONNECTION_MS
        if not is_new or ctx.quorum.suspects.now():
            return Later.of(_once_settled(ctx, request, is_new=is_new))
    return _to_response(ctx, request)


async def _once_settled(ctx: BrokerRequestContext, request: MetadataRequest, *, is_new: bool) -> MetadataResponse:
    if not is_new:
        await asyncio.sleep(_NEWS_S)
    await ctx.quorum.suspects.settled(_VERDICT_S)
    return _to_response(ctx, request)


async def _after_creation(ctx: BrokerRequestContext, request: MetadataRequest, missing: list[str]) -> MetadataResponse:
    permits = ctx.node.quotas.mutations(ctx, 0)
    try:
        if permits is not None:
            # For the controller it is this broker who asks, so the client's share is measured here.
            permits.record(len(missing) * ctx.metadata.values.integer("num.partitions"))
        await ctx.hosting.auto_topics.create(missing)
    except KafkaError:
        # Too many changes, or no controller that can be reached: the client gets an unknown topic, and asks
        # again.
        pass
    response = _to_response(ctx, request)
    return response if permits is None else cast(MetadataResponse, permits.with_throttle_time(response))


def _to_response(ctx: BrokerRequestContext, request: MetadataRequest) -> MetadataResponse:
    wants_all = request.topics is None or (ctx.version == 0 and not request.topics)
    asked = [] if request.topics is None else request.topics
    image = ctx.metadata.image
    cache = _cache_for(ctx, image)
    if wants_all:
        topics = [cache.answer(topic) for topic in _listed(ctx, image)]
    else:
        topics = [_answer(ctx, image, cache, entry, request) for entry in _distinct(asked)]
    if request.include_topic_authorized_operations:
        topics = [_with_operations(ctx, topic) for topic in topics]
    return MetadataResponse(
        brokers=cache.brokers,
        cluster_id=image.cluster_id,
        controller_id=ctx.quorum.metadata.some_live_broker(),
        topics=topics,
        cluster_authorized_operations=(
            authorized_operations.cluster_operations(ctx)
            if request.include_cluster_authorized_operations
            else authorized_operations.NOT_ASKED
        ),
    )


def _creates(ctx: BrokerRequestContext, request: MetadataRequest) -> bool:
    return request.allow_auto_topic_creation and ctx.metadata.values.flag("auto.create.topics.enable")


def _missing(ctx: BrokerRequestContext, request: MetadataRequest) -> list[str] | None:
    """The topics that this request is to bring into being."""
    if not _creates(ctx, request):
        return None
    known = ctx.metadata.image.topics
    return list(
        {
            entry.name: None
            for entry in request.topics or ()
            if entry.topic_id == ZERO_UUID
            and entry.name
            and entry.name not in known
            and name_problem(entry.name) is None
            and _may_create(ctx, entry.name)
        }
    )


def _may_create(ctx: BrokerRequestContext, name: str) -> bool:
    return ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, name, is_audited=False) and _may_make(
        ctx, name, is_audited=False
    )


def _may_make(ctx: BrokerRequestContext, name: str, is_audited: bool = True) -> bool:
    if ctx.allows_cluster(AclOperation.CREATE, is_audited=False):
        return True
    return ctx.allows(AclOperation.CREATE, AclResourceType.TOPIC, name, is_audited)


def _listed(ctx: BrokerRequestContext, image: MetadataImage) -> Iterable[Topic]:
    """Everything was asked for: what the client may not see is not there."""
    if ctx.authorizer is None:
        return image.topics.values()
    seen = ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, image.topics, is_audited=False)
    return [topic for topic in image.topics.values() if topic.name in seen]


def _distinct(asked: list[MetadataRequestTopic]) -> list[MetadataRequestTopic]:
    return list({(entry.topic_id, entry.name): entry for entry in asked}.values())


def _answer(
    ctx: BrokerRequestContext,
    image: MetadataImage,
    cache: _Answers,
    entry: MetadataRequestTopic,
    request: MetadataRequest,
) -> MetadataResponseTopic:
    if entry.topic_id != ZERO_UUID:
        if ctx.version < 12:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "topic ids are understood from version 12 on")
        topic = image.topics_by_id.get(entry.topic_id)
        if topic is None:
            unknown = MetadataResponseTopic(error_code=ErrorCode.UNKNOWN_TOPIC_ID, topic_id=entry.topic_id)
            unknown.name = None
            return unknown
        if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.name):
            # An id is no secret; the name that goes with it may be one.
            return _denied(None, topic.id)
        return cache.answer(topic)
    name = entry.name or ""
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, name):
        # Not even whether it exists has been looked up.
        return _denied(name)
    topic = image.topics.get(name)
    if topic is not None:
        return cache.answer(topic)
    if _creates(ctx, request) and not _may_make(ctx, name):
        return _denied(name, is_internal=name in INTERNAL_TOPICS)
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if name_problem(name) is None else ErrorCode.INVALID_TOPIC_EXCEPTION
    return MetadataResponseTopic(error_code=code, name=name, is_internal=name in INTERNAL_TOPICS)


def _denied(name: str | None, topic_id: bytes = ZERO_UUID, *, is_internal: bool = False) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=name, topic_id=topic_id, is_internal=is_internal
    )


def _with_operations(ctx: BrokerRequestContext, topic: MetadataResponseTopic) -> MetadataResponseTopic:
    if topic.name is None or topic.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        return topic
    return MetadataResponseTopic(
        error_code=topic.error_code,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=topic.partitions,
        topic_authorized_operations=authorized_operations.authorized_operations(ctx, AclResourceType.TOPIC, topic.name),
    )


class _Answers:
    """Answers for the topics of one image and one listener, made when first asked for."""

    def __init__(
        self, image_brokers: dict[int, Broker], brokers: list[MetadataResponseBroker], suspects: frozenset[int]
    ) -> None:
        self.image_brokers = image_brokers
        self.brokers = brokers
        self.suspects = suspects
        self._alive = frozenset(broker.node_id for broker in brokers)
        self._topics: dict[bytes, tuple[Topic, MetadataResponseTopic]] = {}

    @property
    def topic_count(self) -> int:
        return len(self._topics)

    def answer(self, topic: Topic) -> MetadataResponseTopic:
        held = self._topics.get(topic.id)
        if held is not None and held[0] is topic:
            return held[1]
        made = MetadataResponseTopic(
            name=topic.name,
            topic_id=topic.id,
            is_internal=topic.name in INTERNAL_TOPICS,
            partitions=[self._partition(index, partition) for index, partition in enumerate(topic.partitions)],
        )
        self._topics[topic.id] = (topic, made)
        return made

    def _partition(self, index: int, partition: Partition) -> MetadataResponsePartition:
        has_leader = partition.leader in self._alive and partition.leader not in self.suspects
        return MetadataResponsePartition(
            error_code=ErrorCode.NONE if has_leader else ErrorCode.LEADER_NOT_AVAILABLE,
            partition_index=index,
            leader_id=partition.leader if has_leader else -1,
            leader_epoch=partition.leader_epoch,
            replica_nodes=list(partition.replicas),
            isr_nodes=list(partition.isr),
            offline_replicas=[replica for replica in partition.replicas if replica not in self._alive],
        )


# For each broker of this process, by listener name.
_CACHES: WeakKeyDictionary[MetadataCache, dict[str, _Answers]] = WeakKeyDictionary()


def _cache_for(ctx: BrokerRequestContext, image: MetadataImage) -> _Answers:
    caches = _CACHES.setdefault(ctx.quorum.metadata, {})
    held = caches.get(ctx.listener_name)
    suspects = ctx.quorum.suspects.now()
    if held is None or held.image_brokers is not image.brokers or held.suspects != suspects:
        held = caches[ctx.listener_name] = _Answers(image.brokers, live_brokers(ctx, image), suspects)
    elif held.topic_count > 2 * len(image.topics) + 16:
        # Mostly answers of deleted topics.
        held = caches[ctx.listener_name] = _Answers(image.brokers, held.brokers, suspects)
    return held


def live_brokers(ctx: BrokerRequestContext, image: MetadataImage) -> list[MetadataResponseBroker]:
    """Brokers that are up and can be reached by the listener that the request came in on.

    While none is in service, as when a whole cluster comes back, this one stands for all: it is here, after all, and a
    client that gets no broker may never ask anybody again (librdkafka issue 5301)."""
    in_service = [broker for broker in image.brokers.values() if not broker.is_fenced]
    mine = image.brokers.get(ctx.node.config.node_id)
    found = []
    for broker in in_service or ([mine] if mine is not None else []):
        try:
            host, port = ctx.quorum.endpoints.of(broker.id, ctx.listener_name)
        except KafkaError:
            continue
        found.append(MetadataResponseBroker(node_id=broker.id, host=host, port=port, rack=broker.rack))
    return found
