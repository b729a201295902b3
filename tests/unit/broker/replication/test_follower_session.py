"""The follower's end of a fetch session: what the next request to the leader names, and what it forgets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from riacho.broker.replication.follower_session import Followed, FollowerSession
from riacho.wire.messages.fetch_response import FetchResponse

TOPIC_ID = b"t" * 16


def followed(index: int) -> Followed:
    log = SimpleNamespace(log_start_offset=0, log_end_offset=5, high_watermark=5, latest_epoch=1)
    hosted: Any = SimpleNamespace(topic="t", topic_id=TOPIC_ID, index=index, leader_id=2, leader_epoch=1, log=log)
    return Followed(hosted)


@pytest.fixture
def session() -> FollowerSession:
    """Open, with partitions 0 and 1."""
    opened = FollowerSession(1_000)
    for index in (0, 1):
        opened.add(followed(index))
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


def test_only_news_is_told(session: FollowerSession) -> None:
    assert asked(session, 1) == ([], [])
    session.touch(session.partitions[TOPIC_ID, 1])
    assert asked(session, 2) == ([1], [])


def test_one_that_waits_leaves_and_comes_back(session: FollowerSession) -> None:
    session.hold(session.partitions[TOPIC_ID, 0], 50)
    assert asked(session, 10) == ([], [0])
    assert asked(session, 49) == ([], [])
    assert asked(session, 50) == ([0], [])


def test_one_that_is_back_before_the_leader_heard_that_it_leaves_never_left(session: FollowerSession) -> None:
    """A leader that takes before it forgets would have it in its session no more, and this end would think it has."""
    session.hold(session.partitions[TOPIC_ID, 0], 50)
    assert asked(session, 60) == ([0], [])
    assert asked(session, 61) == ([], [])
