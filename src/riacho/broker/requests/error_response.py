"""The answer of an API whose whole request failed: the code in each place where its clients look for one.

Most responses carry a code at the top. The others carry one per topic, partition, group or resource that was asked for,
so the answer mirrors the request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.broker.requests.api import Api, Request
from riacho.broker.requests.error_mirrors import MIRRORS, Mirror
from riacho.broker.requests.error_mirrors import new_struct as _new
from riacho.broker.requests.version_fit import fitted
from riacho.groups.operations import OFFSET_COMMIT, TXN_OFFSET_COMMIT
from riacho.transactions.partitions import ADD_PARTITIONS
from riacho.wire import apis
from riacho.wire.schema import Message

_FIND_COORDINATOR = 10


def error_response(api: Api, version: int, request: Request, code: ErrorCode, detail: str = "") -> Message:
    """A response of this API that says `code` everywhere."""
    refused = _REFUSED.get(api.key)
    if refused is not None and request is not None:
        response = refused(request, code)
    else:
        response = apis.response_class(api.key)()
        mirror = _MIRRORS.get(api.key)
        if mirror is not None and request is not None:
            mirror(response, request, code)
    # OffsetFetch and FindCoordinator moved their code into the items in later versions; both places are set, since a
    # field that a version lacks is not written.
    said = {"error_code": int(code), "error_message": detail or None}
    if api.key == _FIND_COORDINATOR:
        said |= {"node_id": -1, "port": -1}
    for name, value in said.items():
        if _has_field(response, name, version):
            setattr(response, name, value)
    _explain(response, version, detail or None)
    return fitted(response, version)


def _explain(message: Any, version: int, detail: str | None) -> None:
    """Each item that was refused says why, where its version can."""
    for field in message.FIELDS:
        if field.array and not isinstance(field.type, str):
            items = getattr(message, field.name) or ()
            has_message = _has_field(field.type, "error_message", version)
            has_arrays = any(inner.array and not isinstance(inner.type, str) for inner in field.type.FIELDS)
            for item in items if has_message or has_arrays else ():
                if has_message:
                    item.error_message = detail
                if has_arrays:
                    _explain(item, version, detail)


def _has_field(response: Any, name: str, version: int) -> bool:
    for field in response.FIELDS:
        if field.name == name:
            first, last = field.versions
            return bool(first <= version <= last)
    return False


def _produce(response: Any, request: Any, code: ErrorCode) -> None:
    response.responses = [
        _new(
            response,
            "TopicProduceResponse",
            name=topic.name,
            topic_id=topic.topic_id,
            partition_responses=[
                _new(response, "PartitionProduceResponse", index=data.index, error_code=code, base_offset=-1)
                for data in topic.partition_data
            ],
        )
        for topic in request.topic_data
    ]


def _fetch(response: Any, request: Any, code: ErrorCode) -> None:
    response.responses = [
        _new(
            response,
            "FetchableTopicResponse",
            topic=topic.topic,
            topic_id=topic.topic_id,
            partitions=[
                _new(
                    response,
                    "PartitionData",
                    partition_index=asked.partition,
                    error_code=code,
                    high_watermark=-1,
                    records=b"",
                )
                for asked in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _partitions(
    topic_struct: str, partition_struct: str, asked_index: str, index: str, topic_name: str = "name"
) -> Mirror:
    """Answers shaped topics -> partitions with a code in each partition."""

    def mirror(response: Any, request: Any, code: ErrorCode) -> None:
        response.topics = [
            _new(
                response,
                topic_struct,
                **{topic_name: getattr(topic, topic_name)},
                partitions=[
                    _new(response, partition_struct, **{index: getattr(asked, asked_index)}, error_code=code)
                    for asked in topic.partitions
                ],
            )
            for topic in request.topics
        ]

    return mirror


def _metadata(response: Any, request: Any, code: ErrorCode) -> None:
    response.topics = [
        _new(response, "MetadataResponseTopic", name=topic.name, topic_id=topic.topic_id, error_code=code)
        for topic in request.topics or []
    ]


def _named(field: str, struct: str, asked: str, **names: str) -> Mirror:
    """Answers shaped as one list of items, each with a code. `names` maps the answer's fields to the request item's."""

    def mirror(response: Any, request: Any, code: ErrorCode) -> None:
        items = getattr(request, asked)
        setattr(
            response,
            field,
            [
                _new(
                    response, struct, error_code=code, **{ours: getattr(item, theirs) for ours, theirs in names.items()}
                )
                for item in items
            ],
        )

    return mirror


def _groups(field: str, struct: str, asked: str, name: str) -> Mirror:
    """Like `_named`, where the request's items are plain names."""

    def mirror(response: Any, request: Any, code: ErrorCode) -> None:
        setattr(
            response,
            field,
            [_new(response, struct, error_code=code, **{name: item}) for item in getattr(request, asked)],
        )

    return mirror


def _coordinators(response: Any, request: Any, code: ErrorCode) -> None:
    response.coordinators = [
        _new(response, "Coordinator", key=key, node_id=-1, port=-1, error_code=code) for key in request.coordinator_keys
    ]


