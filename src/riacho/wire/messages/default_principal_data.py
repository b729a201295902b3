"""DefaultPrincipalData (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class DefaultPrincipalData(Message):
    type: str = ""
    name: str = ""
    token_authenticated: bool = False

    FIELDS = (
        Field("type", "string"),
        Field("name", "string"),
        Field("token_authenticated", "bool"),
    )
    NAME = "DefaultPrincipalData"
    VERSIONS = (0, 0)
    FLEXIBLE = 0
