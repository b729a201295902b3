"""EndTxnMarker (data), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class EndTxnMarker(Message):
    coordinator_epoch: int = 0

    FIELDS = (Field("coordinator_epoch", "int32"),)
    NAME = "EndTxnMarker"
    VERSIONS = (0, 0)
