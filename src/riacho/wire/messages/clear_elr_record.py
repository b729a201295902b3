"""ClearElrRecord (metadata, number 28), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class ClearElrRecord(Message):
    topic_name: str = ""

    FIELDS = (Field("topic_name", "string"),)
    NAME = "ClearElrRecord"
    API_KEY = 28
    VERSIONS = (0, 0)
    FLEXIBLE = 0
