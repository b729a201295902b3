"""How far each reader sees."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from riacho.partition.visibility import READ_COMMITTED, visible_end


@dataclass
class FixedOffsets:
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int


LOG = FixedOffsets(last_stable_offset=5, high_watermark=7, log_end_offset=9)


@pytest.mark.parametrize("replica_id", [-1, -2, -3, -7, -(1 << 31)])
def test_whoever_is_no_replica_sees_what_consumers_see(replica_id: int) -> None:
    assert visible_end(LOG, replica_id, 0) == 7
    assert visible_end(LOG, replica_id, READ_COMMITTED) == 5


def test_a_follower_sees_all() -> None:
    assert visible_end(LOG, 0, READ_COMMITTED) == 9
    assert visible_end(LOG, 3, 0) == 9
