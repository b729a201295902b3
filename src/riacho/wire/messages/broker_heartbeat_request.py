"""BrokerHeartbeatRequest (request, key 63), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class BrokerHeartbeatRequest(Message):
    broker_id: int = 0
    broker_epoch: int = -1
    current_metadata_offset: int = 0
    want_fence: bool = False
    want_shut_down: bool = False
    offline_log_dirs: list[bytes] = []
    cordoned_log_dirs: list[bytes] | None = None

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64", default=-1),
        Field("current_metadata_offset", "int64"),
        Field("want_fence", "bool"),
        Field("want_shut_down", "bool"),
        Field("offline_log_dirs", "uuid", (1, LAST), array=True, tag=0),
        Field("cordoned_log_dirs", "uuid", (2, LAST), array=True, nullable=(2, LAST), tag=1, default=None),
    )
    NAME = "BrokerHeartbeatRequest"
    API_KEY = 63
    VERSIONS = (0, 2)
    FLEXIBLE = 0
