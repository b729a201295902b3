"""Who hears of what comes of the raft driver's steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.base.errors import KafkaError
    from riacho.wire.schema import Buffer


def take_all(_records: Buffer, _leader_high_watermark: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class RaftListener:
    """Who is told, within the step that it happens in; what they ask of the driver comes after that step."""

    on_committed: Callable[[int], None]
    """How far the log is committed."""
    on_snapshot: Callable[[], None]
    """The log begins with another snapshot than before, a leader's."""
    on_leader_changed: Callable[[int, int], None]
    """The leader, -1 where there is none, and its epoch."""
    on_broken: Callable[[KafkaError], None]
    """This node cannot be of the quorum any more."""
    check_fetched: Callable[[Buffer, int], None] = take_all
    """Raises what keeps batches of the leader from being taken; given them, and the leader's high watermark."""
