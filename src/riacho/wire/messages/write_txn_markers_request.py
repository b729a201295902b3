"""WriteTxnMarkersRequest (request, key 27), v1-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class WritableTxnMarkerTopic(WireStruct):
    name: str = ""
    partition_indexes: list[int] = []

    FIELDS = (
        Field("name", "string"),
        Field("partition_indexes", "int32", array=True),
    )


class WritableTxnMarker(WireStruct):
    producer_id: int = 0
    producer_epoch: int = 0
    transaction_result: bool = False
    topics: list[WritableTxnMarkerTopic] = []
    coordinator_epoch: int = 0
    transaction_version: int = 0

    FIELDS = (
        Field("producer_id", "int64"),
        Field("producer_epoch", "int16"),
        Field("transaction_result", "bool"),
        Field("topics", WritableTxnMarkerTopic, array=True),
        Field("coordinator_epoch", "int32"),
        Field("transaction_version", "int8", (2, LAST), ignorable=True),
    )


class WriteTxnMarkersRequest(Message):
    markers: list[WritableTxnMarker] = []

    FIELDS = (Field("markers", WritableTxnMarker, array=True),)
    NAME = "WriteTxnMarkersRequest"
    API_KEY = 27
    VERSIONS = (1, 2)
    FLEXIBLE = 1
