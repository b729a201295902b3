"""A request may have so many elements, however few bytes they take; an answer, which a node asked for, as many as it
has."""

from __future__ import annotations

import pytest

from riacho.wire import codec
from riacho.wire.decode_source import REQUEST_ITEMS_MAX
from riacho.wire.header import decode_request_header
from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from riacho.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequest, OffsetFetchRequestTopic
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.primitives import WireError

MANY_TAGS = bytes([0x80, 0x01]) + bytes(2 * 128)


def decoded(message: codec.Message, version: int) -> codec.Message:
    return codec.decode(type(message), version, codec.encode(message, version))


def test_a_request_of_too_many_elements_is_refused() -> None:
    fits = FindCoordinatorRequest(coordinator_keys=[""] * REQUEST_ITEMS_MAX)
    assert decoded(fits, 6) == fits
    with pytest.raises(WireError, match="more elements"):
        decoded(FindCoordinatorRequest(coordinator_keys=[""] * (REQUEST_ITEMS_MAX + 1)), 6)


def test_all_arrays_count_together_and_numbers_too() -> None:
    topics = [OffsetFetchRequestTopic(name="t", partition_indexes=list(range(999)))] * (REQUEST_ITEMS_MAX // 1000)
    fits = OffsetFetchRequest(group_id="g", topics=topics)
    assert decoded(fits, 7) == fits
    fits.topics = [*topics, OffsetFetchRequestTopic(name="t")]
    with pytest.raises(WireError, match="more elements"):
        decoded(fits, 7)


def test_produce_may_have_fewer() -> None:
    partitions = [PartitionProduceData(index=index) for index in range(10_000)]
    request = ProduceRequest(topic_data=[TopicProduceData(name="t", partition_data=partitions)])
    with pytest.raises(WireError, match="more elements"):
        decoded(request, 9)
    del partitions[-1]
    assert decoded(request, 9) == request


def test_tagged_fields_in_masses_are_refused() -> None:
    body = codec.encode(FindCoordinatorRequest(coordinator_keys=["k"]), 6)
    assert body[-1] == 0
    with pytest.raises(WireError, match="more elements"):
        codec.decode(FindCoordinatorRequest, 6, body[:-1] + MANY_TAGS)
    with pytest.raises(WireError, match="more elements"):
        decode_request_header(bytes([0, 10, 0, 6, 0, 0, 0, 1, 0xFF, 0xFF]) + MANY_TAGS)


def test_an_answer_may_have_any_number() -> None:
    answer = ListGroupsResponse(groups=[ListedGroup(group_id="")] * (REQUEST_ITEMS_MAX + 1))
    assert decoded(answer, 3) == answer
