"""DescribeUserScramCredentialsRequest (request, key 50), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class UserName(WireStruct):
    name: str = ""

    FIELDS = (Field("name", "string"),)


class DescribeUserScramCredentialsRequest(Message):
    users: list[UserName] | None = []

    FIELDS = (Field("users", UserName, array=True, nullable=(0, LAST)),)
    NAME = "DescribeUserScramCredentialsRequest"
    API_KEY = 50
    VERSIONS = (0, 0)
    FLEXIBLE = 0
