"""A hosted partition: whom it answers, and that an append is visible and wakes whoever waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.hosted_partition import HostedPartition
from support.log_files import append, open_log


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[HostedPartition]:
    log = open_log(tmp_path / "t-0")
    made = HostedPartition("t", bytes(16), 0, log, None)  # type: ignore[arg-type]
    made.leader_id, made.leader_epoch, made.is_leader = 1, 5, True
    yield made
    log.close(clean=False)


class Waiter:
    def __init__(self, hosted: HostedPartition) -> None:
        self.noticed = self.completed = 0
        self._hosted = hosted
        hosted.waiting.add(self)  # type: ignore[arg-type]

    def notice(self) -> None:
        self.noticed += 1

    def complete(self) -> None:
        self.completed += 1
        self._hosted.waiting.discard(self)


@pytest.mark.parametrize("epoch", [-1, 5])
def test_the_leader_answers_clients_of_its_epoch_and_those_that_know_none(hosted: HostedPartition, epoch: int) -> None:
    hosted.check_leader(epoch)


@pytest.mark.parametrize(("epoch", "code"), [(4, ErrorCode.FENCED_LEADER_EPOCH), (6, ErrorCode.UNKNOWN_LEADER_EPOCH)])
def test_another_epoch_is_refused_also_by_a_follower(hosted: HostedPartition, epoch: int, code: ErrorCode) -> None:
    for hosted.is_leader in (True, False):
        with pytest.raises(KafkaError) as refused:
            hosted.check_leader(epoch)
        assert refused.value.code is code


def test_who_does_not_lead_says_who_does(hosted: HostedPartition) -> None:
    hosted.is_leader, hosted.leader_id = False, 3
    with pytest.raises(KafkaError) as refused:
        hosted.check_leader()
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert "3" in refused.value.detail


def test_what_is_appended_is_seen_and_wakes_whoever_waits(hosted: HostedPartition) -> None:
    waiters = [Waiter(hosted), Waiter(hosted)]
    append(hosted.log, b"one", b"two")
    assert hosted.log.high_watermark == 0
    hosted.advance()
    assert hosted.log.high_watermark == 2
    assert [each.noticed for each in waiters] == [1, 1]


def test_waking_completes_all_though_they_leave_meanwhile(hosted: HostedPartition) -> None:
    waiters = [Waiter(hosted) for _ in range(5)]
    hosted.wake()
    hosted.wake()
    assert [each.completed for each in waiters] == [1] * 5
    assert hosted.waiting == set()
