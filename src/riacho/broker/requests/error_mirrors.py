"""Error answers of transactions, share group state, quotas and users: a code for each item that was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from riacho.base.errors import ErrorCode

Mirror = Callable[[Any, Any, ErrorCode], None]


def new_struct(response: Any, struct: str, /, **values: Any) -> Any:
    """A struct of the response's own module, by Kafka's name."""
    module = sys.modules[type(response).__module__]
    return getattr(module, struct)(**values)


def _add_partitions_to_txn(response: Any, request: Any, code: ErrorCode) -> None:
    """Up to version 3; later ones have a code at the top."""
    response.results_by_topic_v3_and_below = [
        new_struct(
            response,
            "AddPartitionsToTxnTopicResult",
            name=topic.name,
            results_by_partition=[
                new_struct(
                    response, "AddPartitionsToTxnPartitionResult", partition_index=index, partition_error_code=code
                )
                for index in topic.partitions
            ],
        )
        for topic in request.v3_and_below_topics
    ]


def _write_txn_markers(response: Any, request: Any, code: ErrorCode) -> None:
    def topic(asked: Any) -> Any:
        name, struct = asked.name, "WritableTxnMarkerPartitionResult"
        partitions = [
            new_struct(response, struct, partition_index=at, error_code=code) for at in asked.partition_indexes
        ]
        return new_struct(response, "WritableTxnMarkerTopicResult", name=name, partitions=partitions)

    response.markers = [
        new_struct(
            response,
            "WritableTxnMarkerResult",
            producer_id=marker.producer_id,
            topics=[topic(asked) for asked in marker.topics],
        )
        for marker in request.markers
    ]


def _txn_offset_commit(response: Any, request: Any, code: ErrorCode) -> None:
    struct = "TxnOffsetCommitResponsePartition"
    response.topics = [
        new_struct(
            response,
            "TxnOffsetCommitResponseTopic",
            name=topic.name,
            partitions=[
                new_struct(response, struct, partition_index=asked.partition_index, error_code=code)
                for asked in topic.partitions
            ],
        )
        for topic in request.topics
    ]


def _alter_client_quotas(response: Any, request: Any, code: ErrorCode) -> None:
    response.entries = [
        new_struct(
            response,
            "EntryData",
            error_code=code,
            entity=[
                new_struct(response, "EntityData", entity_type=part.entity_type, entity_name=part.entity_name)
                for part in entry.entity
            ],
        )
        for entry in request.entries
    ]


def _alter_scram(response: Any, request: Any, code: ErrorCode) -> None:
    users = dict.fromkeys(item.name for item in (*request.deletions, *request.upsertions))
    response.results = [
        new_struct(response, "AlterUserScramCredentialsResult", user=user, error_code=code) for user in users
    ]


def _describe_transactions(response: Any, request: Any, code: ErrorCode) -> None:
    response.transaction_states = [
        new_struct(response, "TransactionState", transactional_id=asked, error_code=code)
        for asked in request.transactional_ids
    ]


def _consumer_group_describe(response: Any, request: Any, code: ErrorCode) -> None:
    response.groups = [
        new_struct(response, "DescribedGroup", group_id=group_id, error_code=code) for group_id in request.group_ids
    ]


def _share_state(struct: str) -> Mirror:
    def mirror(response: Any, request: Any, code: ErrorCode) -> None:
        response.results = [
            new_struct(
                response,
                struct,
                topic_id=topic.topic_id,
                partitions=[
                    new_struct(response, "PartitionResult", partition=asked.partition, error_code=code)
                    for asked in topic.partitions
                ],
            )
            for topic in request.topics
        ]

    return mirror


MIRRORS: dict[int, Mirror] = {
    24: _add_partitions_to_txn,
    27: _write_txn_markers,
    28: _txn_offset_commit,
    49: _alter_client_quotas,
    51: _alter_scram,
    65: _describe_transactions,
    69: _consumer_group_describe,
    83: _share_state("InitializeStateResult"),
    84: _share_state("ReadStateResult"),
    85: _share_state("WriteStateResult"),
    86: _share_state("DeleteStateResult"),
    87: _share_state("ReadStateSummaryResult"),
}
