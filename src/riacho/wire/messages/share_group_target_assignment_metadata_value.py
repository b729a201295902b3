"""ShareGroupTargetAssignmentMetadataValue (coordinator value, number 12), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ShareGroupTargetAssignmentMetadataValue(Message):
    assignment_epoch: int = 0
    assignment_timestamp: int = 0

    FIELDS = (
        Field("assignment_epoch", "int32"),
        Field("assignment_timestamp", "int64", tag=0, ignorable=True),
    )
    NAME = "ShareGroupTargetAssignmentMetadataValue"
    API_KEY = 12
    VERSIONS = (0, 0)
    FLEXIBLE = 0
