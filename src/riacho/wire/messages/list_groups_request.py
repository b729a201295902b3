"""ListGroupsRequest (request, key 16), v0-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ListGroupsRequest(Message):
    states_filter: list[str] = []
    types_filter: list[str] = []

    FIELDS = (
        Field("states_filter", "string", (4, LAST), array=True),
        Field("types_filter", "string", (5, LAST), array=True),
    )
    NAME = "ListGroupsRequest"
    API_KEY = 16
    VERSIONS = (0, 5)
    FLEXIBLE = 3
