"""ListConfigResourcesRequest (request, key 74), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ListConfigResourcesRequest(Message):
    resource_types: list[int] = []

    FIELDS = (Field("resource_types", "int8", (1, LAST), array=True),)
    NAME = "ListConfigResourcesRequest"
    API_KEY = 74
    VERSIONS = (0, 1)
    FLEXIBLE = 0
