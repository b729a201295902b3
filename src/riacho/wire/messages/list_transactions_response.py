"""ListTransactionsResponse (response, key 66), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class TransactionState(WireStruct):
    transactional_id: str = ""
    producer_id: int = 0
    transaction_state: str = ""

    FIELDS = (
        Field("transactional_id", "string"),
        Field("producer_id", "int64"),
        Field("transaction_state", "string"),
    )


class ListTransactionsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    unknown_state_filters: list[str] = []
    transaction_states: list[TransactionState] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("unknown_state_filters", "string", array=True),
        Field("transaction_states", TransactionState, array=True),
    )
    NAME = "ListTransactionsResponse"
    API_KEY = 66
    VERSIONS = (0, 2)
    FLEXIBLE = 0
