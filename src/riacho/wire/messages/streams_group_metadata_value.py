"""StreamsGroupMetadataValue (coordinator value, number 17), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class LastAssignmentConfig(WireStruct):
    key: str = ""
    value: str = ""

    FIELDS = (
        Field("key", "string"),
        Field("value", "string"),
    )


class StreamsGroupMetadataValue(Message):
    epoch: int = 0
    metadata_hash: int = 0
    validated_topology_epoch: int = -1
    last_assignment_configs: list[LastAssignmentConfig] | None = None

    FIELDS = (
        Field("epoch", "int32"),
        Field("metadata_hash", "int64"),
        Field("validated_topology_epoch", "int32", tag=0, default=-1),
        Field("last_assignment_configs", LastAssignmentConfig, array=True, nullable=(0, LAST), tag=1, default=None),
    )
    NAME = "StreamsGroupMetadataValue"
    API_KEY = 17
    VERSIONS = (0, 0)
    FLEXIBLE = 0
