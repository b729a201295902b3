"""ApiVersionsRequest (request, key 18), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ApiVersionsRequest(Message):
    client_software_name: str = ""
    client_software_version: str = ""

    FIELDS = (
        Field("client_software_name", "string", (3, LAST), ignorable=True),
        Field("client_software_version", "string", (3, LAST), ignorable=True),
    )
    NAME = "ApiVersionsRequest"
    API_KEY = 18
    VERSIONS = (0, 4)
    FLEXIBLE = 3
