"""ConsumerGroupTargetAssignmentMemberKey (coordinator key, number 7), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ConsumerGroupTargetAssignmentMemberKey(Message):
    group_id: str = ""
    member_id: str = ""

    FIELDS = (
        Field("group_id", "string", (0, 0)),
        Field("member_id", "string", (0, 0)),
    )
    NAME = "ConsumerGroupTargetAssignmentMemberKey"
    API_KEY = 7
    VERSIONS = (0, 0)
