"""RemoveUserScramCredentialRecord (metadata, number 22), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class RemoveUserScramCredentialRecord(Message):
    name: str = ""
    mechanism: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("mechanism", "int8"),
    )
    NAME = "RemoveUserScramCredentialRecord"
    API_KEY = 22
    VERSIONS = (0, 0)
    FLEXIBLE = 0
