"""NoOpRecord (metadata, number 20), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Message


class NoOpRecord(Message):
    NAME = "NoOpRecord"
    API_KEY = 20
    VERSIONS = (0, 0)
    FLEXIBLE = 0
