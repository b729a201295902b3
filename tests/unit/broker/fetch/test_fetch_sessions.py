"""Sessions: opening, increments, what is told again and what is not, eviction."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.fetch.fetch_sessions import FetchSessionCache
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from riacho.wire.messages.fetch_response import PartitionData


class CountingRng:
    def __init__(self) -> None:
        self._next = 0

    def token(self, size_bytes: int) -> bytes:
        self._next += 1
        return self._next.to_bytes(size_bytes, "big")


def _cache(slots: int = 10, eviction_ms: int = 120_000) -> FetchSessionCache:
    return FetchSessionCache(slots, eviction_ms, CountingRng())


def _request(session_id: int = 0, epoch: int = 0, *partitions: int, forget: tuple[int, ...] = ()) -> FetchRequest:
    return FetchRequest(
        session_id=session_id,
        session_epoch=epoch,
        topics=[FetchTopic(topic="t", partitions=[FetchPartition(partition=p) for p in partitions])],
        forgotten_topics_data=[ForgottenTopic(topic="t", partitions=list(forget))] if forget else [],
    )


def _answer(partition: int, high_watermark: int = 5, records: bytes = b"", error_code: int = 0) -> PartitionData:
    return PartitionData(
        partition_index=partition,
        high_watermark=high_watermark,
        log_start_offset=0,
        records=records,
        error_code=error_code,
    )


def test_without_a_session_everything_asked_is_answered() -> None:
    scope = _cache().open(_request(0, -1, 0, 1), 12, 0)
    assert scope.session_id == 0
    answers = [(w, _answer(w.request.partition)) for w in scope.wanted]
    assert scope.select(answers) == answers


def test_an_increment_answers_only_what_is_new() -> None:
    cache = _cache()
    first = cache.open(_request(0, 0, 0, 1), 12, 0)
    first.select([(w, _answer(w.request.partition)) for w in first.wanted])
    second = cache.open(_request(first.session_id, 1), 12, 0)
    assert [w.request.partition for w in second.wanted] == [0, 1]
    answers = [(second.wanted[0], _answer(0)), (second.wanted[1], _answer(1, high_watermark=6))]
    assert [a.partition_index for _, a in second.select(answers)] == [1]


def test_an_error_is_told_and_its_end_too() -> None:
    cache = _cache()
    first = cache.open(_request(0, 0, 0), 12, 0)
    first.select([(first.wanted[0], _answer(0))])
    failing = cache.open(_request(first.session_id, 1), 12, 0)
    assert failing.select([(failing.wanted[0], _answer(0, error_code=6))])
    healed = cache.open(_request(first.session_id, 2), 12, 0)
    assert healed.select([(healed.wanted[0], _answer(0))])
    quiet = cache.open(_request(first.session_id, 3), 12, 0)
    assert quiet.select([(quiet.wanted[0], _answer(0))]) == []


def test_partitions_that_gave_records_go_to_the_end_of_the_order() -> None:
    cache = _cache()
    first = cache.open(_request(0, 0, 0, 1, 2), 12, 0)
    first.select(
        [(w, _answer(w.request.partition, records=b"x" if w.request.partition == 0 else b"")) for w in first.wanted]
    )
    second = cache.open(_request(first.session_id, 1), 12, 0)
    assert [w.request.partition for w in second.wanted] == [1, 2, 0]


def test_forgotten_partitions_leave_the_session() -> None:
    cache = _cache()
    first = cache.open(_request(0, 0, 0, 1), 12, 0)
    second = cache.open(_request(first.session_id, 1, forget=(0,)), 12, 0)
    assert [w.request.partition for w in second.wanted] == [1]
    third = cache.open(_request(first.session_id, 2, forget=(1,)), 12, 0)
    assert third.wanted == []
    assert len(cache) == 0


@pytest.mark.parametrize(
    ("session_id", "epoch", "version", "code"),
    [
        (99, 1, 12, ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
        (1, 2, 12, ErrorCode.INVALID_FETCH_SESSION_EPOCH),
        (1, 1, 13, ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR),
    ],
)
def test_a_session_used_wrongly_is_refused(session_id: int, epoch: int, version: int, code: ErrorCode) -> None:
    cache = _cache()
    assert cache.open(_request(0, 0, 0), 12, 0).session_id == 1
    with pytest.raises(KafkaError) as raised:
        cache.open(_request(session_id, epoch), version, 0)
    assert raised.value.code is code


def test_the_final_epoch_closes_the_session() -> None:
    cache = _cache()
    session_id = cache.open(_request(0, 0, 0), 12, 0).session_id
    cache.open(_request(session_id, -1), 12, 0)
    assert len(cache) == 0


def test_a_full_cache_evicts_only_what_is_old() -> None:
    cache = _cache(slots=1, eviction_ms=100)
    assert cache.open(_request(0, 0, 0), 12, 0).session_id == 1
    assert cache.open(_request(0, 0, 0), 12, 99).session_id == 0
    assert cache.open(_request(0, 0, 0), 12, 100).session_id == 2
    assert len(cache) == 1


def test_a_partition_that_is_named_twice_is_read_once_as_named_last() -> None:
    request = _request(0, -1, 3, 4, 3)
    request.topics[0].partitions[2].fetch_offset = 9
    wanted = _cache().open(request, 12, 0).wanted
    assert [(each.request.partition, each.request.fetch_offset) for each in wanted] == [(3, 9), (4, 0)]


def test_sessions_of_consumers_hold_so_many_partitions_and_no_more() -> None:
    cache = FetchSessionCache(10, 120_000, CountingRng(), partitions_max=5)
    first = cache.open(_request(0, 0, 0, 1, 2), 12, 0)
    assert first.session_id
    too_many = cache.open(_request(0, 0, 0, 1, 2), 12, 0)
    assert too_many.session_id == 0
    assert [each.request.partition for each in too_many.wanted] == [0, 1, 2], "it is answered all the same"
    assert cache.open(_request(0, 0, 0, 1, 2), 12, 0, is_follower=True).session_id, "followers have theirs"
    with pytest.raises(KafkaError) as raised:
        cache.open(_request(first.session_id, 1, 3, 4, 5), 12, 0)
    assert raised.value.code is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert cache.partition_count == 3


def test_the_count_of_partitions_follows_their_coming_and_going() -> None:
    cache = _cache()
    opened = cache.open(_request(0, 0, 0, 1), 12, 0)
    cache.open(_request(opened.session_id, 1, 2, forget=(0,)), 12, 0)
    assert cache.partition_count == 2
    cache.open(_request(opened.session_id, -1), 12, 0)
    assert cache.partition_count == 0
