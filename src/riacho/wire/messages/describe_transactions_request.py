"""DescribeTransactionsRequest (request, key 65), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message


class DescribeTransactionsRequest(Message):
    transactional_ids: list[str] = []

    FIELDS = (Field("transactional_ids", "string", array=True),)
    NAME = "DescribeTransactionsRequest"
    API_KEY = 65
    VERSIONS = (0, 0)
    FLEXIBLE = 0
