"""A large request in parts: together they ask the same, none is heavier than said, and their answers join."""

from __future__ import annotations

import pytest

from riacho.broker.handlers.table import BY_KEY
from riacho.broker.requests.request_parts import SPLIT, join, parts, split_of, weight
from riacho.wire.apis import request_class, response_class
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from riacho.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from support.hostile_requests import Names, array_paths, hostile_request

LIST_OFFSETS, OFFSET_FETCH = 2, 9
PART = 50


def asked(request: ListOffsetsRequest) -> list[tuple[str, int]]:
    return [(topic.name, partition.partition_index) for topic in request.topics for partition in topic.partitions]


def echo(request: ListOffsetsRequest) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[ListOffsetsPartitionResponse(partition_index=p.partition_index) for p in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def of_sizes(*sizes: int) -> ListOffsetsRequest:
    return ListOffsetsRequest(
        replica_id=-1,
        topics=[
            ListOffsetsTopic(name=f"t{at}", partitions=[ListOffsetsPartition(partition_index=i) for i in range(size)])
            for at, size in enumerate(sizes)
        ],
    )


@pytest.mark.parametrize("sizes", [(1,) * 200, (200,), (3, 120, 1, 49, 50, 51), (0, 0, 75), (49, 1, 1)])
def test_parts_ask_the_same_and_their_answers_join(sizes: tuple[int, ...]) -> None:
    request = of_sizes(*sizes)
    cut = list(parts(("topics",), request, PART))
    assert all(part.replica_id == -1 for part in cut)
    assert all(weight(part) <= PART + 1 for part in cut), "the element that a cut falls into is there twice"
    assert [each for part in cut for each in asked(part)] == asked(request)
    whole = None
    for part in cut:
        whole = join("topics", whole, echo(part))
    assert whole == echo(request)


def test_the_longest_wait_and_any_error_of_a_part_are_the_whole_s() -> None:
    whole = join("topics", ListOffsetsResponse(throttle_time_ms=5), ListOffsetsResponse(throttle_time_ms=3))
    assert whole.throttle_time_ms == 5
    leave = response_class(13)
    assert join("members", leave(), leave(error_code=25)).error_code == 25


def test_every_array_that_is_cut_is_there() -> None:
    for key, (names, answer_name) in SPLIT.items():
        arrays = {field.name for field in request_class(key).FIELDS if field.array}
        assert set(names) <= arrays, BY_KEY[key].name
        assert answer_name in {field.name for field in response_class(key).FIELDS if field.array}, BY_KEY[key].name
    assert split_of(OFFSET_FETCH, 7) == (("topics",), "topics")
    assert split_of(OFFSET_FETCH, 8) == (("groups",), "groups")


@pytest.mark.parametrize("key", SPLIT, ids=lambda key: BY_KEY[key].name)
def test_every_array_of_theirs_can_be_cut(key: int) -> None:
    version = BY_KEY[key].version_max
    names, _ = SPLIT[key]
    for path in array_paths(request_class(key), version):
        request = hostile_request(key, version, path, 10 * PART, Names("name"))
        cut = list(parts(names, request, PART))
        assert len(cut) >= 10, path
        assert max(map(weight, cut)) <= PART + 2 * len(path) + 8, path
