"""AddPartitionsToTxnResponse (response, key 24), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AddPartitionsToTxnPartitionResult(WireStruct):
    partition_index: int = 0
    partition_error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("partition_error_code", "int16"),
    )


class AddPartitionsToTxnTopicResult(WireStruct):
    name: str = ""
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = []

    FIELDS = (
        Field("name", "string"),
        Field("results_by_partition", AddPartitionsToTxnPartitionResult, array=True),
    )


class AddPartitionsToTxnResult(WireStruct):
    transactional_id: str = ""
    topic_results: list[AddPartitionsToTxnTopicResult] = []

    FIELDS = (
        Field("transactional_id", "string", (4, LAST)),
        Field("topic_results", AddPartitionsToTxnTopicResult, (4, LAST), array=True),
    )


class AddPartitionsToTxnResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    results_by_transaction: list[AddPartitionsToTxnResult] = []
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16", (4, LAST), ignorable=True),
        Field("results_by_transaction", AddPartitionsToTxnResult, (4, LAST), array=True),
        Field("results_by_topic_v3_and_below", AddPartitionsToTxnTopicResult, (0, 3), array=True),
    )
    NAME = "AddPartitionsToTxnResponse"
    API_KEY = 24
    VERSIONS = (0, 5)
    FLEXIBLE = 3
