"""CreatePartitionsRequest (request, key 37), v0-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class CreatePartitionsAssignment(WireStruct):
    broker_ids: list[int] = []

    FIELDS = (Field("broker_ids", "int32", array=True),)


class CreatePartitionsTopic(WireStruct):
    name: str = ""
    count: int = 0
    assignments: list[CreatePartitionsAssignment] | None = []

    FIELDS = (
        Field("name", "string"),
        Field("count", "int32"),
        Field("assignments", CreatePartitionsAssignment, array=True, nullable=(0, LAST)),
    )


class CreatePartitionsRequest(Message):
    topics: list[CreatePartitionsTopic] = []
    timeout_ms: int = 0
    validate_only: bool = False

    FIELDS = (
        Field("topics", CreatePartitionsTopic, array=True),
        Field("timeout_ms", "int32"),
        Field("validate_only", "bool"),
    )
    NAME = "CreatePartitionsRequest"
    API_KEY = 37
    VERSIONS = (0, 3)
    FLEXIBLE = 2
