"""WriteTxnMarkersResponse (response, key 27), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class WritableTxnMarkerPartitionResult(WireStruct):
    partition_index: int = 0
    error_code: int = 0

    FIELDS = (
        Field("partition_index", "int32"),
        Field("error_code", "int16"),
    )


class WritableTxnMarkerTopicResult(WireStruct):
    name: str = ""
    partitions: list[WritableTxnMarkerPartitionResult] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", WritableTxnMarkerPartitionResult, array=True),
    )


class WritableTxnMarkerResult(WireStruct):
    producer_id: int = 0
    topics: list[WritableTxnMarkerTopicResult] = []

    FIELDS = (
        Field("producer_id", "int64"),
        Field("topics", WritableTxnMarkerTopicResult, array=True),
    )


class WriteTxnMarkersResponse(Message):
    markers: list[WritableTxnMarkerResult] = []

    FIELDS = (Field("markers", WritableTxnMarkerResult, array=True),)
    NAME = "WriteTxnMarkersResponse"
    API_KEY = 27
    VERSIONS = (1, 2)
    FLEXIBLE = 1
