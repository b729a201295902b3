from __future__ import annotations

import pytest

from riacho.cli.kafka.delete_records import parse_offsets
from riacho.cli.kafka.feature_levels import mapping, metadata_level
from riacho.cli.kafka.filters import matching_topics
from riacho.cli.kafka.get_offsets import _rule, _time
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.storage import random_uuid
from riacho.cli.kafka.text.record_json import camel_case, coordinator_texts, metadata_text
from riacho.metadata.image.records import encode_record
from riacho.wire.messages.topic_record import TopicRecord

NAMES = ["orders", "orders-eu", "__consumer_offsets", "payments"]


def test_topics_match_whole_names_and_commas_are_alternatives() -> None:
    assert matching_topics(NAMES, "orders") == ["orders"]
    assert matching_topics(NAMES, "orders.*") == ["orders", "orders-eu"]
    assert matching_topics(NAMES, "orders,payments") == ["orders", "payments"]
    assert matching_topics(NAMES, None, exclude_internal=True) == ["orders", "orders-eu", "payments"]


def test_a_broken_pattern() -> None:
    with pytest.raises(ToolError, match="is not a regular expression"):
        matching_topics(NAMES, "[")


@pytest.mark.parametrize(
    ("pattern", "partitions"),
    [("t:1", [1]), ("t:1-3", [1, 2]), ("t:2-", [2, 3]), ("t:-2", [0, 1]), ("t", [0, 1, 2, 3]), (":3", [3])],
)
def test_patterns_of_partitions(pattern: str, partitions: list[int]) -> None:
    rule = _rule(pattern)
    assert [p for p in range(4) if rule("t", p)] == partitions
    assert rule("other", 3) is pattern.startswith(":")


def test_times() -> None:
    assert [_time(text) for text in ("latest", "earliest", "-3", "1700000000000")] == [-1, -2, -3, 1_700_000_000_000]
    with pytest.raises(ToolError, match="Malformed time argument soon"):
        _time("soon")


def test_offset_files() -> None:
    text = '{"partitions": [{"topic": "t", "partition": 1, "offset": 5}], "version": 1}'
    assert parse_offsets(text) == {("t", 1): 5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a valid JSON"),
        ("{}", "Missing partitions field"),
        ('{"partitions": [], "version": 2}', "Not supported version"),
        ('{"partitions": [{"topic": "t"}]}', "needs topic, partition and offset"),
        (
            '{"partitions": [{"topic":"t","partition":0,"offset":1},{"topic":"t","partition":0,"offset":2}]}',
            "duplicate topic partitions: t-0",
        ),
    ],
)
def test_broken_offset_files(text: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        parse_offsets(text)


def test_feature_levels_of_releases() -> None:
    assert metadata_level("4.0") == 25
    assert metadata_level("4.0-IV1") == 23
    assert mapping("3.9")["kraft.version"] == 1
    assert mapping("3.8")["kraft.version"] == 0
    with pytest.raises(ToolError, match=r"Unknown metadata.version '9.9'"):
        metadata_level("9.9")


def test_random_uuids_never_look_like_flags() -> None:
    made = {random_uuid() for _ in range(200)}
    assert len(made) == 200
    assert all(len(one) == 22 and not one.startswith("-") for one in made)


def test_metadata_records_as_json() -> None:
    value = encode_record(TopicRecord(name="t", topic_id=bytes(15) + b"\x02"))
    expected = '{"type":"TOPIC_RECORD","version":0,"data":{"name":"t","topicId":"AAAAAAAAAAAAAAAAAAAAAg"}}'
    assert metadata_text(value) == expected
    assert metadata_text(b"\x01\x7f\x00").startswith("Error at")
    assert metadata_text(b"").startswith("Error at")


def test_coordinator_records_nobody_knows() -> None:
    assert coordinator_texts({}, b"\x00\x63rest", b"x")[1] == "<UNKNOWN>"
    assert coordinator_texts({}, None, None) == ("<EMPTY>", "<EMPTY>")


def test_names_in_json() -> None:
    assert camel_case("current_state_timestamp") == "currentStateTimestamp"
