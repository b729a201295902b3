"""The epoch of a node's fast paths: a counter that moves with everything that they do not ask about.

A fast path (`produce_fast_path.py`) remembers the epoch in which the usual way took a request like it. In another epoch
it is not taken, and the next request goes the usual way, where everything is asked again.

| what changes | who moves the epoch |
|---|---|
| ACLs, quotas of clients, settings of topics and brokers | the metadata, by `image_changed` |
| whether lines are written about produce requests | `broker/logger_changes.py` |
| which clients are counted one by one | `broker/counters/client_counts.py` |

A session that is authenticated again ends those of its connection alone (`broker/serving/sasl_session.py`). What a fast
path does ask about with every request needs no epoch: `append_produced.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage


class FastPathEpoch:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0

    def bump(self) -> None:
        """The fast paths of all connections end."""
        self.value += 1

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Subscribe this to the metadata."""
        if (
            new.acls is not old.acls
            or new.client_quotas is not old.client_quotas
            # Some of a topic's settings change what an answer says: message.timestamp.type.
            or new.configs is not old.configs
        ):
            self.bump()
