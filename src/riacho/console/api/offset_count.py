"""How many records, told without reading one: by offsets. A transaction's marker takes one as a record does."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Messages = Annotated[
    int | None,
    Meta(
        description="Offsets between the ends of its partitions: markers of transactions included, and records that "
        "were compacted away. null: not known."
    ),
]
Lag = Annotated[
    int | None,
    Meta(
        description="Offsets up to the end, markers of transactions included. null: not known, or nothing is committed."
    ),
]
# Of brokers that do not count messages themselves.
MessagesPerSecond = Annotated[
    float | None,
    Meta(
        description="Messages; where brokers are not Riacho's, offsets, markers of transactions included. "
        "null: not known."
    ),
]
