"""BrokerRegistrationChangeRecord (metadata, number 17), v0-3.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class BrokerRegistrationChangeRecord(Message):
    broker_id: int = 0
    broker_epoch: int = 0
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: list[bytes] = []
    cordoned_log_dirs: list[bytes] | None = None

    FIELDS = (
        Field("broker_id", "int32"),
        Field("broker_epoch", "int64"),
        Field("fenced", "int8", tag=0),
        Field("in_controlled_shutdown", "int8", (1, LAST), tag=1),
        Field("log_dirs", "uuid", (2, LAST), array=True, tag=2),
        Field("cordoned_log_dirs", "uuid", (3, LAST), array=True, nullable=(3, LAST), tag=3, default=None),
    )
    NAME = "BrokerRegistrationChangeRecord"
    API_KEY = 17
    VERSIONS = (0, 3)
    FLEXIBLE = 0
