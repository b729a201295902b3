"""DeleteGroupsRequest (request, key 42), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class DeleteGroupsRequest(Message):
    groups_names: list[str] = []

    FIELDS = (Field("groups_names", "string", array=True),)
    NAME = "DeleteGroupsRequest"
    API_KEY = 42
    VERSIONS = (0, 2)
    FLEXIBLE = 2
