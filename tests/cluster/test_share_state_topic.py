"""The stored state of share groups through a crash, and its log, which is cut as snapshots make its start needless."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.raw import RawConnection
from conformance.share_member import ACCEPT, RELEASE, ShareMember, ShareState, new_topic, send
from conformance.waiting import eventually
from support.riacho_process import HOST, RiachoProcess

STATE_TOPIC = "__share_group_state"
PROPERTIES = {
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.prune.interval.ms": "300",
}
UPDATES = 1_300


@pytest.fixture
def process(tmp_path: Path) -> Iterator[RiachoProcess]:
    process = RiachoProcess(tmp_path, PROPERTIES)
    process.start()
    yield process
    process.stop()


def opened(process: RiachoProcess, group: str, topic_id: bytes | None = None) -> ShareState:
    connection = RawConnection((HOST, process.port))
    state = ShareState(connection, group, topic_id or new_topic(connection, "topic"))
    state.find()
    return state


def log_start(state: ShareState) -> int:
    asked = [{"name": STATE_TOPIC, "partitions": [{"partition_index": 0, "timestamp": -2}]}]
    answer = state.connection.ask("ListOffsets", 5, replica_id=-1, topics=asked)
    offset: int = answer.topics[0].partitions[0].offset
    return offset


def test_needless_records_are_cut_off_and_nothing_is_lost_by_it(process: RiachoProcess) -> None:
    state = opened(process, "busy")
    quiet = opened(process, "quiet", state.topic_id)
    for each in (state, quiet):
        assert each.initialize(state_epoch=1).error_code == 0
    quiet.write((3, 4, 2, 1), start_offset=2)
    for offset in range(UPDATES):
        assert state.write((offset, offset, 2, 1), start_offset=offset // 2).error_code == 0
    eventually(lambda: log_start(state) > UPDATES // 2)
    expected = [each.batches() for each in (state, quiet)]
    assert expected == [[((UPDATES - 1) // 2, UPDATES - 1, 2, 1)], [(3, 4, 2, 1)]]
    process.kill()
    process.start()
    again = [opened(process, group, state.topic_id) for group in ("busy", "quiet")]
    assert [each.batches() for each in again] == expected


def test_a_share_group_goes_on_after_a_crash_of_its_broker(process: RiachoProcess) -> None:
    state = opened(process, "group")
    assert state.initialize().error_code == 0
    send(state.connection, "topic", 10)
    member = ShareMember((HOST, process.port), "group", state.topic_id)
    assert member.fetch_some().acquired == [(0, 9, 1)]
    assert member.acknowledge((0, 3, [ACCEPT]), (4, 5, [RELEASE])) == 0
    process.kill()
    process.start()
    opened(process, "group", state.topic_id)
    member = ShareMember((HOST, process.port), "group", state.topic_id)
    # What was held when the broker died is free, and that delivery is not known.
    assert member.fetch_some().acquired == [(4, 5, 2), (6, 9, 1)]
