"""Deleting topics, by name or by id (KIP-516)."""

from __future__ import annotations

from collections import Counter

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import ZERO_UUID
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import Topic
from riacho.metadata.partitions.mutation_quota import RecordMutations
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from riacho.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse
from riacho.wire.messages.remove_topic_record import RemoveTopicRecord


def decide_delete_topics(
    image: MetadataImage,
    values: BrokerValues,
    request: DeleteTopicsRequest,
    version: int,
    mutations: RecordMutations | None = None,
) -> Decision[MetadataRecord, DeleteTopicsResponse]:
    """v6 names topics by state (name or id), earlier versions by name alone."""
    asked = request.topics if version >= 6 else [DeleteTopicState(name=name) for name in request.topic_names]
    names = Counter(state.name for state in asked if state.name is not None and state.topic_id == ZERO_UUID)
    ids = Counter(state.topic_id for state in asked if state.name is None and state.topic_id != ZERO_UUID)
    records: list[MetadataRecord] = []
    results: list[DeletableTopicResult] = []
    seen: set[tuple[str | None, bytes]] = set()
    for state in asked:
        is_duplicate = names[state.name or ""] > 1 or ids[state.topic_id] > 1
        if is_duplicate and (state.name, state.topic_id) in seen:
            continue
        seen.add((state.name, state.topic_id))
        result = DeletableTopicResult(name=state.name, topic_id=state.topic_id)
        try:
            if not values.flag("delete.topic.enable"):
                # The code of its own came with v3.
                code = ErrorCode.TOPIC_DELETION_DISABLED if version >= 3 else ErrorCode.INVALID_REQUEST
                raise KafkaError(code, "Topic deletion is disabled.")
            topic = _find(image, state, names, ids)
            if mutations is not None:
                mutations(len(topic.partitions))
        except KafkaError as error:
            result.error_code, result.error_message = error.code, error.detail or None
        else:
            result.name, result.topic_id = topic.name, topic.id
            records.append(RemoveTopicRecord(topic_id=topic.id))
        results.append(result)
    return Decision(reply=DeleteTopicsResponse(responses=results), records=records)


def _find(image: MetadataImage, state: DeleteTopicState, names: Counter[str], ids: Counter[bytes]) -> Topic:
    if state.name is None and state.topic_id == ZERO_UUID:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.")
    if state.name is not None and state.topic_id != ZERO_UUID:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id.")
    if state.name is not None:
        if names[state.name] > 1:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
        topic = image.topics.get(state.name)
        if topic is None:
            problem = "This server does not host this topic-partition."
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, problem)
        if ids[topic.id]:
            problem = "The provided topic name maps to an ID that was already supplied."
            raise KafkaError(ErrorCode.INVALID_REQUEST, problem)
        return topic
    if ids[state.topic_id] > 1:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic id.")
    found = image.topics_by_id.get(state.topic_id)
    if found is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID, "This server does not host this topic ID.")
    return found
