"""DelegationTokenRecord (metadata, number 10), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class DelegationTokenRecord(Message):
    owner: str = ""
    requester: str = ""
    renewers: list[str] = []
    issue_timestamp: int = 0
    max_timestamp: int = 0
    expiration_timestamp: int = 0
    token_id: str = ""

    FIELDS = (
        Field("owner", "string"),
        Field("requester", "string"),
        Field("renewers", "string", array=True),
        Field("issue_timestamp", "int64"),
        Field("max_timestamp", "int64"),
        Field("expiration_timestamp", "int64"),
        Field("token_id", "string"),
    )
    NAME = "DelegationTokenRecord"
    API_KEY = 10
    VERSIONS = (0, 0)
    FLEXIBLE = 0
