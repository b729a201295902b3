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
    27: _write_txn_markers,
    49: _alter_client_quotas,
    51: _alter_scram,
    83: _share_state("InitializeStateResult"),
    84: _share_state("ReadStateResult"),
    85: _share_state("WriteStateResult"),
    86: _share_state("DeleteStateResult"),
    87: _share_state("ReadStateSummaryResult"),
}
