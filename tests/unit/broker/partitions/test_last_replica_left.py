"""A partition whose other replicas all go: what waited for them must not wait on."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode
from support.led_partition import NODE, Settled, fetch, host, state, write


@pytest.mark.parametrize("epoch", [5, 6])
def test_a_write_is_committed_when_the_replicas_it_waits_for_leave(tmp_path: Path, epoch: int) -> None:
    hosted, _ = host(tmp_path, state((1, 2), replicas=(1, 2)))
    offset = write(hosted)
    waiter = Settled()
    hosted.await_commit(offset, waiter)
    assert waiter.codes == []
    hosted.take_role(NODE, state((1,), replicas=(1,), epoch=epoch, change=1))
    assert hosted.log.high_watermark == offset + 1
    assert waiter.codes == [ErrorCode.NONE]


def test_records_are_deleted_when_the_replicas_that_kept_them_leave(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1, 2), replicas=(1, 2)))
    offset = write(hosted)
    fetch(hosted, 2, offset + 1, start=0)
    hosted.log.delete_records(offset + 1)
    waiter = Settled()
    hosted.await_low_watermark(offset + 1, waiter)
    assert waiter.codes == []
    hosted.take_role(NODE, state((1,), replicas=(1,), change=1))
    assert waiter.codes == [ErrorCode.NONE]
