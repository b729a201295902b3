"""RemoveDelegationTokenRecord (metadata, number 26), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class RemoveDelegationTokenRecord(Message):
    token_id: str = ""

    FIELDS = (Field("token_id", "string"),)
    NAME = "RemoveDelegationTokenRecord"
    API_KEY = 26
    VERSIONS = (0, 0)
    FLEXIBLE = 0
