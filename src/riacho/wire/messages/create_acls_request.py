"""CreateAclsRequest (request, key 30), v1-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AclCreation(WireStruct):
    resource_type: int = 0
    resource_name: str = ""
    resource_pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0

    FIELDS = (
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("resource_pattern_type", "int8", (1, LAST), default=3),
        Field("principal", "string"),
        Field("host", "string"),
        Field("operation", "int8"),
        Field("permission_type", "int8"),
    )


class CreateAclsRequest(Message):
    creations: list[AclCreation] = []

    FIELDS = (Field("creations", AclCreation, array=True),)
    NAME = "CreateAclsRequest"
    API_KEY = 30
    VERSIONS = (1, 3)
    FLEXIBLE = 2
