"""What a node must remember across a crash: the epoch it is in, whom it voted for in it and who leads it."""

from __future__ import annotations

from typing import NamedTuple

from riacho.base.ids import ZERO_UUID

NOBODY = -1


class QuorumState(NamedTuple):
    leader_id: int = NOBODY
    leader_epoch: int = 0
    voted_id: int = NOBODY
    voted_directory_id: bytes = ZERO_UUID
