"""StreamsGroupTargetAssignmentMemberValue (coordinator value, number 21), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class TaskIds(WireStruct):
    subtopology_id: str = ""
    partitions: list[int] = []

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("partitions", "int32", array=True),
    )


class StreamsGroupTargetAssignmentMemberValue(Message):
    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []

    FIELDS = (
        Field("active_tasks", TaskIds, array=True),
        Field("standby_tasks", TaskIds, array=True),
        Field("warmup_tasks", TaskIds, array=True),
    )
    NAME = "StreamsGroupTargetAssignmentMemberValue"
    API_KEY = 21
    VERSIONS = (0, 0)
    FLEXIBLE = 0
