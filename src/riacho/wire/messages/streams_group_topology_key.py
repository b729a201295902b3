"""StreamsGroupTopologyKey (coordinator key, number 23), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class StreamsGroupTopologyKey(Message):
    group_id: str = ""

    FIELDS = (Field("group_id", "string", (0, 0)),)
    NAME = "StreamsGroupTopologyKey"
    API_KEY = 23
    VERSIONS = (0, 0)
