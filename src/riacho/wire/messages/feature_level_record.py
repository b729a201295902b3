"""FeatureLevelRecord (metadata, number 12), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class FeatureLevelRecord(Message):
    name: str = ""
    feature_level: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("feature_level", "int16"),
    )
    NAME = "FeatureLevelRecord"
    API_KEY = 12
    VERSIONS = (0, 0)
    FLEXIBLE = 0
