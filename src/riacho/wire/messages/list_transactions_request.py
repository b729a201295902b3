"""ListTransactionsRequest (request, key 66), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class ListTransactionsRequest(Message):
    state_filters: list[str] = []
    producer_id_filters: list[int] = []
    duration_filter: int = -1
    transactional_id_pattern: str | None = None

    FIELDS = (
        Field("state_filters", "string", array=True),
        Field("producer_id_filters", "int64", array=True),
        Field("duration_filter", "int64", (1, LAST), default=-1),
        Field("transactional_id_pattern", "string", (2, LAST), nullable=(2, LAST), default=None),
    )
    NAME = "ListTransactionsRequest"
    API_KEY = 66
    VERSIONS = (0, 2)
    FLEXIBLE = 0
