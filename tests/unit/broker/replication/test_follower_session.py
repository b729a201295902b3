"""The follower's end of a fetch session: what the next request to the leader names, and what it forgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.broker.replication.follower_session import Followed, FollowerSession
from riacho.wire.messages.fetch_response import FetchResponse
from support.led_partition import host, state
from support.log_files import TOPIC_ID


@pytest.fixture
def session(tmp_path: Path) -> FollowerSession:
    """Open, with partitions 0 and 1."""
    opened = FollowerSession(1_000)
    for index in (0, 1):
        hosted, _ = host(tmp_path, state(leader=2), index=index, written=5)
        opened.add(Followed(hosted))
    assert asked(opened, 0) == ([0, 1], [])
    return opened


def asked(session: FollowerSession, now_ms: int) -> tuple[list[int], list[int]]:
    """(named, forgotten) of the next request, which the leader answers."""
    composed = session.compose(now_ms)
    assert composed is not None
    session.answered(FetchResponse(session_id=9))
    topics, forgotten = composed
    return (
        [partition.partition for topic in topics for partition in topic.partitions],
        [index for topic in forgotten for index in topic.partitions],
    )


def test_only_changes_are_sent(session: FollowerSession) -> None:
    assert asked(session, 1) == ([], [])
    session.touch(session.partitions[TOPIC_ID, 1])
    assert asked(session, 2) == ([1], [])


def test_one_that_waits_leaves_and_comes_back(session: FollowerSession) -> None:
    session.hold(session.partitions[TOPIC_ID, 0], 50)
    assert asked(session, 10) == ([], [0])
    assert asked(session, 49) == ([], [])
    assert asked(session, 50) == ([0], [])


def test_those_who_leave_are_named_in_the_order_in_which_they_left(tmp_path: Path) -> None:
    """Whatever their keys hash to, so that a simulation of it can be run again in another process."""
    indexes = [*range(20, 0, -1)]
    session = FollowerSession(1_000)
    for index in (0, *indexes):
        hosted, _ = host(tmp_path, state(leader=2), index=index, written=1)
        session.add(Followed(hosted))
    asked(session, 0)
    for index in indexes:
        session.hold(session.partitions[TOPIC_ID, index], 50)
    assert asked(session, 1) == ([], indexes)


def test_one_that_is_back_before_the_leader_heard_that_it_leaves_never_left(session: FollowerSession) -> None:
    """A leader that takes before it forgets would have it in its session no more, and this end would think it has."""
    session.hold(session.partitions[TOPIC_ID, 0], 50)
    assert asked(session, 60) == ([0], [])
    assert asked(session, 61) == ([], [])
