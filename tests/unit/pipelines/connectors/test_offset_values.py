"""Offsets that somebody moves by hand: what a connector could not begin from is refused when it is given."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.connectors import registry
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset

FILE = {"filename": "a.txt"}
LONG = "The value for the '{}' key in the offset is expected to be a Long value"
NEGATIVE = "The value for the '{}' key in the offset should be a non-negative value"


def alter(name: str, partition: dict[str, Any], offset: dict[str, Any] | None) -> None:
    found = registry.find(name)
    assert issubclass(found, SourceConnector)
    found.alter_offsets({}, [SourceOffset(partition, offset)])


@pytest.mark.parametrize(
    ("name", "partition", "offset", "wrong"),
    [
        ("FileStreamSource", {"other": 1}, {"position": 1}, "Partition objects should contain the key 'filename'"),
        ("FileStreamSource", FILE, {}, "Offset objects should either be null or contain the key 'position'"),
        ("FileStreamSource", FILE, {"pos": 1}, "Offset objects should either be null or contain the key 'position'"),
        ("FileStreamSource", FILE, {"position": "x"}, LONG.format("position")),
        ("FileStreamSource", FILE, {"position": True}, LONG.format("position")),
        ("FileStreamSource", FILE, {"position": 1.5}, LONG.format("position")),
        ("FileStreamSource", FILE, {"position": 2**63}, LONG.format("position")),
        ("FileStreamSource", FILE, {"position": -5}, NEGATIVE.format("position")),
        ("Datagen", {"task.id": -1}, {"current.iteration": 1}, NEGATIVE.format("task.id")),
        ("Datagen", {"task.id": 0}, {"current.iteration": -1}, NEGATIVE.format("current.iteration")),
        ("MirrorSource", {"cluster": "a", "topic": "t"}, {"offset": 1}, "contain the key 'partition'"),
        ("MirrorSource", {"cluster": "a", "topic": "t", "partition": 0}, {"offset": -1}, NEGATIVE.format("offset")),
        ("HttpSource", {"url": "http://h"}, {"place": 1}, "contain no other keys than 'offset'"),
        ("JdbcSource", {"table": "t"}, {"id": 1}, "contain no other keys than 'incrementing'"),
        ("JdbcSource", {"table": "t"}, {"timestamp": -1}, NEGATIVE.format("timestamp")),
        ("JdbcSource", {}, {"incrementing": 1}, "contain the key 'table'"),
        ("SparkSource", {"source": "SparkSource"}, {"0": 1}, "cannot be given from outside"),
        ("DirectorySource", {"source": "x"}, {"logOffset": 1}, "cannot be given from outside"),
    ],
)
def test_what_could_not_be_begun_from(name: str, partition: dict[str, Any], offset: Any, wrong: str) -> None:
    with pytest.raises(ConnectError) as refused:
        alter(name, partition, offset)
    assert wrong in str(refused.value)


def test_what_can_be() -> None:
    alter("FileStreamSource", FILE, {"position": 0})
    alter("JdbcSource", {"protocol": "1", "table": "t"}, {"incrementing": 7, "timestamp": "2026-01-01 00:00:00"})
    alter("JdbcSource", {"table": "t"}, {"timestamp": 1_700_000_000_000, "timestamp_nanos": 5})
    alter("MirrorSource", {"cluster": "a", "topic": "t", "partition": 0}, {"offset": 5})


@pytest.mark.parametrize("name", ["FileStreamSource", "SparkSource", "DirectorySource"])
def test_any_of_them_may_be_taken_away(name: str) -> None:
    alter(name, FILE, None)
