"""StreamsGroupCurrentMemberAssignmentValue (coordinator value, number 22), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class TaskIds(WireStruct):
    subtopology_id: str = ""
    partitions: list[int] = []
    assignment_epochs: list[int] | None = None

    FIELDS = (
        Field("subtopology_id", "string"),
        Field("partitions", "int32", array=True),
        Field("assignment_epochs", "int32", array=True, nullable=(0, LAST), tag=0, default=None),
    )


class StreamsGroupCurrentMemberAssignmentValue(Message):
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []
    active_tasks_pending_revocation: list[TaskIds] = []
    standby_tasks_pending_revocation: list[TaskIds] = []
    warmup_tasks_pending_revocation: list[TaskIds] = []

    FIELDS = (
        Field("member_epoch", "int32"),
        Field("previous_member_epoch", "int32"),
        Field("state", "int8"),
        Field("active_tasks", TaskIds, array=True),
        Field("standby_tasks", TaskIds, array=True),
        Field("warmup_tasks", TaskIds, array=True),
        Field("active_tasks_pending_revocation", TaskIds, array=True),
        Field("standby_tasks_pending_revocation", TaskIds, array=True),
        Field("warmup_tasks_pending_revocation", TaskIds, array=True),
    )
    NAME = "StreamsGroupCurrentMemberAssignmentValue"
    API_KEY = 22
    VERSIONS = (0, 0)
    FLEXIBLE = 0
