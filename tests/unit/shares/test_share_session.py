from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.session import SessionKey, SharedPartition, ShareSessions

KEY = SessionKey("g1", "m1")
ONE = SharedPartition(b"t" * 16, 0)
TWO = SharedPartition(b"t" * 16, 1)


def refusal(sessions: ShareSessions, key: SessionKey, epoch: int) -> ErrorCode:
    with pytest.raises(KafkaError) as refused:
        sessions.advance(key, epoch)
    return refused.value.code


def test_epochs_count_up_and_every_other_one_is_refused() -> None:
    sessions = ShareSessions(10)
    assert refusal(sessions, KEY, 1) is ErrorCode.SHARE_SESSION_NOT_FOUND
    session = sessions.open(KEY, [ONE], "c1")
    assert sessions.advance(KEY, 1) is session
    assert refusal(sessions, KEY, 1) is ErrorCode.INVALID_SHARE_SESSION_EPOCH
    assert refusal(sessions, KEY, 3) is ErrorCode.INVALID_SHARE_SESSION_EPOCH
    assert sessions.advance(KEY, 2) is session


def test_after_the_largest_epoch_comes_one() -> None:
    sessions = ShareSessions(10)
    session = sessions.open(KEY, [], "c1")
    session.epoch = 0x7FFFFFFF
    sessions.advance(KEY, 0x7FFFFFFF)
    assert session.epoch == 1


def test_opening_again_starts_over() -> None:
    sessions = ShareSessions(1)
    first = sessions.open(KEY, [ONE], "c1")
    second = sessions.open(KEY, [TWO], "c2")
    assert second is not first
    assert list(second.partitions) == [TWO]
    assert (len(sessions), sessions.of_group("g1")) == (1, 1)
    assert sessions.connection_gone("c1") == []
    assert sessions.connection_gone("c2") == [second]
    assert (len(sessions), sessions.of_group("g1")) == (0, 0)


def test_there_are_so_many_at_most() -> None:
    sessions = ShareSessions(2)
    for member in ("m1", "m2"):
        sessions.open(SessionKey("g1", member), [], "c1")
    with pytest.raises(KafkaError) as refused:
        sessions.open(SessionKey("g1", "m3"), [], "c1")
    assert refused.value.code is ErrorCode.SHARE_SESSION_LIMIT_REACHED
    sessions.remove(SessionKey("g1", "m1"))
    sessions.open(SessionKey("g1", "m3"), [], "c1")


def test_sessions_end_with_their_connection_and_only_those() -> None:
    sessions = ShareSessions(10)
    mine = [sessions.open(SessionKey("g1", member), [], "c1") for member in ("m1", "m2")]
    other = sessions.open(SessionKey("g2", "m3"), [], "c2")
    assert sorted(session.key for session in sessions.connection_gone("c1")) == [session.key for session in mine]
    assert sessions.find(other.key) is other
    assert sessions.remove(KEY) is None


def test_a_partition_that_gave_records_goes_to_the_end() -> None:
    session = ShareSessions(1).open(KEY, [ONE, TWO], "c1")
    session.served(ONE)
    assert list(session.partitions) == [TWO, ONE]
    session.partitions.pop(TWO)
    session.served(TWO)
    assert list(session.partitions) == [ONE]