def _reassignments(response: Any, request: Any, code: ErrorCode) -> None:
    response.responses = [
        _new(
            response,
            "ReassignableTopicResponse",
            name=topic.name,
            partitions=[
                _new(
                    response,
                    "ReassignablePartitionResponse",
                    partition_index=asked.partition_index,
                    error_code=code,
                )
                for asked in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _offset_fetch(response: Any, request: Any, code: ErrorCode) -> None:
    """By group from version 8 on; before, version 1 has no other place than the partitions."""
    response.groups = [
        _new(response, "OffsetFetchResponseGroup", group_id=group.group_id, error_code=code) for group in request.groups
    ]
    response.topics = [
        _new(
            response,
            "OffsetFetchResponseTopic",
            name=topic.name,
            partitions=[
                _new(
                    response,
                    "OffsetFetchResponsePartition",
                    partition_index=index,
                    committed_offset=-1,
                    error_code=code,
                )
                for index in topic.partition_indexes
            ],
        )
        for topic in request.topics or []
    ]


def _delete_topics(response: Any, request: Any, code: ErrorCode) -> None:
    """By name; from version 6 on by name or id."""
    asked = [(name, ZERO_UUID) for name in request.topic_names]
    asked += [(topic.name, topic.topic_id) for topic in request.topics]
    response.responses = [
        _new(response, "DeletableTopicResult", name=name, topic_id=topic_id, error_code=code)
        for name, topic_id in asked
    ]


def _describe_producers(response: Any, request: Any, code: ErrorCode) -> None:
    response.topics = [
        _new(
            response,
            "TopicResponse",
            name=topic.name,
            partitions=[
                _new(response, "PartitionResponse", partition_index=index, error_code=code)
                for index in topic.partition_indexes
            ],
        )
        for topic in request.topics
    ]


def _alter_replica_log_dirs(response: Any, request: Any, code: ErrorCode) -> None:
    response.results = [
        _new(
            response,
            "AlterReplicaLogDirTopicResult",
            topic_name=topic.name,
            partitions=[
                _new(response, "AlterReplicaLogDirPartitionResult", partition_index=index, error_code=code)
                for index in topic.partitions
            ],
        )
        for directory in request.dirs
        for topic in directory.topics
    ]


def _elect_leaders(response: Any, request: Any, code: ErrorCode) -> None:
    """Version 0 has no code at the top."""
    response.replica_election_results = [
        _new(
            response,
            "ReplicaElectionResult",
            topic=topic.topic,
            partition_result=[
                _new(response, "PartitionResult", partition_id=index, error_code=code) for index in topic.partitions
            ],
        )
        for topic in request.topic_partitions or []
    ]


# What a coordinator refuses as a whole, too: the answer stands beside what decides it.
_REFUSED: dict[int, Callable[[Any, ErrorCode], Message]] = {
    8: OFFSET_COMMIT.refused,
    24: ADD_PARTITIONS.refused,
    28: TXN_OFFSET_COMMIT.refused,
}

_MIRRORS: dict[int, Mirror] = MIRRORS | {
    0: _produce,
    1: _fetch,
    2: _partitions("ListOffsetsTopicResponse", "ListOffsetsPartitionResponse", "partition_index", "partition_index"),
    3: _metadata,
    9: _offset_fetch,
    10: _coordinators,
    15: _groups("groups", "DescribedGroup", "groups", "group_id"),
    19: _named("topics", "CreatableTopicResult", "topics", name="name"),
    20: _delete_topics,
    21: _partitions("DeleteRecordsTopicResult", "DeleteRecordsPartitionResult", "partition_index", "partition_index"),
    23: _partitions("OffsetForLeaderTopicResult", "EpochEndOffset", "partition", "partition", "topic"),
    30: _named("results", "AclCreationResult", "creations"),
    31: _named("filter_results", "DeleteAclsFilterResult", "filters"),
    32: _named(
        "results",
        "DescribeConfigsResult",
        "resources",
        resource_type="resource_type",
        resource_name="resource_name",
    ),
    33: _named(
        "responses",
        "AlterConfigsResourceResponse",
        "resources",
        resource_type="resource_type",
        resource_name="resource_name",
    ),
    34: _alter_replica_log_dirs,
    37: _named("results", "CreatePartitionsTopicResult", "topics", name="name"),
    42: _groups("results", "DeletableGroupResult", "groups_names", "group_id"),
    43: _elect_leaders,
    44: _named(
        "responses",
        "AlterConfigsResourceResponse",
        "resources",
        resource_type="resource_type",
        resource_name="resource_name",
    ),
    45: _reassignments,
    61: _describe_producers,
    65: _groups("transaction_states", "TransactionState", "transactional_ids", "transactional_id"),
    69: _groups("groups", "DescribedGroup", "group_ids", "group_id"),
    75: _named("topics", "DescribeTopicPartitionsResponseTopic", "topics", name="name"),
    77: _groups("groups", "DescribedGroup", "group_ids", "group_id"),
    90: _named("groups", "DescribeShareGroupOffsetsResponseGroup", "groups", group_id="group_id"),
}
